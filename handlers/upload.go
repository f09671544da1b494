package handlers

import (
	"context"
	"io"

	"github.com/gofiber/fiber/v2"

	"sluice/internal/transfer"
	"sluice/storage"
)

// CheckPut refuses what can be refused from the head of a PUT.
func (h *Handlers) CheckPut(c *fiber.Ctx) error {
	if err := h.checkDrain(); err != nil {
		return err
	}
	name, err := h.fileNameOf(c)
	if err != nil {
		return err
	}
	// A piece must never replace the whole (RFC 9110 section 14.5).
	if c.Get(fiber.HeaderContentRange) != "" {
		return errPartialPut
	}
	if err := requestCoding(c); err != nil {
		return err
	}
	if _, err := putDigests(c); err != nil {
		return err
	}
	if err := h.crowd.check(h.clientOf(c)); err != nil {
		return err
	}
	if err := h.store(c).Check(name, putCondition(c)); err != nil {
		return err
	}
	size := declaredLength(c.Context())
	if err := h.store(c).CheckSpace(size); err != nil {
		return err
	}
	return h.ask(c, transfer.ProtocolPUT, name, size, nil)
}

// Put stores the request's body under the name in the path (RFC 9110
// section 9.3.4): 201 for a new file, 200 for one that replaced another.
func (h *Handlers) Put(c *fiber.Ctx) error {
	name, err := h.fileNameOf(c)
	if err != nil {
		return err
	}
	digests, err := putDigests(c)
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
	t := h.begin(c, transfer.Upload, transfer.ProtocolPUT, name, src.declared, &src.brake)
	spec := storage.UploadSpec{Name: name, Size: src.declared, Condition: putCondition(c), Digests: digests}
	var published storage.Published
	var stages storage.Stages
	err = h.Guard(func() (err error) {
		in := h.meter(limit(src, h.maxSize(c)), t, place)
		published, stages, err = h.put(h.origin(c, transfer.ProtocolPUT), t, h.store(c), in, spec)
		return err
	})
	if err != nil {
		end(t, stages, 0, err)
		return err
	}
	status := fiber.StatusCreated
	if published.Replaced {
		status = fiber.StatusOK
	}
	end(t, stages, status, nil)
	links := h.links(c)
	setStored(c, links, published.Info, digests)
	return c.Status(status).JSON(newStored(links, published.Info, digests))
}

func (h *Handlers) put(ctx context.Context, t *transfer.Transfer, store storage.Store, src io.Reader, spec storage.UploadSpec) (storage.Published, storage.Stages, error) {
	up, err := store.Create(ctx, spec)
	if err != nil {
		return storage.Published{}, storage.Stages{}, err
	}
	defer h.abort(up)
	if _, err := up.Receive(ctx, src); err != nil {
		return storage.Published{}, up.Stages(), err
	}
	t.SetPhase(transfer.PhasePublishing)
	published, err := up.Publish(ctx)
	return published, up.Stages(), err
}

// setStored puts into the answer's head where the file is and what it holds.
func setStored(c *fiber.Ctx, l links, info storage.Info, checked []storage.Digest) {
	c.Set(fiber.HeaderLocation, l.url(info))
	c.Set(fiber.HeaderETag, etag(info))
	c.Set(reprDigest, digestField(info, checked))
}
