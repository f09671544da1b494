package multipart

// Limits bounds what a form may make its reader do and hold. What is not
// positive means the default.
type Limits struct {
	Parts       int // parts of a form; default 1000
	Headers     int // header lines of a part; default 64
	HeaderBytes int // a part's header with its blank line, in bytes; default 16 KiB
	FieldBytes  int // a field's value read by Part.Value, in bytes; default 64 KiB
}

// WithDefaults are the limits that a reader keeps to.
func (l Limits) WithDefaults() Limits {
	return Limits{
		Parts:       positive(l.Parts, 1000),
		Headers:     positive(l.Headers, 64),
		HeaderBytes: positive(l.HeaderBytes, 16<<10),
		FieldBytes:  positive(l.FieldBytes, 64<<10),
	}
}

func positive(v, otherwise int) int {
	if v > 0 {
		return v
	}
	return otherwise
}

const (
	// maxPreamble bounds the text before the first delimiter. Composers of
	// forms write none.
	maxPreamble = 64 << 10

	// maxPadding bounds the blanks after a delimiter, of which composers must
	// write none (RFC 2046 §5.1.1), and so what a read holds back.
	maxPadding = 128
)
