package handlers

import (
	"context"
	"errors"
	"iter"

	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"

	"sluice/internal/auth"
	"sluice/storage"
)

// permitted is the store as one caller may use it. All ways in and out meet
// here, and names are checked as they are used, so that none of them reaches
// what the route's own check has missed. It embeds nothing: what the store
// learns to do stays denied until it says here who may.
type permitted struct {
	store storage.Store
	auth  *auth.Authenticator
	log   *zap.Logger
	who   auth.Identity
	// maxSize bounds an upload, in bytes; 0 is no bound.
	maxSize int64
}

var _ storage.Store = permitted{}

// store is the store as the caller may use it. There is no other way to it.
func (h *Handlers) store(c *fiber.Ctx) permitted {
	return permitted{h.all, h.opts.Auth, h.opts.Log, caller(c), h.maxSize(c)}
}

// may fails unless the caller has all of the scopes, and name lies where they
// hold.
func (p permitted) may(scopes auth.Scopes, name storage.Name) error {
	if !p.who.Scopes.Has(scopes) {
		return lacks(p.who)
	}
	return within(p.who, name, scopes)
}

// Check implements storage.Store.
func (p permitted) Check(name storage.Name, condition storage.Condition) error {
	if err := p.may(auth.Write, name); err != nil {
		return err
	}
	return p.store.Check(name, condition)
}

// CheckSpace implements storage.Store, and refuses what is too large.
func (p permitted) CheckSpace(size int64) error {
	if p.tooLarge(size) {
		return ErrTooLarge
	}
	return p.store.CheckSpace(size)
}

func (p permitted) tooLarge(size int64) bool { return p.maxSize > 0 && size > p.maxSize }

// Reserve implements storage.Store.
func (p permitted) Reserve(size int64) (storage.Reservation, error) {
	if err := p.mayWrite(); err != nil {
		return nil, err
	}
	return p.store.Reserve(size)
}

// mayWrite fails unless the caller may write, wherever that is.
func (p permitted) mayWrite() error {
	if !p.who.Scopes.Has(auth.Write) {
		return lacks(p.who)
	}
	return nil
}

// Create implements storage.Store.
func (p permitted) Create(ctx context.Context, spec storage.UploadSpec) (storage.Upload, error) {
	if err := p.may(auth.Write, spec.Name); err != nil {
		return nil, err
	}
	if p.tooLarge(spec.Size) {
		return nil, ErrTooLarge
	}
	undo, err := p.begun()
	if err != nil {
		return nil, err
	}
	up, err := p.store.Create(ctx, spec)
	if err != nil {
		undo()
		return nil, err
	}
	return &countedUpload{Upload: up, undo: undo}, nil
}

// Open implements storage.Store. Who may not list learns of no folder, who may
// not read has a file refused that they can see.
func (p permitted) Open(ctx context.Context, name storage.Name) (storage.Object, error) {
	if !p.who.Scopes.HasAny(auth.Read | auth.List) {
		return nil, lacks(p.who)
	}
	if err := within(p.who, name, auth.Read); err != nil {
		return nil, err
	}
	object, err := p.store.Open(ctx, name)
	switch {
	case errors.Is(err, storage.ErrIsFolder) && !p.who.Scopes.Has(auth.List):
		return nil, errors.Join(storage.ErrNotFound, lacks(p.who))
	case err == nil && !p.who.Scopes.Has(auth.Read):
		return nil, errors.Join(lacks(p.who), object.Close())
	}
	return object, err
}

// List implements storage.Store.
func (p permitted) List(ctx context.Context, folder storage.Name, limit int) ([]storage.Info, bool, error) {
	if err := p.may(auth.List, folder); err != nil {
		return nil, false, err
	}
	return p.store.List(ctx, folder, limit)
}

// Walk implements storage.Store.
func (p permitted) Walk(ctx context.Context, folder storage.Name) iter.Seq2[storage.Info, error] {
	if err := p.may(auth.List|auth.Read, folder); err != nil {
		return func(yield func(storage.Info, error) bool) { yield(storage.Info{}, err) }
	}
	return p.store.Walk(ctx, folder)
}

// Remove implements storage.Store.
func (p permitted) Remove(ctx context.Context, name storage.Name) error {
	if err := p.may(auth.Delete, name); err != nil {
		return err
	}
	return p.store.Remove(ctx, name)
}

// MakeFolder implements storage.Store.
func (p permitted) MakeFolder(ctx context.Context, name storage.Name) error {
	if err := p.may(auth.Write, name); err != nil {
		return err
	}
	return p.store.MakeFolder(ctx, name)
}

// Rename implements storage.Store. It takes away from one place and writes to
// another.
func (p permitted) Rename(ctx context.Context, from, to storage.Name, replace bool) (bool, error) {
	for _, name := range []storage.Name{from, to} {
		if err := p.may(auth.Write|auth.Delete, name); err != nil {
			return false, err
		}
	}
	return p.store.Rename(ctx, from, to, replace)
}

// CreateResumable implements storage.Store. The upload is the caller's, and so
// have its parts to be.
func (p permitted) CreateResumable(ctx context.Context, spec storage.ResumableSpec) (storage.Resumable, error) {
	if err := p.mayWrite(); err != nil {
		return nil, err
	}
	if !spec.Part {
		if err := within(p.who, spec.Name, auth.Write); err != nil {
			return nil, err
		}
	}
	if p.tooLarge(spec.Size) {
		return nil, ErrTooLarge
	}
	for _, id := range spec.Parts {
		if _, err := p.Resume(ctx, id); err != nil {
			return nil, err
		}
	}
	spec.Owner = p.who.Name
	if spec.Part {
		return p.store.CreateResumable(ctx, spec) // what it is joined into counts
	}
	undo, err := p.begun()
	if err != nil {
		return nil, err
	}
	r, err := p.store.CreateResumable(ctx, spec)
	if err != nil {
		undo()
		return nil, err
	}
	return countedResumable{r, p}, nil
}

// Resume implements storage.Store. Uploads of others aren't there, but for Admin.
func (p permitted) Resume(ctx context.Context, id string) (storage.Resumable, error) {
	if !p.who.Scopes.HasAny(auth.Read | auth.Write) {
		return nil, lacks(p.who)
	}
	r, err := p.store.Resume(ctx, id)
	if err != nil {
		return nil, err
	}
	info := r.Info()
	if !p.who.Owns(info.Owner) && !p.who.Scopes.Has(auth.Admin) {
		return nil, errors.Join(storage.ErrNotFound, errForbidden)
	}
	if !info.Part {
		if err := within(p.who, info.Name, auth.Read); err != nil {
			return nil, err
		}
	}
	return countedResumable{r, p}, nil
}
