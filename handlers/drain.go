package handlers

import (
	"errors"

	"go.uber.org/zap"

	"sluice/internal/transfer"
)

// errDraining: an operator lets uploads end and none begin. It passes.
var errDraining = errors.New("uploads are paused")

// drainingType names errDraining's problem (RFC 9457 section 3.1.1), for clients
// that want to wait longer than for others.
const drainingType = "tag:sluice,2026:draining"

// Draining reports whether uploads are paused. What runs goes on.
func (h *Handlers) Draining() bool { return h.draining.Load() }

// checkDrain refuses what would begin an upload, or go on with one.
func (h *Handlers) checkDrain() error {
	if h.Draining() {
		return errDraining
	}
	return nil
}

// drainState is what operators are told of a drain.
type drainState struct {
	Draining bool `json:"draining"`
	// Uploads are those that still run.
	Uploads int64 `json:"uploads"`
}

func (h *Handlers) drainState(inquiry) (reply, error) {
	state := drainState{Draining: h.Draining()}
	for _, counts := range h.opts.Transfers.Totals() {
		if counts.Direction == transfer.Upload {
			state.Uploads += counts.InFlight
		}
	}
	return jsonReply(state)
}

// drain begins or ends a drain.
func (h *Handlers) drain(on bool) operation {
	return func(i inquiry) (reply, error) {
		if h.draining.Swap(on) != on {
			h.opts.Log.Info("drain", zap.Bool("draining", on), zap.String("user", i.who.Name))
		}
		return h.drainState(i)
	}
}
