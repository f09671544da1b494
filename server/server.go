// Package server is the composition root: it builds the parts in order, joins
// them, listens, and takes them down in reverse.
//
// It owns what concerns every request alike: the listeners, the route table,
// request ids, which pages and names requests may come by, what is refused from
// a request's head, and the graceful stop. It must not know how a protocol or the
// store works.
package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"go.uber.org/zap"

	"sluice/config"
	"sluice/handlers"
	"sluice/internal/auth"
	"sluice/internal/blocks"
	"sluice/internal/certs"
	"sluice/internal/forwarded"
	"sluice/internal/hooks"
	"sluice/internal/metrics"
	"sluice/internal/tracing"
	"sluice/internal/transfer"
	"sluice/storage/local"
	"sluice/web"
)

// errStopping is the cause that running transfers are ended with once the
// grace is over.
var errStopping = fmt.Errorf("server stops: %w", context.Canceled)

// Options are what a server is made of.
type Options struct {
	Config config.Config
	// Load reads the settings anew, for a reload.
	Load func() (config.Config, error)
	// Hangups asks for one each time that something comes. It may be nil.
	Hangups <-chan os.Signal
	Log     *zap.Logger
	// Level is that of Log.
	Level   zap.AtomicLevel
	Version string
}

// Server is a running server's parts.
type Server struct {
	opts      Options
	log       *zap.Logger
	reloads   reloads
	expiry    expiry
	store     *local.Store
	transfers *transfer.Registry
	auth      *auth.Authenticator
	webhook   *hooks.Webhook  // nil where nobody is told
	veto      *hooks.Veto     // nil where nobody is asked
	tracer    *tracing.Tracer // nil where nobody wants spans
	public    *listener
	app       *app
	admin     *admin        // nil when it is switched off
	certs     *certs.Source // nil without TLS
	redirect  *redirect     // nil when it is switched off
	metrics   *metrics.Metrics
	ready     atomic.Bool
	beginStop func() // ends what would wait for more to happen
	stop      context.CancelCauseFunc
	scripted  bool // the page has its script
}

// Run serves until ctx ends, then lets running transfers finish within the
// shutdown grace.
func Run(ctx context.Context, opts Options) error {
	s, err := New(opts)
	if err != nil {
		return err
	}
	return s.Serve(ctx)
}

// New builds a server that already holds its addresses. Serve has to be called.
func New(opts Options) (_ *Server, err error) {
	s := &Server{opts: opts, log: opts.Log, expiry: newExpiry()}
	cfg := opts.Config
	s.reloads.start(cfg)
	var built closers
	defer func() {
		if err != nil {
			err = errors.Join(err, built.close())
		}
	}()

	pool := blocks.New(int64(cfg.BufferMemory))
	s.metrics = s.observe(pool)
	m := s.metrics
	if s.store, err = local.Open(storeOptions(cfg, pool, m)); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	built.add(s.store.Close)
	if err = s.openHooks(); err != nil {
		return nil, err
	}
	if err = s.openTracing(); err != nil {
		return nil, err
	}
	built.add(func() error { s.closeTracing(); return nil })

	if s.certs, err = openCertificates(cfg, s.log); err != nil {
		return nil, err
	}

	sockets, err := inheritSockets()
	if err != nil {
		return nil, err
	}
	public, err := listenOr(sockets.public, cfg.Listen)
	if err != nil {
		return nil, err
	}
	built.add(public.Close)
	if err = refuseExposed(public.Addr(), cfg); err != nil {
		return nil, err
	}
	if s.public, err = newListener(public, forwarded.Proxies(cfg.TrustedProxies), int(cfg.MaxHeaderSize), s.secure(cfg, m)); err != nil {
		return nil, err
	}
	s.public.resize(connections(cfg))

	if err = s.openAuth(s.public.Addr(), m.ObserveCredential); err != nil {
		return nil, err
	}
	page, err := web.New()
	if err != nil {
		return nil, err
	}
	s.scripted = page.Built()
	base, stop := context.WithCancelCause(context.Background())
	s.stop = stop
	stopping, beginStop := context.WithCancel(context.Background())
	s.beginStop = beginStop
	h, err := handlers.New(handlers.Options{
		Store:        s.store,
		Page:         page,
		Version:      opts.Version,
		OnConflict:   cfg.OnConflict,
		Free:         s.free,
		Transfers:    s.transfers,
		Auth:         s.auth,
		Log:          s.log,
		AccessLog:    cfg.AccessLog,
		Context:      base,
		Stopping:     stopping.Done(),
		Limits:       limits(cfg),
		BasePath:     basePath(cfg),
		Proxies:      forwarded.Proxies(cfg.TrustedProxies),
		AbsoluteURLs: cfg.AbsoluteURLs,
		UserHeader:   cfg.UserHeader,
		IETFUploads:  cfg.IETFUploads,
		Webhook:      s.webhook,
		Veto:         s.veto,
		OnLockWait:   m.ObserveLockWait,
		OnProblem:    m.ObserveRefusal,
	})
	if err != nil {
		return nil, fmt.Errorf("make handlers: %w", err)
	}
	s.app = newApp(cfg, s.log, h, s.public.Addr())
	if cfg.AdminListen != "" || sockets.admin != nil {
		ln, err := listenOr(sockets.admin, cfg.AdminListen)
		if err != nil {
			return nil, fmt.Errorf("admin: %w", err)
		}
		built.add(ln.Close)
		s.admin = newAdmin(ln, m.Handler(), s)
	}
	if err = s.openRedirect(cfg); err != nil {
		return nil, err
	}
	s.reloadLimits()
	s.reloadLevel()
	s.onReload(func(config.Config) (func(), error) { return s.auth.Prepare() })
	s.reloadCertificates()
	return s, nil
}

