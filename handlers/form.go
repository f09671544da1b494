package handlers

import (
	"errors"
	"io"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"

	"sluice/internal/auth"
	"sluice/internal/multipart"
	"sluice/internal/transfer"
	"sluice/storage"
	"sluice/web"
)

// formOverhead is how much larger than its files a form may be, in bytes,
// before its length alone refuses it.
const formOverhead = 1 << 20

// CheckForm refuses what can be refused from the head of a form's POST.
func (h *Handlers) CheckForm(c *fiber.Ctx) error {
	if err := h.checkDrain(); err != nil {
		return err
	}
	if _, err := h.nameOf(c); err != nil {
		return err
	}
	if _, err := multipart.Boundary(c.Get(fiber.HeaderContentType)); err != nil {
		return err
	}
	if err := requestCoding(c); err != nil {
		return err
	}
	if err := h.crowd.check(h.clientOf(c)); err != nil {
		return err
	}
	return h.store(c).CheckSpace(declaredLength(c.Context()) - formOverhead)
}

// Form stores the files of a multipart/form-data body (RFC 7578) in the folder
// that the path names. All of them are published after the closing boundary has
// been seen, none of them when it hasn't.
func (h *Handlers) Form(c *fiber.Ctx) error {
	folder, err := h.nameOf(c)
	if err != nil {
		return err
	}
	boundary, err := multipart.Boundary(c.Get(fiber.HeaderContentType))
	if err != nil {
		return err
	}
	place, err := h.enter(c)
	if err != nil {
		return err
	}
	defer place.leave()
	src := newBody(c.Context(), h.limits().patience())
	defer src.end()
	parts, err := multipart.NewReader(src, boundary, multipart.Limits{})
	if err != nil {
		return err
	}
	space, err := reserve(h.store(c), src.declared)
	if err != nil {
		return err
	}
	defer space.Release()
	f := form{handlers: h, c: c, brake: &src.brake, store: h.store(c), folder: folder, space: space, place: place}
	f.left = f.store.maxSize
	f.bounded = f.left > 0
	files, err := f.take(parts)
	if err != nil {
		return err
	}
	return h.answerForm(c, folder, files)
}

// reserve sets space aside for the files of a form, of which only the length with
// all that stands around them is known. Where that doesn't fit, they still may.
func reserve(store storage.Store, length int64) (storage.Reservation, error) {
	space, err := store.Reserve(length)
	if errors.Is(err, storage.ErrNoSpace) {
		return store.Reserve(length - formOverhead)
	}
	return space, err
}

// form is one form on its way in.
type form struct {
	handlers *Handlers
	c        *fiber.Ctx
	brake    *brake
	store    permitted
	folder   storage.Name
	space    storage.Reservation
	place    place
	bounded  bool  // by the limit for uploads
	left     int64 // of it, in bytes
	files    []formFile
}

type formFile struct {
	upload   storage.Upload
	transfer *transfer.Transfer
	digests  []storage.Digest // that the part's header names
}

// take receives every file and publishes them, or leaves nothing.
func (f *form) take(parts *multipart.Reader) (files []stored, err error) {
	defer func() {
		for _, file := range f.files {
			f.handlers.abort(file.upload)
			end(file.transfer, file.upload.Stages(), fiber.StatusOK, err)
		}
	}()
	err = f.handlers.Guard(func() error {
		if err := f.receive(parts); err != nil {
			return err
		}
		files, err = f.publish()
		return err
	})
	return files, err
}

func (f *form) publish() (files []stored, err error) {
	if len(f.files) == 0 {
		return nil, errNoFile
	}
	for _, file := range f.files {
		file.transfer.SetPhase(transfer.PhasePublishing)
		p, err := file.upload.Publish(f.handlers.opts.Context)
		if err != nil {
			return nil, err
		}
		files = append(files, newStored(f.handlers.links(f.c), p.Info, file.digests))
	}
	return files, nil
}

// receive takes in all files of the form. Other fields are passed over: Next
// skips what isn't read.
func (f *form) receive(parts *multipart.Reader) error {
	for {
		part, err := parts.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		// A file input in which nobody chose a file has an empty name.
		if !part.IsFile() || part.FileName() == "" {
			continue
		}
		if err := f.receiveFile(part); err != nil {
			return err
		}
	}
}

func (f *form) receiveFile(part *multipart.Part) error {
	h := f.handlers
	base, err := storage.ParseFileName(part.FileName())
	if err != nil {
		return err
	}
	name, err := f.folder.Join(base)
	if err != nil {
		return err
	}
	if err := f.store.Check(name, nil); err != nil {
		return err
	}
	digests, err := partDigests(part)
	if err != nil {
		return err
	}
	if err := h.ask(f.c, transfer.ProtocolForm, name, storage.UnknownSize, nil); err != nil {
		return err
	}
	spec := storage.UploadSpec{Name: name, Size: storage.UnknownSize, Within: f.space, Digests: digests}
	up, err := f.store.Create(h.origin(f.c, transfer.ProtocolForm), spec)
	if err != nil {
		return err
	}
	t := h.begin(f.c, transfer.Upload, transfer.ProtocolForm, name, storage.UnknownSize, f.brake)
	f.files = append(f.files, formFile{up, t, digests})
	n, err := up.Receive(h.opts.Context, h.meter(f.limit(part), t, f.place))
	f.left = max(f.left-n, 0)
	t.SetPhase(transfer.PhaseWaiting)
	return err
}

// partDigests are the digests that a part's header names for its content,
// which has to stand there as it is.
func partDigests(part *multipart.Part) ([]storage.Digest, error) {
	if err := checkCoding(strings.Join(part.Header.Values(fiber.HeaderContentEncoding), ",")); err != nil {
		return nil, err
	}
	if err := checkTransferEncoding(part.Header.Get("Content-Transfer-Encoding")); err != nil {
		return nil, err
	}
	return expectedDigests(part.Header.Values)
}

// limit bounds the form's files taken together.
func (f *form) limit(src io.Reader) io.Reader {
	if !f.bounded {
		return src
	}
	return &limited{src, f.left}
}

// answerForm lists the stored files, in the form's order. A page without
// scripts is led back to the folder, or shown them where that is not to be seen.
func (h *Handlers) answerForm(c *fiber.Ctx, folder storage.Name, files []stored) error {
	switch {
	case !wantsPage(c):
	case caller(c).Scopes.Has(auth.List):
		return c.Redirect(h.links(c).origin+h.links(c).entry(storage.Info{Name: folder, Folder: true}), fiber.StatusSeeOther)
	default:
		return h.sendPage(c, web.View{Folder: folder.String(), URL: h.links(c).folder(folder), Drops: true, Sent: sentOf(files)})
	}
	return c.JSON(struct {
		// URL is the first file's, where upload widgets look for it.
		URL   string   `json:"url"`
		Files []stored `json:"files"`
	}{files[0].URL, files})
}

// abort gives an upload up. Its error is for the log: the client's answer is
// already decided.
func (h *Handlers) abort(up storage.Upload) {
	if err := up.Abort(); err != nil && !errors.Is(err, storage.ErrNotFound) {
		h.opts.Log.Error("abort upload", zap.Error(err))
	}
}

// sentOf is what has been stored, in words.
func sentOf(files []stored) []web.Entry {
	sent := make([]web.Entry, len(files))
	for i, f := range files {
		sent[i] = web.Entry{Name: f.Name, Size: humanize.IBytes(uint64(f.Size))}
	}
	return sent
}
