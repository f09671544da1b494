package record

// Lost is the row of an agent that was to do a share of the work, and was lost
// before it had: what it did afterwards is in no row.
type Lost struct {
	Origin
	Repeat int    `json:"repeat"` // in which that was, 0 if before the first
	Reason string `json:"reason"`
}

// Kind returns "lost".
func (*Lost) Kind() string { return "lost" }
