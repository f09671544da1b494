package server

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"sluice/config"
	"sluice/handlers"
	"sluice/internal/metrics"
	"sluice/storage/local"
)

// live is a part of the server whose settings may change while it is at work. It
// looks at new settings and makes what they need, without any effect yet; what it
// returns puts them into effect, and can't fail.
type live func(cfg config.Config) (apply func(), err error)

// reloads are the settings in effect and the parts that take new ones.
type reloads struct {
	settings atomic.Pointer[config.Config]

	mu    sync.Mutex // one reload at a time
	parts []live
	last  atomic.Pointer[metrics.ReloadStats]
}

func (r *reloads) start(cfg config.Config) {
	r.settings.Store(&cfg)
	r.last.Store(&metrics.ReloadStats{Successful: true, SucceededAt: time.Now()})
}

// Settings are those in effect.
func (s *Server) Settings() config.Config { return *s.reloads.settings.Load() }

// onReload adds a part, before the server serves.
func (s *Server) onReload(part live) { s.reloads.parts = append(s.reloads.parts, part) }

// Reload reads the settings anew and puts those into effect that may change while
// the server runs: all of them, or none and an error. Running transfers go on.
func (s *Server) Reload() (config.Change, error) {
	r := &s.reloads
	r.mu.Lock()
	defer r.mu.Unlock()
	if !s.ready.Load() {
		return config.Change{}, errors.New("the server starts or stops")
	}
	s.notify(daemon.SdNotifyReloading + "\n" + daemon.SdNotifyMonotonicUsec())
	defer s.notify(daemon.SdNotifyReady)

	change, err := r.reload(s.opts.Load)
	if err != nil {
		r.last.Store(&metrics.ReloadStats{SucceededAt: r.last.Load().SucceededAt})
		s.log.Error("settings not reloaded, nothing has changed", zap.Error(err))
		return config.Change{}, err
	}
	r.last.Store(&metrics.ReloadStats{Successful: true, SucceededAt: time.Now()})
	level := zapcore.InfoLevel
	if len(change.Restart) > 0 {
		level = zapcore.WarnLevel
	}
	s.log.Log(level, "settings reloaded", zap.Strings("applied", change.Applied), zap.Strings("needs_restart", change.Restart))
	return change, nil
}

// reload prepares all parts before it touches any.
func (r *reloads) reload(load func() (config.Config, error)) (config.Change, error) {
	next, err := load()
	if err != nil {
		return config.Change{}, err
	}
	merged, change := r.settings.Load().Reload(next)
	var steps []func()
	var faults []error
	for _, part := range r.parts {
		apply, err := part(merged)
		faults = append(faults, err)
		steps = append(steps, apply)
	}
	if err := errors.Join(faults...); err != nil {
		return config.Change{}, err
	}
	r.settings.Store(&merged)
	for _, apply := range steps {
		apply()
	}
	return change, nil
}

// always is a part that takes whatever settings there are.
func always(apply func(cfg config.Config)) live {
	return func(cfg config.Config) (func(), error) {
		return func() { apply(cfg) }, nil
	}
}

// reloadLimits is the part of the limits.
func (s *Server) reloadLimits() {
	s.onReload(func(cfg config.Config) (func(), error) { return s.store.PrepareSpace(spaceBounds(cfg)) })
	s.onReload(func(cfg config.Config) (func(), error) { return s.app.handlers.Prepare(limits(cfg)) })
	s.onReload(always(func(cfg config.Config) { s.public.resize(connections(cfg)) }))
	s.onReload(always(func(config.Config) { s.expiry.wake() }))
}

// reloadLevel is the part of the log's level.
func (s *Server) reloadLevel() {
	s.onReload(func(cfg config.Config) (func(), error) {
		level, err := zapcore.ParseLevel(cfg.LogLevel)
		return func() { s.opts.Level.SetLevel(level) }, err
	})
}

func limits(cfg config.Config) handlers.Limits {
	return handlers.Limits{
		MaxUploadSize:         int64(cfg.MaxUploadSize),
		IdleTimeout:           cfg.IdleTimeout,
		MinRate:               int64(cfg.MinRate),
		UploadExpiry:          cfg.UploadExpiry,
		MaxTransfers:          cfg.MaxTransfers,
		MaxTransfersPerClient: cfg.MaxTransfersPerClient,
		UploadRate:            int64(cfg.UploadRate),
		DownloadRate:          int64(cfg.DownloadRate),
		TransferRate:          int64(cfg.TransferRate),
	}
}

func spaceBounds(cfg config.Config) local.SpaceBounds {
	return local.SpaceBounds{MinFree: int64(cfg.MinFree), Quota: int64(cfg.Quota)}
}

func connections(cfg config.Config) places {
	return places{cfg.MaxConnections, cfg.MaxConnectionsPerClient}
}
