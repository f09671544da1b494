package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/pprof"
	"strings"
	"time"

	"go.uber.org/zap"
)

// admin is the operators' listener. It is net/http: nothing here is on the way
// of a byte, and promhttp and pprof are made for it.
type admin struct {
	listener net.Listener
	server   *http.Server
}

// adminTimeout bounds the head of an operator's request.
const adminTimeout = 10 * time.Second

func newAdmin(ln net.Listener, metrics http.Handler, s *Server) *admin {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		switch {
		case s.app.handlers.Draining():
			say(w, http.StatusServiceUnavailable, "not ready: uploads are paused")
		case !s.isReady():
			say(w, http.StatusServiceUnavailable, "not ready")
		default:
			say(w, http.StatusOK, "ready")
		}
	})
	mux.Handle("/api/", s.app.handlers.Operations())
	mux.HandleFunc("GET /api/v1/config", s.answerConfig)
	mux.HandleFunc("/api/v1/log/level", s.answerLevel)
	mux.HandleFunc("POST /-/reload", s.answerReload)
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	// A page that the operator looks at must neither change nor read anything.
	handler := newHosts(s.opts.Config.AdminListen, nil, ln.Addr()).guard(http.NewCrossOriginProtection().Handler(mux))
	return &admin{ln, &http.Server{Handler: handler, ReadHeaderTimeout: adminTimeout, ErrorLog: zap.NewStdLog(s.log.Named("admin"))}}
}

// answerReload does what SIGHUP does, and tells what came of it.
func (s *Server) answerReload(w http.ResponseWriter, _ *http.Request) {
	change, err := s.Reload()
	if err != nil {
		say(w, http.StatusInternalServerError, "nothing has changed:\n"+err.Error())
		return
	}
	answer := "reloaded\n"
	for _, key := range change.Applied {
		answer += "applied: " + key + "\n"
	}
	for _, key := range change.Restart {
		answer += "needs a restart: " + key + "\n"
	}
	say(w, http.StatusOK, strings.TrimSuffix(answer, "\n"))
}

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n") // the client may have left
}

func (a *admin) serve() error {
	if err := ignoreClosed(a.server.Serve(a.listener)); err != nil {
		return fmt.Errorf("serve admin: %w", err)
	}
	return nil
}

// close lets a running scrape finish.
func (a *admin) close() error { return closeSoon(a.server) }

// closeSoon lets what is being answered finish, for a second.
func closeSoon(server *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	return err
}
