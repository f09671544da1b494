package server

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const tusField = "Tus-Resumable: 1.0.0"

// sample is a request of a route.
type sample struct {
	target string
	fields []string
	body   string
}

const formBody = "--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"g\"\r\n\r\ntext\r\n--x--\r\n"

// samples make the request of each route that isn't about nothing but its path.
// Every one is a success for whoever may do everything.
func (w *world) sample(route string, who caller) sample {
	w.t.Helper()
	_, path, _ := strings.Cut(route, " ")
	switch route {
	case "GET /files/*", "HEAD /files/*":
		return sample{target: "/files/in/f"}
	case "PUT /files/*":
		return sample{fmt.Sprintf("/files/in/put-%d", w.cells.Load()), nil, "text"}
	case "POST /files/*":
		return sample{"/files/in/", []string{"Content-Type: multipart/form-data; boundary=x"}, formBody}
	case "DELETE /files/*":
		name := fmt.Sprintf("in/gone-%d", w.cells.Load())
		w.must(os.WriteFile(filepath.Join(w.root, name), nil, 0o600))
		return sample{target: "/files/" + name}
	case "MKCOL /files/*":
		return sample{target: fmt.Sprintf("/files/in/made-%d", w.cells.Load())}
	case "MOVE /files/*":
		name := fmt.Sprintf("in/moved-%d", w.cells.Load())
		w.must(os.WriteFile(filepath.Join(w.root, name), nil, 0o600))
		return sample{target: "/files/" + name, fields: []string{"Destination: /files/" + name + "-to"}}
	case "POST /tus/*":
		return sample{"/tus/", []string{tusField, "Upload-Length: 5", "Upload-Metadata: relativePath " + base64.StdEncoding.EncodeToString([]byte("in/tus"))}, ""}
	case "PATCH /tus/*":
		return sample{w.upload(who), []string{tusField, "Upload-Offset: 0", "Content-Type: application/offset+octet-stream"}, "hello"}
	case "HEAD /tus/*", "DELETE /tus/*":
		return sample{target: w.upload(who), fields: []string{tusField}}
	case "GET /tus/*":
		target := w.upload(who)
		patch := []string{tusField, "Upload-Offset: 0", "Content-Type: application/offset+octet-stream", "Content-Length: 5"}
		if w.send("PATCH", target, who, patch, "hello").status != 204 {
			w.want(w.send("PATCH", target, w.all(), patch, "hello"), 204)
		}
		return sample{target: target}
	case "OPTIONS /tus/*":
		return sample{target: "/tus/"}
	case "POST /api/v1/links":
		return sample{path, []string{"Content-Type: application/json"}, `{"path": "in/f", "methods": ["GET"], "expires_in": 60}`}
	case "DELETE /api/v1/links/:id":
		return sample{target: "/api/v1/links/0123456789abcdef01234567"}
	}
	return sample{target: strings.ReplaceAll(path, ":id", "none")}
}

// upload makes a tus upload of the caller's own, or of another's where that one
// may not.
func (w *world) upload(who caller) string {
	w.t.Helper()
	s := w.sample("POST /tus/*", who)
	fields := append(s.fields, "Content-Length: 0")
	a := w.send("POST", s.target, who, fields)
	if a.status != 201 {
		a = w.send("POST", s.target, w.all(), fields)
		w.want(a, 201)
	}
	target, _, _ := strings.Cut(a.header.Get("Location"), "?")
	return target
}
