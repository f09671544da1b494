package e2e_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
)

// Clients that can only send POST name the method that they mean; all that goes
// by the method goes by that one.
//
// https://github.com/tus/tus-node-server/issues/38
func TestMethodOverride(t *testing.T) {
	t.Parallel()
	s := start(t)
	upload := s.createTus("f", 10)
	as := func(method, override string, more ...string) answer {
		args := []string{"-X", method, "-H", tusVersion, "-H", "X-HTTP-Method-Override: " + override}
		return curl(t, append(append(args, more...), s.url(upload))...)
	}
	piece := []string{"-H", tusType, "-H", "Upload-Offset: 0", "-d", "hello"}
	for _, override := range []string{"patch", "Delete", "PUT", "GET", "OPTIONS", "BREW", "PATCH, DELETE", "PATCH\t"} {
		if a := as("POST", override, piece...); override != "PATCH\t" { // blanks around are not part of it
			a.wantProblem(t, 400)
		} else {
			a.want(t, 204)
		}
	}
	if got := s.tusOffset(upload); got != "5" {
		t.Fatalf("offset %s", got)
	}
	as("POST", "PATCH", "-H", tusType, "-H", "Upload-Offset: 0", "-d", "hello").wantProblem(t, 409)
	as("POST", "PATCH", "-H", "Content-Type: text/plain", "-H", "Upload-Offset: 5", "-d", "hello").wantProblem(t, 415)
	as("GET", "DELETE").wantProblem(t, 409) // the upload isn't complete
	curl(t, "-X", "POST", "-H", "X-HTTP-Method-Override: DELETE", s.url(upload)).wantProblem(t, 412)
	head := as("POST", "HEAD").want(t, 200)
	if head.header.Get("Upload-Offset") != "5" || head.header.Get("Upload-Length") != "10" || len(head.body) > 0 || head.header.Get("Content-Length") != "0" {
		t.Errorf("HEAD by POST: %v, content %q", head.header, head.body)
	}
	as("POST", "DELETE").want(t, 204)
	curlHead(t, "-H", tusVersion, s.url(upload)).want(t, 404)
}

// Metadata is taken whole or not at all, and comes back as it was sent.
//
// https://github.com/tus/tus-node-server/issues/117
// https://github.com/tus/tus-node-server/issues/687
// https://github.com/tus/TUSKit/issues/147
// https://github.com/tus/tus-js-client/issues/41
func TestOddMetadata(t *testing.T) {
	t.Parallel()
	s := start(t)
	long := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("long "), 820))
	for _, test := range []struct {
		list string
		want map[string]string // nil: refused
		name string            // of the file; empty: the upload's id
	}{
		{"filename ", map[string]string{"filename": ""}, ""},
		{"filename", map[string]string{"filename": ""}, ""},
		{"", map[string]string{}, ""},
		{"filename YQ==, filetype dGV4dA==", map[string]string{"filename": "a", "filetype": "text"}, "a"},
		{",filename YQ==,", map[string]string{"filename": "a"}, "a"},
		{"filename 5Lit5paHLnR4dA==", map[string]string{"filename": "中文.txt"}, "中文.txt"},
		{"filename Li4vLi4vZXZpbA==", map[string]string{"filename": "../../evil"}, "evil"},
		{"filename YQ==,filetype dGV4dC9odG1s", map[string]string{"filename": "a", "filetype": "text/html"}, "a"},
		{"filename YQ==,note YQ0KWC1JbmplY3RlZDogMQ==", map[string]string{"filename": "a", "note": "a\r\nX-Injected: 1"}, "a"},
		{"filename YQ==,note /w==,empty,zero AA==", map[string]string{"filename": "a", "note": "\xff", "empty": "", "zero": "\x00"}, "a"},
		{"filename YQ==,long " + long, map[string]string{"filename": "a", "long": strings.Repeat("long ", 820)}, "a"},
		{"filename %%%", nil, ""},
		{"filename YQ", nil, ""},
		{"filename YQ== YQ==", nil, ""},
		{"filename YQ0KWC1JbmplY3RlZDogMQ==", nil, ""},
		{"filename YQBi", nil, ""},
		{"filename /w==", nil, ""},
		{"filename YQ==,filename Yg==", nil, ""},
		{"filename 8J-YgA==", nil, ""},
		{"имя YQ==", nil, ""},
	} {
		create := []string{"-X", "POST", "-H", tusVersion, "-H", "Upload-Length: 5", "-H", "Upload-Metadata: " + test.list, s.url("/tus/")}
		if test.list == "" {
			create[6] = "Upload-Metadata;"
		}
		a := curl(t, create...)
		if test.want == nil {
			a.wantProblem(t, 400)
			continue
		}
		upload := a.want(t, 201).header.Get("Location")
		head := curlHead(t, "-H", tusVersion, s.url(upload)).want(t, 200).header
		if got := decodeMetadata(t, head.Get("Upload-Metadata")); !maps.Equal(got, test.want) {
			t.Errorf("%q comes back as %q", test.list, got)
		}
		name := test.name
		if name == "" {
			name = strings.TrimPrefix(upload, "/tus/")
		}
		s.patch(upload, 0, []byte("hello")).want(t, 204)
		got := curl(t, s.fileURL(name)).want(t, 200)
		if string(got.body) != "hello" || got.header.Get("X-Injected")+head.Get("X-Injected") != "" || got.header.Get("Content-Type") == "text/html" {
			t.Errorf("%q: %v, %q", test.list, got.header, got.body)
		}
	}
	curl(t, "-X", "POST", "-H", tusVersion, "-H", "Upload-Length: 5", "-H", tusName("a"), "-H", tusName("b"), s.url("/tus/")).wantProblem(t, 400)
}

