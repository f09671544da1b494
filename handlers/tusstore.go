package handlers

import (
	"context"
	"errors"
	"io"

	"github.com/tus/tusd/v2/pkg/handler"

	"sluice/storage"
)

// tusStore fits the storage contract to tusd's DataStore.
type tusStore struct{ handlers *Handlers }

var (
	_ handler.DataStore               = tusStore{}
	_ handler.TerminaterDataStore     = tusStore{}
	_ handler.LengthDeferrerDataStore = tusStore{}
	_ handler.ConcaterDataStore       = tusStore{}
)

func (s tusStore) useIn(composer *handler.StoreComposer) {
	composer.UseCore(s)
	composer.UseTerminater(s)
	composer.UseLengthDeferrer(s)
	composer.UseConcater(s)
}

// NewUpload implements handler.DataStore.
func (s tusStore) NewUpload(ctx context.Context, info handler.FileInfo) (handler.Upload, error) {
	spec := storage.ResumableSpec{
		Size: info.Size, Metadata: info.MetaData, Part: info.IsPartial, Parts: info.PartialUploads,
	}
	if info.SizeIsDeferred {
		spec.Size = storage.UnknownSize
	}
	var err error
	if spec.Name, err = tusName(info.MetaData); err != nil {
		return nil, toTus(ctx, err)
	}
	r, err := tusCallOf(ctx).store.CreateResumable(s.handlers.detach(ctx), spec)
	return s.upload(ctx, r, err)
}

// GetUpload implements handler.DataStore.
func (s tusStore) GetUpload(ctx context.Context, id string) (handler.Upload, error) {
	call := tusCallOf(ctx)
	r, err := s.handlers.resume(s.handlers.detach(ctx), call.store, id)
	if err == nil && !call.drops {
		err = s.complete(r)
	}
	return s.upload(ctx, r, err)
}

// complete finishes an upload of which all has come, but whose last request
// ended before it was published: nobody sends the end again.
func (s tusStore) complete(r storage.Resumable) error {
	info := r.Info()
	if info.Finished || info.Part || info.Offset != info.Size {
		return nil
	}
	_, err := r.Finish(s.handlers.opts.Context)
	return err
}

func (s tusStore) upload(ctx context.Context, r storage.Resumable, err error) (handler.Upload, error) {
	if err != nil {
		return nil, toTus(ctx, err)
	}
	if call := tusCallOf(ctx); call != nil {
		call.resumable = r
	}
	return &tusUpload{s.handlers, r}, nil
}

// AsConcatableUpload implements handler.ConcaterDataStore.
func (tusStore) AsConcatableUpload(u handler.Upload) handler.ConcatableUpload {
	return u.(*tusUpload)
}

// AsTerminatableUpload implements handler.TerminaterDataStore.
func (tusStore) AsTerminatableUpload(u handler.Upload) handler.TerminatableUpload {
	return u.(*tusUpload)
}

// AsLengthDeclarableUpload implements handler.LengthDeferrerDataStore.
func (tusStore) AsLengthDeclarableUpload(u handler.Upload) handler.LengthDeclarableUpload {
	return u.(*tusUpload)
}

// tusUpload is one resumable upload in tusd's terms. The contexts that tusd
// passes end shortly after a request is interrupted; what has arrived is kept
// regardless, so the store gets the server's own.
type tusUpload struct {
	handlers  *Handlers
	resumable storage.Resumable
}

// WriteChunk implements handler.Upload. Src hides how the body ended; the call
// knows.
func (u *tusUpload) WriteChunk(ctx context.Context, offset int64, src io.Reader) (int64, error) {
	var piece storage.Piece
	if call := tusCallOf(ctx); call != nil {
		t, err := call.begin(u.expected(offset))
		if err != nil {
			return 0, toTus(ctx, err)
		}
		call.transfer = t
		src = u.handlers.meter(call.bound(src, offset), t, call.place)
		piece = call.piece
	}
	piece.Offset = offset
	n, err := u.resumable.Append(u.handlers.opts.Context, piece, src)
	if err != nil {
		return n, toTus(ctx, err)
	}
	return n, nil
}

// expected is the upload's name and how many bytes it lacks from offset on.
func (u *tusUpload) expected(offset int64) (storage.Name, int64) {
	info := u.resumable.Info()
	if info.Size == storage.UnknownSize {
		return info.Name, storage.UnknownSize
	}
	return info.Name, info.Size - offset
}

// GetInfo implements handler.Upload.
func (u *tusUpload) GetInfo(context.Context) (handler.FileInfo, error) {
	info := u.resumable.Info()
	return handler.FileInfo{
		ID:             info.ID,
		Size:           max(info.Size, 0),
		SizeIsDeferred: info.Size == storage.UnknownSize,
		Offset:         info.Offset,
		MetaData:       info.Metadata,
		IsPartial:      info.Part,
		IsFinal:        len(info.Parts) > 0,
		PartialUploads: info.Parts,
	}, nil
}

// GetReader implements handler.Upload. Files are downloaded under their names,
// not from here.
func (u *tusUpload) GetReader(context.Context) (io.ReadCloser, error) {
	return nil, errors.ErrUnsupported
}

// FinishUpload implements handler.Upload. A part is only finished together with
// the others.
func (u *tusUpload) FinishUpload(ctx context.Context) error {
	if u.resumable.Info().Part {
		return nil
	}
	tusCallOf(ctx).publishing()
	published, err := u.resumable.Finish(u.handlers.opts.Context)
	return u.finished(ctx, published, err)
}

// ConcatUploads implements handler.ConcatableUpload. The parts are those that
// the upload was created with.
func (u *tusUpload) ConcatUploads(ctx context.Context, _ []handler.Upload) error {
	published, err := u.resumable.Join(u.handlers.opts.Context)
	return u.finished(ctx, published, err)
}

// finished lets the answer tell where the file is.
func (u *tusUpload) finished(ctx context.Context, published storage.Published, err error) error {
	if err != nil {
		return toTus(ctx, err)
	}
	if call := tusCallOf(ctx); call != nil {
		call.published = &published
	}
	return nil
}

// Terminate implements handler.TerminatableUpload.
func (u *tusUpload) Terminate(ctx context.Context) error {
	return toTus(ctx, u.resumable.Drop(u.handlers.opts.Context))
}

// DeclareLength implements handler.LengthDeclarableUpload.
func (u *tusUpload) DeclareLength(ctx context.Context, length int64) error {
	return toTus(ctx, u.resumable.SetSize(u.handlers.opts.Context, length))
}

// toTus gives tusd an answer in place of an error whose text must not leave,
// and keeps the error itself for the log. Nil stays nil.
func toTus(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if call := tusCallOf(ctx); call != nil && call.err == nil {
		call.err = err
	}
	p := problemOf(err)
	return handler.NewError("ERR_STORAGE", p.Detail, p.Status)
}
