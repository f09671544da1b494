package record

// Checked says what the content of a transfer was held against.
type Checked string

// What can be checked, from the weakest to the strongest.
const (
	// CheckedNot: the server's word alone.
	CheckedNot Checked = ""
	// CheckedSame: a file of unknown content, the same as at its first download.
	CheckedSame Checked = "same"
	// CheckedDigest: the CRC-64/NVME that the server states.
	CheckedDigest Checked = "digest"
	// CheckedContent: every byte.
	CheckedContent Checked = "content"
)

// Direction is the way that the bytes of a transfer go.
type Direction string

// The directions.
const (
	Up   Direction = "up"   // to the server
	Down Direction = "down" // from the server
)

// Transfer is the row of one transfer. Times are in seconds; those of when
// something happened count from the start signal of the repeat.
type Transfer struct {
	Origin
	Scenario  string    `json:"scenario"`
	Direction Direction `json:"direction"`
	// Label is the point of a sweep, empty if there is none.
	Label    string `json:"label,omitempty"`
	Pair     int    `json:"pair,omitzero"` // of a comparison, 0 is the warm-up
	Repeat   int    `json:"repeat"`        // from 1
	Stream   int    `json:"stream"`        // from 0
	Sequence int    `json:"sequence"`      // within the stream, from 0
	URL      string `json:"url,omitempty"`
	// Start is when the transfer began, Due when it should have. They differ
	// where transfers come at a rate and the tester or the server is late.
	Start float64 `json:"start"`
	Due   float64 `json:"due"`
	Size  int64   `json:"size"`  // of the file
	Bytes int64   `json:"bytes"` // of the file that moved, without framing
	// Seconds is from Start to the last byte of the answer.
	Seconds float64 `json:"seconds"`
	// Connect is how much of it making connections took, 0 if there was one.
	Connect float64 `json:"connect,omitzero"`
	// FirstByte is from Start to the first byte of the final answer, or of the
	// content of a download, 0 if there was none.
	FirstByte float64 `json:"first_byte,omitzero"`
	// Finish is from the last byte sent of an upload to the first one of the
	// answer: what finishing costs the server.
	Finish float64 `json:"finish,omitzero"`
	// Resumed is how often the tester has cut the connection and gone on.
	Resumed int     `json:"resumed,omitzero"`
	Status  int     `json:"status,omitzero"` // of the last answer
	Checked Checked `json:"checked,omitempty"`
	Error   *Error  `json:"error,omitempty"`
}

// Kind returns "transfer".
func (*Transfer) Kind() string { return "transfer" }
