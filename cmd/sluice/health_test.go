package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	status := make(chan int, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			t.Errorf("asked for %s", r.URL)
		}
		w.WriteHeader(<-status)
	}))
	addr := strings.TrimPrefix(server.URL, "http://")
	for _, code := range []int{200, 503, 404} {
		status <- code
		got := sluice([]string{"SLUICE_ADMIN_LISTEN=" + addr}, "health")
		if want := min(1, code/300); got.code != want || got.stdout != "" {
			t.Errorf("with status %d the exit code is %d: %s", code, got.code, got.stderr)
		}
	}
	server.Close()
	for _, listen := range []string{addr, "", "127.0.0.1:0"} {
		if got := sluice(nil, "health", "--admin-listen", listen); got.code != 1 || got.stderr == "" {
			t.Errorf("with %q the exit code is %d: %s", listen, got.code, got.stderr)
		}
	}
}

func TestReadyURL(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		"127.0.0.1:9180": "http://127.0.0.1:9180/readyz",
		"0.0.0.0:9180":   "http://127.0.0.1:9180/readyz",
		":9180":          "http://127.0.0.1:9180/readyz",
		"[::]:9180":      "http://[::1]:9180/readyz",
		"10.0.0.7:9180":  "http://10.0.0.7:9180/readyz",
	} {
		if got, err := readyURL(addr); got != want || err != nil {
			t.Errorf("%s gives %s, %v, want %s", addr, got, err, want)
		}
	}
}
