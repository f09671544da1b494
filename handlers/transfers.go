package handlers

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/gofiber/fiber/v2"

	"sluice/internal/auth"
	"sluice/internal/transfer"
	"sluice/storage"
)

// maxRunning bounds the running transfers of a list.
const maxRunning = 1000

// transferList is what is told of transfers: of all of them for Admin, and else
// of the caller's own.
type transferList struct {
	Running []transfer.Snapshot `json:"running"`          // oldest first
	More    int                 `json:"more"`             // that run, and are not in the list
	Recent  []transfer.Record   `json:"recent"`           // that have ended, newest first
	Totals  []transfer.Counts   `json:"totals,omitempty"` // since the start, for Admin
	// Draining tells that no upload begins.
	Draining bool `json:"draining"`
}

func (h *Handlers) transferList(who auth.Identity) transferList {
	transfers := h.opts.Transfers
	list := transferList{Running: transfers.Running(), Recent: transfers.Recent(), Draining: h.Draining()}
	if who.Scopes.Has(auth.Admin) {
		list.Totals = transfers.Totals()
	} else {
		foreign := func(s transfer.Snapshot) bool { return !mayFollow(who, s) }
		list.Running = slices.DeleteFunc(list.Running, foreign)
		list.Recent = slices.DeleteFunc(list.Recent, func(r transfer.Record) bool { return foreign(r.Snapshot) })
	}
	if n := len(list.Running); n > maxRunning {
		list.Running, list.More = list.Running[:maxRunning], n-maxRunning
	}
	return list
}

// mayFollow reports whether a transfer is the caller's business.
func mayFollow(who auth.Identity, s transfer.Snapshot) bool {
	return who.Scopes.Has(auth.Admin) || !who.IsAnonymous() && who.Owns(s.User)
}

func (h *Handlers) listTransfers(i inquiry) (reply, error) { return jsonReply(h.transferList(i.who)) }

func (h *Handlers) streamTransfers(i inquiry) (reply, error) {
	f, err := h.newFeed("transfers", func() ([]byte, error) { return json.Marshal(h.transferList(i.who)) }, i.gone)
	return reply{status: http.StatusOK, kind: "text/event-stream", stream: f}, err
}

// stopTransfer ends a running transfer. Of an upload nothing is left but what
// tus resumes; one that is being published already is finished.
func (h *Handlers) stopTransfer(i inquiry) (reply, error) {
	t := h.opts.Transfers.Find(i.id)
	if t == nil || !mayFollow(i.who, t.Snapshot()) {
		return reply{}, storage.ErrNotFound
	}
	t.Stop()
	return accepted, nil
}

// Transfers lists the transfers that run and those that have ended lately.
func (h *Handlers) Transfers(c *fiber.Ctx) error { return h.operate(c, h.listTransfers) }

// TransferStream tells the same once a second, as server-sent events.
func (h *Handlers) TransferStream(c *fiber.Ctx) error {
	if !c.Request().Header.IsHTTP11() {
		return errNoChunks
	}
	c.Set("X-Accel-Buffering", "no") // a proxy that knows it passes events on as they come
	return h.operate(c, h.streamTransfers)
}

// StopTransfer ends a running transfer.
func (h *Handlers) StopTransfer(c *fiber.Ctx) error { return h.operate(c, h.stopTransfer) }
