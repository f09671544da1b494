package handlers

import (
	"context"
	"math"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"

	"sluice/internal/transfer"
	"sluice/storage"
)

// oneFile is a store of one file of zeros.
type oneFile struct {
	storage.Store
	info storage.Info
}

func (s oneFile) Open(context.Context, storage.Name) (storage.Object, error) {
	return &zeros{info: s.info, sent: s.info.Size}, nil
}

// ask sends a request for the file of 1000 bytes to handlers.
func ask(t *testing.T, digest storage.Digest, transfers int, method string, head map[string]string) map[string]string {
	t.Helper()
	name, err := storage.ParseName("f.txt")
	if err != nil {
		t.Fatal(err)
	}
	info := storage.Info{Name: name, Size: 1000, ModTime: planModified, Version: "v1", Digest: digest}
	h, err := New(Options{
		Store: oneFile{info: info}, Transfers: transfer.New(transfer.Options{}), Log: zap.NewNop(),
		Context: t.Context(), Limits: Limits{IdleTimeout: time.Minute, MaxTransfers: transfers},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.crowd.join("somebody"); err != nil {
		t.Fatal(err)
	}
	app := fiber.New(fiber.Config{ErrorHandler: h.Fail})
	app.Use(asEverybody)
	app.Add(method, "/files/*", h.Download)
	r := httptest.NewRequest(method, "/files/f.txt", nil)
	for field, value := range head {
		r.Header.Set(field, value)
	}
	answer, err := app.Test(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	got := map[string]string{"status": answer.Status[:3]}
	for field := range answer.Header {
		got[field] = answer.Header.Get(field)
	}
	return got
}

func TestDigests(t *testing.T) {
	t.Parallel()
	digest := storage.NewCRC64NVME(0x0102030405060708)
	const member = "crc64nvme=:AQIDBAUGBwg=:"
	for _, test := range []struct {
		name          string
		digest        storage.Digest
		method        string
		head          map[string]string
		repr, content string
	}{
		{"whole", digest, "GET", nil, member, member},
		{"head", digest, "HEAD", nil, member, ""},
		{"range", digest, "GET", map[string]string{"Range": "bytes=0-4"}, member, ""},
		{"ranges", digest, "GET", map[string]string{"Range": "bytes=0-4,9-9"}, member, ""},
		{"not modified", digest, "GET", map[string]string{"If-None-Match": "*"}, "", ""},
		{"failed", digest, "GET", map[string]string{"If-Match": `"x"`}, "", ""},
		{"not satisfied", digest, "GET", map[string]string{"Range": "bytes=1000-"}, "", ""},
		{"wanted", digest, "GET", map[string]string{"Want-Repr-Digest": "crc64nvme=10", "Want-Content-Digest": "crc64nvme=1"}, member, member},
		{"another wanted", digest, "GET", map[string]string{"Want-Repr-Digest": "sha-256=10"}, member, member},
		{"not wanted", digest, "GET", map[string]string{"Want-Repr-Digest": "sha-256=1, crc64nvme=0", "Want-Content-Digest": "crc64nvme=0"}, "", ""},
		{"not known", storage.Digest{}, "GET", map[string]string{"Want-Repr-Digest": "crc64nvme=10"}, "", ""},
	} {
		got := ask(t, test.digest, 0, test.method, test.head)
		if got["Repr-Digest"] != test.repr || got["Content-Digest"] != test.content {
			t.Errorf("%s: Repr-Digest %q, Content-Digest %q; want %q, %q", test.name, got["Repr-Digest"], got["Content-Digest"], test.repr, test.content)
		}
	}
}

// What describes a file stands in no answer without its content.
func TestRefusalDescribesNoFile(t *testing.T) {
	t.Parallel()
	got := ask(t, storage.NewCRC64NVME(1), 1, "GET", nil)
	if got["status"] != "503" || got["Content-Type"] != "application/problem+json" {
		t.Fatalf("answer is %q, want a 503 of a full server", got)
	}
	for _, field := range []string{"Repr-Digest", "Content-Digest", "Content-Disposition", "Content-Range"} {
		if value, ok := got[field]; ok {
			t.Errorf("%s %q stands in the refusal", field, value)
		}
	}
}

// On a system of 32 bits, large files have no length that fasthttp could tell.
func TestBodyLength(t *testing.T) {
	t.Parallel()
	for _, n := range []int64{0, 1, math.MaxInt32, math.MaxInt32 + 1, 4<<30 + 5, storage.UnknownSize} {
		if got := bodyLength(n); int64(got) != n && (strconv.IntSize == 64 || got != -1) {
			t.Errorf("%d bytes are told as %d", n, got)
		}
	}
}
