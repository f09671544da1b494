package multipart

// MaxPadding and MaxPreamble let tests stand on the limits.
const (
	MaxPadding  = maxPadding
	MaxPreamble = maxPreamble
	FirstRead   = firstRead
)

// Retained returns how much memory r keeps for what it read ahead.
func (r *Reader) Retained() int { return cap(r.ahead.buf) }

// Index looks for the delimiter of a boundary in b, whatever stands behind it.
func Index(boundary string, b []byte) int {
	return newDelimiter(boundary).finder.index(b)
}
