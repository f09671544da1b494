package record

// Row is one row of a run: a [Header], [Transfer], [Second], [Usage], [Repeat]
// [Leftover],
// [Metrics] or [Lost], by pointer.
type Row interface {
	// Kind names the kind of the row in files.
	Kind() string
	// From says whose row it is.
	From() Origin
	// Sign makes it the row of an agent.
	Sign(agent string)
}

// Origin tells the rows of several parties in one run apart.
type Origin struct {
	// Side is that of a comparison, "a" or "b", and else empty.
	Side string `json:"side,omitempty"`
	// Agent is the machine that did the work, empty if it was done by the tester
	// itself.
	Agent string `json:"agent,omitempty"`
}

// From returns the origin. Rows need only embed it.
func (o Origin) From() Origin { return o }

// Sign sets the agent.
func (o *Origin) Sign(agent string) { o.Agent = agent }
