package handlers

import (
	"fmt"
	"runtime/debug"

	"go.uber.org/zap"
)

// Guard runs work. A panic of it is a fault of ours like any other: it is logged
// with its stack and returned as an error, so that whatever work has begun is
// ended in the usual way.
func (h *Handlers) Guard(work func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			h.opts.Log.Error("panic", zap.Any("cause", cause), zap.ByteString("stack", debug.Stack()))
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	return work()
}
