package handlers

import (
	"crypto/rand"
	"io"
	"mime/multipart"
	"net/textproto"

	"github.com/gofiber/fiber/v2"
)

// byteranges is the body that holds several ranges of a content (RFC 9110
// section 14.6).
type byteranges struct {
	boundary string
	kind     string // media type of the content
	size     int64  // of the whole content, in bytes
	ranges   []byteRange
}

func newByteranges(kind string, size int64, ranges []byteRange) byteranges {
	return byteranges{rand.Text(), kind, size, ranges}
}

// contentType is the media type of the body.
func (b byteranges) contentType() string { return "multipart/byteranges; boundary=" + b.boundary }

// length is that of the body, in bytes.
func (b byteranges) length() int64 {
	var n counter
	_ = b.write(&n, func(r byteRange) error { // a counter takes everything
		n += counter(r.n)
		return nil
	})
	return int64(n)
}

// write writes the body to w, to which send adds each range.
func (b byteranges) write(w io.Writer, send func(r byteRange) error) error {
	parts := multipart.NewWriter(w)
	if err := parts.SetBoundary(b.boundary); err != nil {
		return err
	}
	for _, r := range b.ranges {
		head := textproto.MIMEHeader{
			fiber.HeaderContentType:  {b.kind},
			fiber.HeaderContentRange: {r.contentRange(b.size)},
		}
		if _, err := parts.CreatePart(head); err != nil {
			return err
		}
		if err := send(r); err != nil {
			return err
		}
	}
	return parts.Close()
}

// counter is a writer that keeps nothing but the number of bytes.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
