package server

import (
	"context"
	"time"

	"go.uber.org/zap"

	"sluice/storage"
)

// Uploads are looked through ten times per expiry, within these bounds.
const (
	expiryShare       = 10
	shortestExpiryGap = time.Second
	longestExpiryGap  = time.Hour
)

// expiry is told when the time after which uploads expire has changed.
type expiry chan struct{}

func newExpiry() expiry { return make(expiry, 1) }

func (e expiry) wake() {
	select {
	case e <- struct{}{}:
	default: // it is about to wake anyhow
	}
}

// expireUploads removes abandoned uploads until ctx ends.
func (s *Server) expireUploads(ctx context.Context) {
	for {
		after := s.Settings().UploadExpiry
		gap := longestExpiryGap
		if after > 0 {
			gap = min(max(after/expiryShare, shortestExpiryGap), longestExpiryGap)
		}
		timer := time.NewTimer(gap)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-s.expiry:
			timer.Stop()
		case now := <-timer.C:
			if after > 0 {
				s.expire(ctx, now.Add(-after))
			}
		}
	}
}

func (s *Server) expire(ctx context.Context, before time.Time) {
	expired, err := s.store.Expire(ctx, before)
	if err != nil {
		s.log.Error("expire uploads", zap.Error(err))
	}
	s.expired(expired)
}

func (s *Server) expired(uploads []storage.ResumableInfo) {
	if len(uploads) == 0 {
		return
	}
	ids := make([]string, len(uploads))
	for i, info := range uploads {
		ids[i] = info.ID
		s.app.handlers.Expired(info)
		if !info.Finished {
			s.metrics.ObserveExpired()
		}
	}
	s.log.Info("uploads expired", zap.Strings("ids", ids))
}