// decodeMetadata reads an Upload-Metadata field of the server, which has to be
// as the protocol wants it.
func decodeMetadata(t testing.TB, field string) map[string]string {
	t.Helper()
	pairs := map[string]string{}
	for pair := range strings.SplitSeq(field, ",") {
		key, encoded, _ := strings.Cut(pair, " ")
		value, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			t.Errorf("metadata %q: %v", field, err)
		}
		if key != "" {
			pairs[key] = string(value)
		}
	}
	return pairs
}

// Of an empty file no byte ever comes, so it is complete as soon as its length
// is known.
//
// https://github.com/tus/tus-js-client/issues/106
// https://github.com/tomdesair/tus-java-server/issues/73
// https://github.com/tusdotnet/tusdotnet/issues/119
// https://github.com/owncloud/ocis/issues/3599
// https://github.com/seaweedfs/seaweedfs/issues/372
func TestEmptyFiles(t *testing.T) {
	t.Parallel()
	s := start(t)
	done := curl(t, "-X", "POST", "-H", tusVersion, "-H", "Upload-Length: 0", "-H", tusName("tus"), s.url("/tus/")).want(t, 201)
	if got := done.header.Get("Content-Location"); got != "/files/tus" {
		t.Errorf("Content-Location %q", got)
	}
	head := curlHead(t, "-H", tusVersion, s.url(done.header.Get("Location"))).want(t, 200).header
	if head.Get("Upload-Offset") != "0" || head.Get("Upload-Length") != "0" || head.Get("Content-Length") != "0" {
		t.Errorf("HEAD of the upload: %v", head)
	}
	deferred := curl(t, "-X", "POST", "-H", tusVersion, "-H", "Upload-Defer-Length: 1", "-H", tusName("deferred"), s.url("/tus/")).want(t, 201).header.Get("Location")
	if got := curlHead(t, "-H", tusVersion, s.url(deferred)).want(t, 200).header.Get("Upload-Defer-Length"); got != "1" {
		t.Errorf("Upload-Defer-Length %q", got)
	}
	s.patch(deferred, 0, nil, "Upload-Length: 0").want(t, 204)
	curl(t, "-X", "PUT", "-H", "Content-Length: 0", s.fileURL("put")).want(t, 201)
	curlWith(t, strings.NewReader(""), "-X", "PUT", "-H", chunked, "--data-binary", "@-", s.fileURL("chunked")).want(t, 201)
	curl(t, "-F", "file=;filename=form", s.url("/files/")).want(t, 200)
	if _, err := tusUpload(t, s.url("/tus/"), os.DevNull, "client"); err != nil {
		t.Error(err)
	}
	list := string(curl(t, "-H", "Accept: application/json", s.url("/files/")).want(t, 200).body)
	for _, name := range []string{"tus", "deferred", "put", "chunked", "form", "client"} {
		if info, err := os.Stat(s.file(name)); err != nil || info.Size() != 0 {
			t.Errorf("%s: %v, %v", name, info, err)
			continue
		}
		if !strings.Contains(list, `"name":"`+name+`","url":"/files/`+name+`","folder":false,"size":0,`) {
			t.Errorf("%s is not listed: %s", name, list)
		}
		for _, a := range []answer{curl(t, s.fileURL(name)).want(t, 200), curlHead(t, s.fileURL(name)).want(t, 200)} {
			if a.header.Get("Content-Length") != "0" || len(a.body) > 0 {
				t.Errorf("%s: %v, %q", name, a.header, a.body)
			}
		}
		curl(t, "-r", "0-", s.fileURL(name)).wantProblem(t, 416)
	}
	metrics := string(curl(t, "http://"+s.admin+"/metrics").want(t, 200).body)
	for line := range strings.Lines(metrics) {
		if strings.Contains(line, "NaN") || strings.HasSuffix(strings.TrimSpace(line), "Inf") {
			t.Errorf("metrics have %s", line)
		}
	}
}

