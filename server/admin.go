package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/pprof"
	"time"
)

// admin is the operators' listener. It is net/http: nothing here is on the way
// of a byte, and promhttp and pprof are made for it.
type admin struct {
	listener net.Listener
	server   *http.Server
}

// adminTimeout bounds the head of an operator's request.
const adminTimeout = 10 * time.Second

func newAdmin(ln net.Listener, metrics http.Handler, ready func() bool) *admin {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !ready() {
			say(w, http.StatusServiceUnavailable, "not ready")
			return
		}
		say(w, http.StatusOK, "ready")
	})
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return &admin{ln, &http.Server{Handler: mux, ReadHeaderTimeout: adminTimeout}}
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
func (a *admin) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := a.server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = a.server.Close()
	}
	return err
}
