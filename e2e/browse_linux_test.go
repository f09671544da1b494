package e2e_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"testing"
)

// site serves a page that uploads, and the server at addr beside it: to a
// browser both are one origin.
func site(t testing.TB, addr string) (base string) {
	t.Helper()
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: addr})
	// As if the browser had met the server itself.
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	mux := http.NewServeMux()
	mux.Handle("/clients/", http.StripPrefix("/clients/", http.FileServer(http.Dir("clients"))))
	mux.Handle("/tus/", proxy)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// browse uploads a file with tus-js-client in Chromium.
func browse(t testing.TB, base, file, filename string, args ...string) ([]exchange, error) {
	t.Helper()
	path, err := tool("chromium")
	if err != nil {
		t.Fatal(err)
	}
	return runNode(t, append([]string{"clients/browse.mjs", "--browser", path, "--page", base + "/clients/page.html",
		"--endpoint", base + "/tus/", "--file", file, "--filename", filename}, args...)...)
}

func TestTusInChromium(t *testing.T) {
	t.Parallel()
	path := content(t, 20*mib+1)
	s := start(t)
	base := site(t, s.addr)
	for _, test := range []struct {
		name           string
		args           []string
		posts, patches int
	}{
		{"one PATCH", nil, 1, 1},
		{"chunks", []string{"--chunk-size", chunkSize}, 1, 3},
		{"parallel", []string{"--parallel", "4"}, 5, 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, filename := s.in(t), "из браузера "+test.name+".bin"
			exchanges, err := browse(t, base, path, filename, test.args...)
			if err != nil {
				t.Fatal(err)
			}
			if count(exchanges, "POST") != test.posts || count(exchanges, "PATCH") != test.patches {
				t.Errorf("exchanges %+v, want %d POST and %d PATCH", exchanges, test.posts, test.patches)
			}
			sameFile(t, s.file(filename), path)
		})
	}
	t.Run("nothing", func(t *testing.T) {
		if _, err := browse(t, base, write(t, "empty", nil), "empty"); err != nil {
			t.Fatal(err)
		}
		sameFile(t, s.file("empty"), filepath.Join("/dev", "null"))
	})
}