// What proxies and clients trip over in heads.
//
// https://github.com/tus/tus-node-server/issues/134
// https://github.com/edihasaj/tuspyserver/pull/61
func TestTusHeads(t *testing.T) {
	t.Parallel()
	s := start(t, "--max-upload-size", "1000")
	upload := s.createTus("f", 10)
	for _, version := range []string{"X: y", "Tus-Resumable: 0.2.2"} {
		a := curl(t, "-X", "PATCH", "-H", version, "-H", tusType, "-H", "Upload-Offset: 0", "-d", "hello", s.url(upload))
		a.wantProblem(t, 412)
		if a.header.Get("Tus-Version") != "1.0.0" || a.header.Get("Tus-Resumable") != "1.0.0" {
			t.Errorf("%s: %v", version, a.header)
		}
	}
	curl(t, "-X", "PATCH", "-H", tusVersion, "-H", "Content-Type: application/octet-stream", "-H", "Upload-Offset: 0", "-d", "hello", s.url(upload)).wantProblem(t, 415)
	for what, a := range map[string]answer{
		"PATCH":  s.patch(upload, 0, []byte("hello")).want(t, 204),
		"DELETE": curl(t, "-X", "DELETE", "-H", tusVersion, s.url(s.createTus("g", 10))).want(t, 204),
	} {
		if a.header.Get("Content-Length") != "" || a.header.Get("Transfer-Encoding") != "" || len(a.body) > 0 {
			t.Errorf("%s: a 204 with %v, %q", what, a.header, a.body)
		}
	}
	if got := curlHead(t, "-H", tusVersion, s.url(upload)).want(t, 200).header; got.Get("Cache-Control") != "no-store" || got.Get("Upload-Offset") != "5" {
		t.Errorf("HEAD: %v", got)
	}
	for _, id := range []string{strings.Repeat("0", 32), "none", "a%2fb", ".."} {
		if got := curlHead(t, "-H", tusVersion, s.url("/tus/"+id)).want(t, 404).header; got.Values("Upload-Offset") != nil {
			t.Errorf("HEAD of %s: %v", id, got)
		}
	}
	told := curl(t, "-X", "OPTIONS", s.url("/tus/")).want(t, 200, 204).header
	want := http.Header{"Tus-Version": {"1.0.0"}, "Tus-Max-Size": {"1000"}, "Tus-Resumable": {"1.0.0"}}
	for name := range want {
		if got := told.Get(name); got != want.Get(name) {
			t.Errorf("OPTIONS: %s %q", name, got)
		}
	}
	// The limit holds however late the length is told.
	deferred := []string{"-X", "POST", "-H", tusVersion, "-H", "Upload-Defer-Length: 1", s.url("/tus/")}
	large := strings.Repeat("x", 1001)
	curl(t, append(deferred, "-H", tusType, "-d", large)...).wantProblem(t, 413)
	late := curl(t, deferred...).want(t, 201).header.Get("Location")
	s.patch(late, 0, []byte(large)).wantProblem(t, 413)
	s.patch(late, 0, []byte("x"), "Upload-Length: 1001").wantProblem(t, 413)
	s.patch(late, 0, []byte(large), chunked).wantProblem(t, 413)
}

// Reading what an upload has become waits for nobody, and stops no one.
//
// https://github.com/tus/tusd/issues/208
func TestReadingStopsNoUpload(t *testing.T) {
	t.Parallel()
	s := start(t)
	data := read(t, content(t, 2*mib))
	done := s.createTus("done", len(data))
	s.patch(done, 0, data).want(t, 204)
	upload := s.createTus("running", 10)
	running := dial(t, s)
	running.send(requestHead("PATCH", upload, tusVersion, tusType, "Upload-Offset: 0", length(10)), "hello")
	eventually(t, "the upload runs", func() bool {
		return strings.Contains(string(curl(t, s.url("/api/v1/transfers")).body), `"running"`+`,`)
	})
	// One reads slowly, and others beside it at once.
	slow := dial(t, s)
	slow.send(requestHead("GET", done, "Connection: close"))
	slow.head()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			a, err := runCurl(nil, s.url(done))
			if err != nil || a.status != 200 || !bytes.Equal(a.body, data) {
				t.Errorf("GET beside another: status %d, %d bytes, %v", a.status, len(a.body), err)
			}
		})
	}
	group.Wait()
	for range 4 {
		curl(t, s.url(upload)).wantProblem(t, 409)
	}
	if got := slow.rest().raw; !bytes.Equal(got, data) {
		t.Errorf("the slow reader got %d bytes", len(got))
	}
	if reply := running.send("world").head(); fmt.Sprint(reply.statuses()) != "[204]" {
		t.Errorf("the upload was answered by %q", reply.raw)
	}
}
