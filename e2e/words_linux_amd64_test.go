package e2e_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// On a 32-bit system all works up to 2 GiB in one request. A longer body is
// refused in plain words, and a longer answer comes in chunks.
func TestThirtyTwoBits(t *testing.T) {
	t.Parallel()
	const small, huge = 1_000_000, 3_000_000_000
	binary, err := build("sluice-386", []string{"CGO_ENABLED=0", "GOARCH=386"})
	if err != nil {
		t.Fatal(err)
	}
	path := content(t, small)
	s := launch(t, []string{binary}, newRoot(t))
	for _, test := range []struct {
		name string
		send func(t *testing.T, s *server, path, name string)
	}{{"put", sendPUT}, {"chunked", sendChunked}, {"form", sendForm}, {"tus", sendTusCurl}} {
		test.send(t, s, path, test.name)
		if err := download(s.fileURL(test.name), path); err != nil {
			t.Error(err)
		}
	}

	for _, request := range []string{
		requestHead("PUT", "/files/more", fmt.Sprintf("Content-Length: %d", huge)),
		requestHead("POST", "/files/", formType, fmt.Sprintf("Content-Length: %d", int64(1)<<32+5)),
	} {
		reply := dial(t, s).send(request).fin().rest()
		if got := reply.statuses(); len(got) != 1 || got[0] != 413 || !strings.Contains(string(reply.raw), `"detail":"The upload is larger`) {
			t.Errorf("%q got %q", request, reply.raw)
		}
	}

	name := strconv.Itoa(huge)
	makeSparse(t, s.file(name), huge)
	if a := curlHead(t, s.fileURL(name)).want(t, 200); a.header.Get("Content-Length") != "" {
		t.Errorf("HEAD: Content-Length %s", a.header.Get("Content-Length"))
	}
	for _, fields := range [][]string{nil, {"Range: bytes=0-"}} {
		head := dial(t, s).send(requestHead("GET", "/files/"+name, fields...)).head()
		if !strings.Contains(string(head.raw), "\r\nTransfer-Encoding: chunked\r\n") || strings.Contains(string(head.raw), "Content-Length") {
			t.Errorf("GET with %q got %q", fields, head.raw)
		}
	}
	checkRange(t, s, name, "-16", huge-16, 16)
	checkRange(t, s, name, "2147483641-2147483656", 1<<31-7, 16)

	upload := s.createTus("large", 1<<31+5)
	s.pretendReceived(upload, 1<<31-5)
	s.patch(upload, 1<<31-5, []byte("0123456789")).want(t, 204)
	checkRange(t, s, "large", "-10", 1<<31-5, 10)
	if got := string(curl(t, "-r", "-10", s.fileURL("large")).want(t, 206).body); got != "0123456789" {
		t.Errorf("the end is %q", got)
	}
}
