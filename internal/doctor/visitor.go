package doctor

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	// patience bounds an exchange that waits for nothing on purpose.
	patience = 30 * time.Second
	// textLimit is how much of an answer is kept, in bytes.
	textLimit = 64 << 10
)

// visitor makes requests through the proxy and remembers what to remove.
type visitor struct {
	Visit
	http1    *http.Client
	http2    *http.Client // nil where the proxy doesn't speak it
	mark     string       // stands in the names of all that it stores
	lost     bool         // there is no server to examine
	capped   bool         // large bodies don't pass
	buffered bool         // no answer comes before the whole body

	mu     sync.Mutex
	stored map[string]bool // URLs to DELETE
	local  net.Addr        // our end of the last connection
}

func newVisitor(v Visit) (*visitor, error) {
	if v.URL.Scheme != "http" && v.URL.Scheme != "https" || v.URL.Host == "" {
		return nil, fmt.Errorf("%s is no URL of http or https", v.URL)
	}
	if !strings.HasSuffix(v.URL.Path, "/") {
		v.URL = v.URL.JoinPath("/")
	}
	return &visitor{
		Visit:  v,
		http1:  v.client(false),
		http2:  v.client(true),
		mark:   "sluice-doctor-" + strings.ToLower(rand.Text()[:10]),
		stored: make(map[string]bool),
	}, nil
}

// client is a client of one version of HTTP that takes redirects for answers.
func (v Visit) client(http2 bool) *http.Client {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!http2)
	protocols.SetHTTP2(http2)
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		Protocols:           protocols,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: patience,
		DisableCompression:  true,
		// Without it, a body goes out at once, whatever Expect says.
		ExpectContinueTimeout: patience,
		MaxIdleConnsPerHost:   4,
	}
	if v.Connect != "" {
		transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, v.Connect)
		}
	}
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// request is one request of a visitor.
type request struct {
	method string
	url    string // of what is asked for
	fields []string
	body   io.Reader
	length int64 // of the body; -1 if it isn't told
	// into takes the content of a success in place of the answer's text.
	into io.Writer
}

// answer is what came back.
type answer struct {
	status  int
	proto   string
	header  http.Header
	text    []byte
	problem string // the server's own words on what went wrong; empty if it isn't the server's
	asked   bool   // a 100 Continue came before
	tls     *tls.ConnectionState
}

func (a answer) String() string {
	by := "the proxy's own"
	if a.problem != "" {
		by = a.problem
	}
	if a.status < 300 {
		return fmt.Sprintf("status %d", a.status)
	}
	return fmt.Sprintf("status %d (%s)", a.status, by)
}

// success reports whether the answer is a 2xx.
func (a answer) success() bool { return a.status >= 200 && a.status < 300 }

// refused reports whether the server itself has answered with the status.
func (a answer) refused(status int) bool { return a.status == status && a.problem != "" }

// file is the URL of a file of the visitor's.
func (v *visitor) file(name string) string {
	return v.URL.String() + "files/" + url.PathEscape(v.mark+name)
}

// do makes a request. What it may store is removed in the end.
func (v *visitor) do(ctx context.Context, client *http.Client, r request) (answer, error) {
	var a answer
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			v.mu.Lock()
			defer v.mu.Unlock()
			v.local = info.Conn.LocalAddr()
		},
		Got100Continue: func() { a.asked = true },
	})
	req, err := http.NewRequestWithContext(ctx, r.method, r.url, r.body)
	if err != nil {
		return answer{}, err
	}
	if r.body != nil {
		req.ContentLength = r.length
	}
	for _, field := range append(append([]string(nil), v.Fields...), r.fields...) {
		name, value, _ := strings.Cut(field, ":")
		req.Header.Set(name, strings.TrimSpace(value))
	}
	if r.method == http.MethodPut {
		v.remember(r.url)
	}
	response, err := client.Do(req)
	if err != nil {
		return a, plain(err)
	}
	defer response.Body.Close()
	a.status, a.proto, a.header, a.tls = response.StatusCode, response.Proto, response.Header, response.TLS
	if r.into != nil && a.success() {
		_, err = io.Copy(r.into, response.Body)
		return a, plain(err)
	}
	a.text, err = io.ReadAll(io.LimitReader(response.Body, textLimit))
	a.problem = problemOf(response.Header, a.text)
	return a, plain(err)
}

// quick is do with an end to its patience.
func (v *visitor) quick(ctx context.Context, r request) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return v.do(ctx, v.http1, r)
}

// put stores a small file.
func (v *visitor) put(ctx context.Context, url string, content string, fields ...string) (answer, error) {
	return v.quick(ctx, request{method: http.MethodPut, url: url, body: strings.NewReader(content), length: int64(len(content)), fields: fields})
}

// get asks for a file or anything else.
func (v *visitor) get(ctx context.Context, url string, fields ...string) (answer, error) {
	return v.quick(ctx, request{method: http.MethodGet, url: url, fields: fields})
}

func (v *visitor) remember(url string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.stored[url] = true
}

// leave removes all that was stored.
func (v *visitor) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for url := range v.stored {
		var fields []string
		if strings.HasPrefix(url, v.URL.String()+"tus/") {
			fields = []string{tusVersion}
		}
		_, _ = v.do(ctx, v.http1, request{method: http.MethodDelete, url: url, fields: fields}) // it may never have been there
	}
	v.http1.CloseIdleConnections()
	if v.http2 != nil {
		v.http2.CloseIdleConnections()
	}
}

// resolve makes what an answer tells of an address a whole URL.
func (v *visitor) resolve(location string) (*url.URL, error) {
	at, err := url.Parse(location)
	if err != nil {
		return nil, err
	}
	return v.URL.ResolveReference(at), nil
}

// problemOf is the detail of a problem of the server's (RFC 9457), or empty.
func problemOf(header http.Header, text []byte) string {
	var p struct {
		Detail string `json:"detail"`
		Title  string `json:"title"`
	}
	if header.Get("Content-Type") != "application/problem+json" || json.Unmarshal(text, &p) != nil {
		return ""
	}
	if p.Detail == "" {
		return p.Title
	}
	return p.Detail
}

// plain takes the method and the URL off an error: the finding says what was done.
func plain(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}
