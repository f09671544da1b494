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

// expireUploads removes abandoned uploads until ctx ends.
func (s *Server) expireUploads(ctx context.Context) {
	expiry := s.cfg.UploadExpiry
	if expiry == 0 {
		return
	}
	ticker := time.NewTicker(min(max(expiry/expiryShare, shortestExpiryGap), longestExpiryGap))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			expired, err := s.store.Expire(ctx, now.Add(-expiry))
			if err != nil {
				s.log.Error("expire uploads", zap.Error(err))
			}
			s.expired(expired)
		}
	}
}

func (s *Server) expired(uploads []storage.ResumableInfo) {
	if len(uploads) == 0 {
		return
	}
	ids := make([]string, len(uploads))
	for i, info := range uploads {
		ids[i] = info.ID
		s.app.handlers.Expired(info)
	}
	s.log.Info("uploads expired", zap.Strings("ids", ids))
}
