package framing_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"sluice/internal/framing"
)

// FuzzPieces holds that it makes no difference in which pieces requests come,
// and that what has passed passes again.
func FuzzPieces(f *testing.F) {
	for _, test := range faulty {
		f.Add([]byte(get + test.sent))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		const limit = 256
		read := func(src io.Reader) (string, error) {
			passed, err := io.ReadAll(framing.NewReader(src, limit))
			return string(passed), err
		}
		whole, fault := read(bytes.NewReader(sent))
		pieces, pieceFault := read(iotest.OneByteReader(bytes.NewReader(sent)))
		// Of a faulty head that comes in pieces more has been passed on.
		if !errors.Is(pieceFault, errors.Unwrap(fault)) || !strings.HasPrefix(pieces, whole) || fault == nil && pieces != whole {
			t.Errorf("passed %q, %v at once, and %q, %v in pieces", whole, fault, pieces, pieceFault)
		}
		if again, err := read(strings.NewReader(whole)); fault == nil && (err != nil || again != whole) {
			t.Errorf("passed %q, and of it %q, %v", whole, again, err)
		}
	})
}
