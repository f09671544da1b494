package handlers

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gofiber/fiber/v2"

	"sluice/internal/transfer"
	"sluice/storage"
)

// archiveKey is the key of the query that asks for a folder as an archive.
const archiveKey = "archive"

// archiveBuffer gathers the heads of members and small files, in bytes. What is
// larger passes it by.
const archiveBuffer = 64 << 10

// archive answers a folder as an archive that is made as it is sent.
func (h *Handlers) archive(c *fiber.Ctx, folder storage.Name) error {
	kind, ok := archiveKinds[c.Query(archiveKey)]
	if !ok {
		return errArchive
	}
	if !c.Request().Header.IsHTTP11() {
		// Its length is unknown, so only chunks can tell whether all of it came.
		return errNoChunks
	}
	top := folder.Base()
	if folder.IsRoot() {
		top = rootName
	}
	if c.Method() == fiber.MethodHead {
		kind.describe(c, top)
		return sendHead(c, storage.UnknownSize)
	}
	place, err := h.enter(c)
	if err != nil {
		return err
	}
	if err := h.use(c); err != nil {
		place.leave()
		return err
	}
	kind.describe(c, top)
	content := &archive{store: h.store(c), folder: folder, top: top, kind: kind}
	h.send(c, content, folder, transfer.ProtocolArchive, storage.UnknownSize, place)
	return nil
}

// rootName is what the root is called in archives.
const rootName = "files"

// describe sets the fields of an answer that holds the archive.
func (k archiveKind) describe(c *fiber.Ctx, top string) {
	c.Set(fiber.HeaderContentType, k.mediaType)
	c.Set(fiber.HeaderContentDisposition, disposition(saved, top+k.extension))
	c.Set(fiber.HeaderAcceptRanges, "none")
}

// archive is a download's content: a folder and everything below it. A zip
// takes some 250 bytes of memory for each member, which its end has to list.
type archive struct {
	store  storage.Store
	folder storage.Name
	top    string // what the folder is called within
	kind   archiveKind
	stages storage.Stages
}

// send implements content. A file that can't be sent as it was opened ends it,
// since the archive would be wrong; one that has vanished is just not there.
func (a *archive) send(ctx context.Context, w io.Writer) error {
	buffered := bufio.NewWriterSize(w, archiveBuffer)
	out := a.kind.open(buffered)
	for info, err := range a.store.Walk(ctx, a.folder) {
		if err == nil {
			err = a.add(ctx, out, info)
		}
		if err != nil {
			return fmt.Errorf("archive: %w", err)
		}
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	return buffered.Flush()
}

// add writes one member.
func (a *archive) add(ctx context.Context, out archiver, info storage.Info) error {
	if info.Folder {
		return out.folder(a.within(info.Name), info.ModTime)
	}
	object, err := a.store.Open(ctx, info.Name)
	switch {
	case errors.Is(err, storage.ErrNotFound), errors.Is(err, storage.ErrIsFolder):
		return nil // it was there when the folder was read
	case err != nil:
		return err
	}
	return errors.Join(a.copy(ctx, out, object), object.Close())
}

// copy writes one file.
func (a *archive) copy(ctx context.Context, out archiver, object storage.Object) error {
	info := object.Info()
	member, err := out.file(a.within(info.Name), info.Size, info.ModTime)
	if err != nil {
		return err
	}
	_, err = object.Send(ctx, member, 0, info.Size)
	a.stages = a.stages.Plus(object.Stages())
	if err != nil {
		return err
	}
	return object.Unchanged()
}

// within is the path of a member inside the archive.
func (a *archive) within(name storage.Name) string {
	below := strings.TrimPrefix(strings.TrimPrefix(name.String(), a.folder.String()), "/")
	if below == "" {
		return a.top
	}
	return a.top + "/" + below
}

// Stages implements content.
func (a *archive) Stages() storage.Stages { return a.stages }

// Close implements content.
func (a *archive) Close() error { return nil }
