package multipart

// MaxPadding and MaxPreamble let tests stand on the limits.
const (
	MaxPadding  = maxPadding
	MaxPreamble = maxPreamble
	FirstRead   = firstRead
)

// Retained returns how much memory r keeps for what it read ahead.
func (r *Reader) Retained() int { return cap(r.ahead.buf) }

// Find looks for a delimiter of a boundary in b.
func Find(boundary string, b []byte) int {
	at, _ := newDelimiter(boundary).find(b)
	return at
}
