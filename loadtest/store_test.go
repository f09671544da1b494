package loadtest_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/crc64nvme"

	"sluice/loadtest"
)

// store is a file server in memory that speaks all that the tester speaks:
// files under /files/, forms posted there, and tus under /tus/.
type store struct {
	// plain makes it say no more than it must: no digests, no JSON, no locations.
	plain      bool
	interrupts int // PATCHes that are ended as if by another one
	// spoil makes it give files with another first byte than it has got, and
	// state no digest.
	spoil bool

	mu       sync.Mutex
	files    map[string][]byte
	uploads  map[string]*upload
	created  int
	received int64    // bytes of files
	requests []string // method and path
}

type upload struct {
	name   string
	length int
	data   []byte
}

// newStore starts a store and returns it with its URL, without a slash at the end.
func newStore(t *testing.T) (*store, string) {
	t.Helper()
	s := &store{files: map[string][]byte{}, uploads: map[string]*upload{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server.URL
}

func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r.Method+" "+r.URL.Path)
	switch {
	case strings.HasPrefix(r.URL.Path, "/tus/"):
		s.serveTus(w, r)
	case r.Method == http.MethodPost:
		s.serveForm(w, r)
	default:
		s.serveFile(w, r)
	}
}

func (s *store) serveFile(w http.ResponseWriter, r *http.Request) {
	data, found := s.files[r.URL.Path]
	switch {
	case r.Method == http.MethodPut:
		s.save(w, r.URL.Path, r.Body)
		w.WriteHeader(http.StatusCreated)
	case !found:
		http.NotFound(w, r)
	case r.Method == http.MethodDelete:
		delete(s.files, r.URL.Path)
		w.WriteHeader(http.StatusNoContent)
	default:
		if s.spoil {
			data = append([]byte{data[0] + 1}, data[1:]...)
		} else {
			s.stateDigest(w, data)
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	}
}

func (s *store) serveForm(w http.ResponseWriter, r *http.Request) {
	parts, err := r.MultipartReader()
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnsupportedMediaType)
		return
	}
	part, err := parts.NextPart()
	if err != nil || part.FormName() != "file" {
		http.Error(w, "no file", http.StatusBadRequest)
		return
	}
	name := path.Join(r.URL.Path, part.FileName())
	data := s.save(w, name, part)
	if _, err := parts.NextPart(); err != io.EOF {
		http.Error(w, "more than one part", http.StatusBadRequest)
		return
	}
	if s.plain {
		_, _ = io.WriteString(w, "<p>thanks</p>")
		return
	}
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(map[string]any{"files": []map[string]any{{
		"name": part.FileName(), "url": name, "size": len(data), "digest": digest(data),
	}}})
}

func (s *store) serveTus(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Tus-Resumable") != "1.0.0" {
		w.WriteHeader(http.StatusPreconditionFailed)
		return
	}
	u := s.uploads[r.URL.Path]
	switch {
	case r.Method == http.MethodPost:
		s.createUpload(w, r)
	case u == nil:
		http.NotFound(w, r)
	case r.Method == http.MethodDelete:
		delete(s.uploads, r.URL.Path)
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodHead:
		w.Header().Set("Upload-Offset", strconv.Itoa(len(u.data)))
	case r.Header.Get("Upload-Offset") != strconv.Itoa(len(u.data)):
		w.WriteHeader(http.StatusConflict)
	case s.interrupts > 0:
		s.interrupts--
		http.Error(w, "upload has been interrupted by another request", http.StatusBadRequest)
	default:
		s.patchUpload(w, r, u)
	}
}

func (s *store) createUpload(w http.ResponseWriter, r *http.Request) {
	u := &upload{length: -1}
	var err error
	concat := r.Header.Get("Upload-Concat")
	if concat != "partial" {
		name, found := strings.CutPrefix(r.Header.Get("Upload-Metadata"), "filename ")
		decoded, decodeErr := base64.StdEncoding.DecodeString(name)
		if !found || decodeErr != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		u.name = "/files/" + string(decoded)
	}
	parts, final := strings.CutPrefix(concat, "final;")
	if !final && r.Header.Get("Upload-Defer-Length") != "1" {
		if u.length, err = strconv.Atoi(r.Header.Get("Upload-Length")); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
	}
	s.created++
	location := fmt.Sprintf("/tus/%d", s.created)
	s.uploads[location] = u
	w.Header().Set("Location", location)
	if final {
		for part := range strings.SplitSeq(parts, " ") {
			at, _ := url.Parse(part)
			u.data = append(u.data, s.uploads[at.Path].data...)
		}
		u.length = len(u.data)
		s.finish(w, location, u)
	}
	w.WriteHeader(http.StatusCreated)
}

// finish makes an upload that is complete a file.
func (s *store) finish(w http.ResponseWriter, location string, u *upload) {
	if len(u.data) != u.length || u.name == "" || s.plain {
		return
	}
	delete(s.uploads, location)
	s.files[u.name] = u.data
	w.Header().Set("Content-Location", u.name)
	s.stateDigest(w, u.data)
}

func (s *store) patchUpload(w http.ResponseWriter, r *http.Request, u *upload) {
	data, _ := io.ReadAll(r.Body)
	u.data = append(u.data, data...)
	s.received += int64(len(data))
	if length := r.Header.Get("Upload-Length"); length != "" {
		u.length, _ = strconv.Atoi(length)
	}
	w.Header().Set("Upload-Offset", strconv.Itoa(len(u.data)))
	s.finish(w, r.URL.Path, u)
	w.WriteHeader(http.StatusNoContent)
}

func (s *store) save(w http.ResponseWriter, name string, body io.Reader) []byte {
	data, err := io.ReadAll(body)
	if err != nil {
		return nil
	}
	s.files[name] = data
	s.received += int64(len(data))
	s.stateDigest(w, data)
	return data
}

func (s *store) stateDigest(w http.ResponseWriter, data []byte) {
	if !s.plain {
		w.Header().Set("Repr-Digest", digest(data))
	}
}

// state returns the number of files and uploads there, and the bytes received.
func (s *store) state() (files, uploads int, received int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.files), len(s.uploads), s.received
}

func digest(data []byte) string {
	return loadtest.FormatDigest(crc64nvme.Checksum(data))
}
