package handlers

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"io"

	"github.com/gofiber/fiber/v2"

	"sluice/internal/hooks"
	"sluice/internal/transfer"
	"sluice/storage"
)

// watched is a store that tells a webhook what becomes of uploads. Here all
// protocols meet, and what is told is what has happened on the disk. Parts are
// not told of, but what they are joined into.
type watched struct {
	storage.Store
	webhook *hooks.Webhook
}

// watch returns the store itself where nobody is to be told.
func watch(store storage.Store, webhook *hooks.Webhook) storage.Store {
	if webhook == nil {
		return store
	}
	return watched{store, webhook}
}

// origin is where an upload comes from. It reaches the store in a context.
type origin struct {
	protocol                transfer.Protocol
	client, user, requestID string
	links                   links
}

type originKey struct{}

// origin is the server's own context with where the request comes from.
func (h *Handlers) origin(c *fiber.Ctx, p transfer.Protocol) context.Context {
	if h.opts.Webhook == nil {
		return h.opts.Context // nobody asks where it comes from
	}
	return context.WithValue(h.opts.Context, originKey{}, h.originOf(c, p))
}

// detach is the server's own context with the origin that is known to ctx.
func (h *Handlers) detach(ctx context.Context) context.Context {
	return context.WithValue(h.opts.Context, originKey{}, ctx.Value(originKey{}))
}

func (h *Handlers) originOf(c *fiber.Ctx, p transfer.Protocol) origin {
	return origin{p, h.clientOf(c), caller(c).Name, RequestID(c), h.links(c)}
}

func originIn(ctx context.Context) origin {
	from, _ := ctx.Value(originKey{}).(origin)
	return from
}

// upload begins the description of an upload.
func (o origin) upload(id string, name storage.Name, size int64) hooks.Upload {
	return hooks.Upload{
		ID: id, Protocol: string(o.protocol), Name: name.String(), Size: hooks.Size(size),
		Client: o.client, User: o.user, RequestID: o.requestID,
	}
}

func (o origin) resumable(info storage.ResumableInfo) hooks.Upload {
	u := o.upload(info.ID, info.Name, info.Size)
	u.Metadata, u.Resumable = info.Metadata, true
	return u
}

// withFile adds the file that an upload has become.
func (o origin) withFile(u hooks.Upload, info storage.Info, checked []storage.Digest) hooks.Upload {
	u.Name, u.Size = info.Name.String(), hooks.Size(info.Size)
	u.URL, u.Digest = o.links.url(info), digestField(info, checked)
	return u
}

// Create implements storage.Store.
func (s watched) Create(ctx context.Context, spec storage.UploadSpec) (storage.Upload, error) {
	up, err := s.Store.Create(ctx, spec)
	if err != nil {
		return nil, err
	}
	var id [16]byte
	rand.Read(id[:]) // never fails
	from := originIn(ctx)
	told := from.upload(hex.EncodeToString(id[:]), spec.Name, spec.Size)
	s.webhook.Tell(hooks.Created, told)
	return &watchedUpload{Upload: up, webhook: s.webhook, origin: from, told: told, digests: spec.Digests}, nil
}

// watchedUpload is a one-shot upload that is told of.
type watchedUpload struct {
	storage.Upload
	webhook *hooks.Webhook
	origin  origin
	told    hooks.Upload
	digests []storage.Digest
	ended   bool
}

// Receive implements storage.Upload.
func (u *watchedUpload) Receive(ctx context.Context, src io.Reader) (n int64, err error) {
	u.told.Received, err = u.Upload.Receive(ctx, src)
	return u.told.Received, err
}

// Publish implements storage.Upload.
func (u *watchedUpload) Publish(ctx context.Context) (storage.Published, error) {
	published, err := u.Upload.Publish(ctx)
	if err == nil {
		u.ended, u.told.Received = true, 0
		u.webhook.Tell(hooks.Finished, u.origin.withFile(u.told, published.Info, u.digests))
	}
	return published, err
}

// Abort implements storage.Upload.
func (u *watchedUpload) Abort() error {
	if !u.ended {
		u.ended = true
		u.webhook.Tell(hooks.Terminated, u.told)
	}
	return u.Upload.Abort()
}

// CreateResumable implements storage.Store.
func (s watched) CreateResumable(ctx context.Context, spec storage.ResumableSpec) (storage.Resumable, error) {
	r, err := s.Store.CreateResumable(ctx, spec)
	if err != nil {
		return nil, err
	}
	from := originIn(ctx)
	// Parts may lead to an upload that there was before.
	if info := r.Info(); !info.Part && !info.Finished {
		s.webhook.Tell(hooks.Created, from.resumable(info))
	}
	return &watchedResumable{r, s.webhook, from}, nil
}

// Resume implements storage.Store.
func (s watched) Resume(ctx context.Context, id string) (storage.Resumable, error) {
	r, err := s.Store.Resume(ctx, id)
	if err != nil {
		return nil, err
	}
	return &watchedResumable{r, s.webhook, originIn(ctx)}, nil
}

// watchedResumable is a resumable upload that is told of.
type watchedResumable struct {
	storage.Resumable
	webhook *hooks.Webhook
	origin  origin
}

// Finish implements storage.Resumable.
func (r *watchedResumable) Finish(ctx context.Context) (storage.Published, error) {
	return r.publish(ctx, r.Resumable.Finish)
}

// Join implements storage.Resumable.
func (r *watchedResumable) Join(ctx context.Context) (storage.Published, error) {
	return r.publish(ctx, r.Resumable.Join)
}

func (r *watchedResumable) publish(ctx context.Context, by func(context.Context) (storage.Published, error)) (storage.Published, error) {
	before := r.Info()
	published, err := by(ctx)
	if err == nil && !before.Finished {
		r.webhook.Tell(hooks.Finished, r.origin.withFile(r.origin.resumable(before), published.Info, nil))
	}
	return published, err
}

// Drop implements storage.Resumable.
func (r *watchedResumable) Drop(ctx context.Context) error {
	info := r.Info()
	if err := r.Resumable.Drop(ctx); err != nil {
		return err
	}
	tellDropped(r.webhook, r.origin, info)
	return nil
}

// tellDropped tells of a resumable upload that is no more. The file of a
// finished one still is.
func tellDropped(webhook *hooks.Webhook, from origin, info storage.ResumableInfo) {
	if info.Finished || info.Part {
		return
	}
	u := from.resumable(info)
	u.Received = info.Offset
	webhook.Tell(hooks.Terminated, u)
}

// Expired tells of a resumable upload that the store has dropped by itself, and
// gives back what it counted for.
func (h *Handlers) Expired(info storage.ResumableInfo) {
	if !info.Finished && !info.Part {
		logUndo(h.opts.Log, h.opts.Auth.Unuse(info.Owner))
	}
	if h.opts.Webhook != nil {
		tellDropped(h.opts.Webhook, origin{protocol: transfer.ProtocolTus}, info)
	}
}
