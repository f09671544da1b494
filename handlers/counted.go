package handlers

import (
	"context"

	"go.uber.org/zap"

	"sluice/storage"
)

// counted by the caller's credential, where that bounds how many files may come:
// an upload that comes to nothing is given back.

// begun counts an upload of the caller, and returns what takes that back.
func (p permitted) begun() (undo func(), err error) {
	giveBack, err := p.auth.Use(p.who)
	if err != nil {
		return nil, err
	}
	return func() { logUndo(p.log, giveBack()) }, nil
}

func logUndo(log *zap.Logger, err error) {
	if err != nil {
		log.Error("give use of link back", zap.Error(err))
	}
}

// countedUpload is a one-shot upload.
type countedUpload struct {
	storage.Upload
	undo      func()
	published bool
}

// Publish implements storage.Upload.
func (u *countedUpload) Publish(ctx context.Context) (storage.Published, error) {
	published, err := u.Upload.Publish(ctx)
	u.published = err == nil
	return published, err
}

// Abort implements storage.Upload.
func (u *countedUpload) Abort() error {
	if !u.published {
		u.undo()
	}
	return u.Upload.Abort()
}

// countedResumable is a resumable upload.
type countedResumable struct {
	storage.Resumable
	permitted permitted
}

// Drop implements storage.Resumable.
func (r countedResumable) Drop(ctx context.Context) error {
	info := r.Info()
	err := r.Resumable.Drop(ctx)
	if err == nil && !info.Finished && !info.Part {
		logUndo(r.permitted.log, r.permitted.auth.Unuse(info.Owner))
	}
	return err
}
