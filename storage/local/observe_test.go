package local

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sluice/internal/blocks"
	"sluice/storage"
)

func TestFaultOf(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]Fault{
		syscall.ENOSPC:         FaultFull,
		syscall.EFBIG:          FaultLimit,
		syscall.EMFILE:         FaultLimit,
		syscall.EROFS:          FaultReadOnly,
		fs.ErrPermission:       FaultPermission,
		syscall.EIO:            FaultIO,
		errors.New("whatever"): FaultIO,
		fs.ErrNotExist:         faultNone,
		fs.ErrExist:            faultNone,
		syscall.ENOTDIR:        faultNone,
		errors.New("openat: path escapes from parent"): faultNone,
	} {
		if got := faultOf(fmt.Errorf("wrapped: %w", err)); got != want {
			t.Errorf("%v is %q, want %q", err, got, want)
		}
	}
}

// journal is an Observer that counts.
type journal struct {
	mu     sync.Mutex
	counts map[string]int
}

func (j *journal) count(what string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.counts[what]++
}

func (j *journal) Wrote(direct bool, _ time.Duration)  { j.count(fmt.Sprint("wrote ", direct)) }
func (j *journal) Synced(folder bool, _ time.Duration) { j.count(fmt.Sprint("synced ", folder)) }
func (j *journal) Failed(o Operation, f Fault)         { j.count(fmt.Sprint(o, " ", f)) }

// An upload's writes and syncs are told, and a client's mistakes are no faults.
func TestObserver(t *testing.T) {
	t.Parallel()
	seen := &journal{counts: make(map[string]int)}
	s, err := Open(Options{Root: t.TempDir(), Blocks: blocks.New(8 << 20), Observer: seen})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	clear(seen.counts)
	for _, name := range []string{"a", "a/below-a-file"} {
		parsed, err := storage.ParseName(name)
		if err != nil {
			t.Fatal(err)
		}
		u, err := s.Create(t.Context(), storage.UploadSpec{Name: parsed, Size: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := u.Receive(t.Context(), strings.NewReader(strings.Repeat("x", 1<<20))); err != nil {
			t.Fatal(err)
		}
		_, err = u.Publish(t.Context())
		if wanted := name == "a"; (err == nil) != wanted {
			t.Errorf("publish %s: %v", name, err)
		}
		if err := u.Abort(); err != nil {
			t.Error(err)
		}
	}
	if seen.counts["wrote true"]+seen.counts["wrote false"] == 0 || seen.counts["synced false"] != 2 || seen.counts["synced true"] != 1 {
		t.Errorf("told of %v, want writes, two syncs of files and one of a folder", seen.counts)
	}
	for what := range seen.counts {
		if !strings.HasPrefix(what, "wrote ") && !strings.HasPrefix(what, "synced ") {
			t.Errorf("told of %q, want no fault", what)
		}
	}
}
