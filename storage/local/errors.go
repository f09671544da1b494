package local

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"sluice/storage"
)

// causes maps what the system says to what the contract says.
var causes = []struct {
	system error
	means  error
}{
	{syscall.ENOSPC, storage.ErrNoSpace},
	{syscall.EDQUOT, storage.ErrNoSpace},
	{syscall.EFBIG, storage.ErrNoSpace},
	{syscall.EMFILE, storage.ErrBusy},
	{syscall.ENFILE, storage.ErrBusy},
	{syscall.EROFS, storage.ErrReadOnly},
	{syscall.EISDIR, storage.ErrIsFolder},
	{syscall.ENOTDIR, storage.ErrNotFolder},
	{syscall.ENOTEMPTY, storage.ErrNotEmpty},
	{syscall.ENAMETOOLONG, storage.ErrName},
	{syscall.ELOOP, storage.ErrNotFound},
	{syscall.ENXIO, storage.ErrNotFound}, // a socket, or a FIFO without a peer
	{fs.ErrNotExist, storage.ErrNotFound},
	{fs.ErrPermission, storage.ErrPermission},
}

// classify wraps a system error with the operation and the sentinel that the
// contract has for it.
func classify(operation string, err error) error {
	for _, c := range causes {
		if errors.Is(err, c.system) {
			return fmt.Errorf("%s: %w: %w", operation, c.means, err)
		}
	}
	if escapes(err) {
		return fmt.Errorf("%s: %w: %w", operation, storage.ErrNotFound, err)
	}
	return fmt.Errorf("%s: %w", operation, err)
}

// escapes tells that os.Root has met a link that leads out of it, for which it
// has no exported error. To the outside such a file doesn't exist.
func escapes(err error) bool { return strings.Contains(err.Error(), "path escapes from parent") }

// classifyWrite is classify for operations that change something. That the
// system forbids one is no refusal of this client: it would be so for all.
func classifyWrite(operation string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%s: %w: %w", operation, storage.ErrReadOnly, err)
	}
	return classify(operation, err)
}
