package e2e_test

import (
	"io"
	"slices"
	"testing"
)

// unreadLimit is what a client can get rid of at most after it was refused: what
// the server reads on, so that the answer arrives, and the buffers in between.
const unreadLimit = 64*mib + 32*mib

// Who may not upload can't make the server read a gigabyte, whatever they show:
// they get their answer, and the connection ends. That is counted by what they
// get rid of, and nothing of it is stored.
func TestRefusedBodyStaysUnread(t *testing.T) {
	t.Parallel()
	const size = 1 << 30
	keys, links := newKeyring(t), linkKeys(t)
	reader, writer := bearer(keys.add("reader", "read,list")), bearer(keys.add("writer", "write", "--prefix", "inbox"))
	s := start(t, "--token-file", keys.path, "--link-key-file", links)
	upload := curl(t, "-X", "POST", "-H", writer, "-H", tusVersion, "-H", "Upload-Length: 1073741824", "-H", "Upload-Concat: partial", s.url("/tus/")).
		want(t, 201).header.Get("Location")
	drop := sign(t, links, "inbox/", "--methods", "GET")
	for _, test := range []struct {
		name, method, path string
		fields             []string
		status             int
	}{
		{"nobody", "PUT", "/files/inbox/x", nil, 401},
		{"wrong", "PUT", "/files/inbox/x", []string{bearer("slc_wrong")}, 401},
		{"reader", "PUT", "/files/inbox/x", []string{reader}, 403},
		{"outside", "PUT", "/files/x", []string{writer}, 403},
		{"link", "PUT", "/files/inbox/x" + drop[len("/files/inbox/"):], nil, 403},
		{"form of nobody", "POST", "/files/inbox/", []string{formType}, 401},
		{"form outside", "POST", "/files/", []string{formType, writer}, 403},
		{"tus of nobody", "POST", "/tus/", []string{tusVersion, tusType, "Upload-Length: 1073741824"}, 401},
		{"tus outside", "POST", "/tus/", []string{tusVersion, tusType, "Upload-Length: 1073741824", tusName("x"), writer}, 403},
		{"piece of another's", "PATCH", upload, []string{tusVersion, tusType, "Upload-Offset: 0", bearer(keys.add("other", "write"))}, 404},
		{"link request", "POST", "/api/v1/links", []string{"Content-Type: application/json"}, 401},
		{"session", "POST", "/api/v1/session", nil, 401},
	} {
		for framing, field := range map[string]string{"length": length(size), "chunks": chunked} {
			t.Run(test.name+", "+framing, func(t *testing.T) {
				t.Parallel()
				p := dial(t, s.in(t)).send(requestHead(test.method, test.path, append(slices.Clone(test.fields), field)...))
				if field == chunked {
					p.send("40000000\r\n")
				}
				sent, _ := io.CopyN(p.conn, endless{}, size) // ends in an error once the server has enough
				if got := p.rest().statuses(); !slices.Equal(got, []int{test.status}) {
					t.Errorf("statuses %v, want %d", got, test.status)
				}
				if sent > unreadLimit {
					t.Errorf("the server took %d bytes", sent)
				}
			})
		}
	}
	t.Cleanup(func() {
		if got := s.stored(); len(got) > 0 {
			t.Errorf("stored: %q", got)
		}
	})
}