// basePath is the setting as paths begin with it.
func basePath(cfg config.Config) string { return strings.TrimSuffix(cfg.BasePath, "/") }

func storeOptions(cfg config.Config, pool *blocks.Pool, m *metrics.Metrics) local.Options {
	return local.Options{
		Root:              cfg.Root,
		Blocks:            pool,
		BlockSize:         int(cfg.BlockSize),
		BlocksPerTransfer: cfg.BlocksPerTransfer,
		IO:                local.IO(cfg.IO),
		Send:              local.Send(cfg.Send),
		Durability:        durability(cfg.Durability),
		Conflict:          local.Conflict(cfg.OnConflict),
		Space:             spaceBounds(cfg),
		SyncEvery:         int64(cfg.Durability.Every),
		Observer:          disk{m.Disk()},
	}
}

func durability(d config.Durability) local.Durability {
	if d.Sync {
		return local.DurabilityCommit
	}
	return local.DurabilityNone
}

// free is how many bytes uploads may still take, about.
func (s *Server) free() (bytes int64, known bool) {
	space := s.store.Space()
	bytes = space.Free - int64(s.Settings().MinFree)
	if space.Quota > 0 {
		bytes = min(bytes, space.Quota-space.Used)
	}
	return max(bytes, 0), space.Free >= 0
}

// isReady reports whether the server takes new work: it serves, can store, and no
// operator pauses uploads.
func (s *Server) isReady() bool {
	return s.ready.Load() && s.store.Writable() == nil && !s.app.handlers.Draining()
}

// Addr is the address of the public listener.
func (s *Server) Addr() net.Addr { return s.public.Addr() }

// AdminAddr is the address of the admin listener, nil without one.
func (s *Server) AdminAddr() net.Addr {
	if s.admin == nil {
		return nil
	}
	return s.admin.listener.Addr()
}

// Serve answers requests until ctx ends or a listener fails.
func (s *Server) Serve(ctx context.Context) error {
	failed := make(chan error, 3)
	go func() { failed <- s.app.serve(s.public) }()
	if s.admin != nil {
		go func() { failed <- s.admin.serve() }()
	}
	if s.redirect != nil {
		go func() { failed <- s.redirect.serve() }()
	}
	background, endBackground := context.WithCancel(context.Background())
	defer endBackground()
	go s.expireUploads(background)
	go s.watchCertificates(background)
	if s.webhook != nil {
		s.webhook.Start()
	}
	s.ready.Store(true)
	s.announce()
	s.notify(daemon.SdNotifyReady)

	err := errors.Join(s.untilDone(ctx, failed), s.shutdown())
	s.log.Info("stopped")
	return err
}

// untilDone reloads when asked to, until the server has to stop.
func (s *Server) untilDone(ctx context.Context, failed <-chan error) error {
	for {
		select {
		case <-ctx.Done():
			s.log.Info("stopping", zap.Duration("grace", s.Settings().ShutdownGrace))
			return nil
		case err := <-failed:
			s.log.Error("listener failed", zap.Error(err))
			return err
		case <-s.opts.Hangups:
			_, _ = s.Reload() // it tells in the log
		}
	}
}

func (s *Server) announce() {
	for _, damage := range s.store.Damaged() {
		s.log.Error("damaged upload set aside", zap.String("file", damage.File), zap.Error(damage.Err))
	}
	fields := []zap.Field{
		zap.Stringer("listen", s.Addr()),
		zap.String("root", s.opts.Config.Root),
		zap.Bool("direct_io", s.store.DirectIO()),
		zap.Bool("tls", s.certs != nil),
	}
	if s.admin != nil {
		fields = append(fields, zap.Stringer("admin_listen", s.AdminAddr()))
	}
	if s.redirect != nil {
		fields = append(fields, zap.Stringer("http_redirect_listen", s.redirect.listener.Addr()))
	}
	if s.certs != nil && s.certs.Files != nil {
		s.announceCertificates()
	}
	s.log.Info("serving", fields...)
	if !s.scripted {
		s.log.Info("the page has no script: this program was built without it (make build)")
	}
}

// hardStop is how long connections may take to end once they have been cut.
const hardStop = 5 * time.Second

// shutdown takes the server down in reverse order: no new transfers, running
// ones get the grace and are then cut off.
func (s *Server) shutdown() error {
	s.ready.Store(false)
	s.beginStop()
	s.notify(daemon.SdNotifyStopping)
	grace, cancel := context.WithTimeout(context.Background(), s.Settings().ShutdownGrace)
	defer cancel()
	s.public.closeSilent()
	if s.redirect != nil {
		go func() { _ = s.redirect.close() }() // what it says, it says at once
	}
	err := s.app.shutdown(grace)
	s.stop(errStopping)
	if errors.Is(err, context.DeadlineExceeded) {
		s.log.Warn("grace is over, cutting connections", zap.Int("connections", s.public.closeConns()))
		err = s.public.wait(hardStop)
	}
	s.closeHooks()
	s.closeTracing()
	if s.admin != nil {
		err = errors.Join(err, s.admin.close())
	}
	return errors.Join(err, s.store.Close())
}

// closers undoes what has been built, last first.
type closers []func() error

func (c *closers) add(f func() error) { *c = append(*c, f) }

func (c closers) close() error {
	var errs []error
	for i := len(c) - 1; i >= 0; i-- {
		errs = append(errs, c[i]())
	}
	return errors.Join(errs...)
}

// ignoreClosed drops the error of a listener that was closed on purpose.
func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) || errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
