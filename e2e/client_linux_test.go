package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// client is Go's own. It is for many requests, for which starting curl each
// time would take too long.
type client struct {
	base string
	http http.Client
}

// client makes a client of the server, to be used by one goroutine or more.
func (s *server) client() *client {
	transport := &http.Transport{MaxIdleConnsPerHost: 100, TLSClientConfig: trusting()}
	s.t.Cleanup(transport.CloseIdleConnections)
	return &client{s.url(""), http.Client{Transport: transport}}
}

// do sends a request with size bytes of body, or with a chunked one where size
// is negative. Fields are whole lines, as curl takes them.
func (c *client) do(method, path string, body io.Reader, size int64, fields ...string) (answer, error) {
	request, err := http.NewRequest(method, c.base+path, body)
	if err != nil {
		return answer{}, err
	}
	request.ContentLength = size
	for _, field := range fields {
		name, value, _ := strings.Cut(field, ": ")
		request.Header.Set(name, value)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return answer{status: response.StatusCode, header: response.Header, body: text}, err
}

// must is do for requests that have to succeed.
func (c *client) must(method, path string, body io.Reader, size int64, fields ...string) (answer, error) {
	a, err := c.do(method, path, body, size, fields...)
	if err == nil && !a.success() {
		err = refusal{method, path, a}
	}
	return a, err
}

// refusal is an answer that is no success.
type refusal struct {
	method, path string
	answer
}

func (r refusal) Error() string {
	return fmt.Sprintf("%s %s: status %d: %s", r.method, r.path, r.status, r.body)
}

// create makes a tus upload and returns its path.
func (c *client) create(name string, size int64) (path string, err error) {
	a, err := c.must("POST", "/tus/", nil, 0, tusVersion, tusName(name), fmt.Sprintf("Upload-Length: %d", size))
	return a.header.Get("Location"), err
}

// append sends n bytes of a tus upload.
func (c *client) append(path string, offset int64, body io.Reader, n int64) error {
	_, err := c.must("PATCH", path, body, n, tusVersion, tusType, fmt.Sprintf("Upload-Offset: %d", offset))
	return err
}

// offset asks how far a tus upload has come.
func (c *client) offset(path string) (int64, error) {
	a, err := c.must("HEAD", path, nil, 0, tusVersion)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(a.header.Get("Upload-Offset"), 10, 64)
}
