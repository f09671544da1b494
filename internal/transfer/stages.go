package transfer

import "time"

// Stages is where the time of a transfer went. Socket and Disk overlap, so
// their sum may pass the time on the clock.
type Stages struct {
	Socket time.Duration // waiting for the other end to send, or to take, bytes
	Buffer time.Duration // waiting for a free block
	Disk   time.Duration // writing to, or reading from, the disk
	Digest time.Duration // computing checksums
	Sync   time.Duration // making data and folders durable
}

// Stage is one of them by its name.
type Stage struct {
	Name string
	Time time.Duration
}

// seconds are the times by the stages' names.
func (s Stages) seconds() map[string]float64 {
	seconds := make(map[string]float64)
	for _, stage := range s.List() {
		seconds[stage.Name] = stage.Time.Seconds()
	}
	return seconds
}

// List returns the stages by name, in the order in which bytes pass them.
func (s Stages) List() []Stage {
	return []Stage{{"socket", s.Socket}, {"buffer", s.Buffer}, {"disk", s.Disk}, {"digest", s.Digest}, {"sync", s.Sync}}
}
