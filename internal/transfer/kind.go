package transfer

import "slices"

// Direction says which way the bytes go, seen from the client.
type Direction string

// The directions.
const (
	Upload   Direction = "upload"
	Download Direction = "download"
)

// Protocol is the way a body travels.
type Protocol string

// The protocols: raw PUT, multipart/form-data, tus, GET, and GET of a folder as
// an archive.
const (
	ProtocolPUT     Protocol = "put"
	ProtocolForm    Protocol = "form"
	ProtocolTus     Protocol = "tus"
	ProtocolGET     Protocol = "get"
	ProtocolArchive Protocol = "archive"
)

// Result is how a transfer ended.
type Result string

// The results.
const (
	ResultOK      Result = "ok"      // all bytes moved and, for an upload, are published
	ResultAborted Result = "aborted" // the client went away, or its body ended early
	ResultTimeout Result = "timeout" // the client fell silent
	ResultRefused Result = "refused" // the server said 4xx after the transfer had begun
	ResultStopped Result = "stopped" // an operator ended it
	ResultFailed  Result = "failed"  // the server's own fault
)

// Phase is what a running transfer is at.
type Phase string

// The phases.
const (
	PhaseReceiving  Phase = "receiving"
	PhaseWaiting    Phase = "waiting"    // a file of a form has come, others are still to
	PhasePublishing Phase = "publishing" // all has come and is put under its name
	PhaseSending    Phase = "sending"
)

// Kind is a direction with a protocol: what transfers are counted by.
type Kind struct {
	Direction Direction `json:"direction"`
	Protocol  Protocol  `json:"protocol"`
}

// kinds are the pairs that can occur. The list bounds every label made of them.
var kinds = [...]Kind{
	{Upload, ProtocolPUT},
	{Upload, ProtocolForm},
	{Upload, ProtocolTus},
	{Download, ProtocolGET},
	{Download, ProtocolArchive},
}

// otherKind is the index of the bucket for any pair that is not in kinds.
const otherKind = len(kinds)

var results = [...]Result{ResultOK, ResultAborted, ResultTimeout, ResultRefused, ResultStopped, ResultFailed}

// Kinds returns every pair of direction and protocol that can occur.
func Kinds() []Kind { return slices.Clone(kinds[:]) }

// Results returns every result a transfer can have.
func Results() []Result { return slices.Clone(results[:]) }

// kindIndex returns the index of k's counters.
func kindIndex(k Kind) int {
	if i := slices.Index(kinds[:], k); i >= 0 {
		return i
	}
	return otherKind
}

// kindAt is the reverse of kindIndex.
func kindAt(i int) Kind {
	if i == otherKind {
		return Kind{"other", "other"}
	}
	return kinds[i]
}

// known returns r, or ResultFailed where r is none of the results: an ending
// that nobody named is a fault of the server.
func (r Result) known() Result {
	if slices.Contains(results[:], r) {
		return r
	}
	return ResultFailed
}
