package handlers

import "time"

// Limits bound what the handlers take and give. They may change while requests
// run: each keeps those that it began with, but for the rates of all transfers
// of a direction together. Any may be 0, for none, but IdleTimeout.
type Limits struct {
	// MaxUploadSize bounds a file in bytes.
	MaxUploadSize int64
	// IdleTimeout ends a transfer that moves no byte for this long, and, with
	// MinRate, one that moves fewer bytes per second over as long.
	IdleTimeout time.Duration
	MinRate     int64
	// UploadExpiry is after how long without a change a resumable upload ends.
	UploadExpiry time.Duration
	// MaxTransfers bounds the requests that move files at a time, in all and
	// for each client.
	MaxTransfers, MaxTransfersPerClient int
	// UploadRate and DownloadRate bound all transfers of a direction together,
	// TransferRate each one, in bytes per second.
	UploadRate, DownloadRate, TransferRate int64
}

func (l *Limits) patience() patience { return patience{l.IdleTimeout, l.MinRate} }

// limits are those in effect. Whoever needs more than one of them asks once.
func (h *Handlers) limits() *Limits { return &h.current.Load().Limits }

// IdleTimeout is the one in effect.
func (h *Handlers) IdleTimeout() time.Duration { return h.limits().IdleTimeout }

// bound is what depends on the limits.
type bound struct {
	Limits
	tus *tusHandler
}

// Prepare makes what other limits need, and returns what puts them into effect.
func (h *Handlers) Prepare(l Limits) (apply func(), err error) {
	tus, err := newTusHandler(h, l)
	if err != nil {
		return nil, err
	}
	return func() {
		h.crowd.resize(l.MaxTransfers, l.MaxTransfersPerClient)
		h.in.limit(l.UploadRate, l.TransferRate)
		h.out.limit(l.DownloadRate, l.TransferRate)
		h.current.Store(&bound{l, tus})
	}, nil
}
