package record

import (
	"encoding/json"
	"os"
	"runtime"
	"time"
)

// Version is that of the format of the rows. It changes when rows written
// before can't be read as what they meant.
const Version = 1

// Header is the row that comes before all others of its origin.
type Header struct {
	Origin
	Version int             `json:"version"` // of the format
	Started time.Time       `json:"started"`
	Host    Host            `json:"host"`
	Title   string          `json:"title"` // the plan in one line
	Plan    json.RawMessage `json:"plan,omitempty"`
	Seed    uint64          `json:"seed"`
	// ClockAhead is by how many seconds the clock of an agent is ahead, within
	// ClockWithin.
	ClockAhead  float64 `json:"clock_ahead,omitzero"`
	ClockWithin float64 `json:"clock_within,omitzero"`
}

// Kind returns "header".
func (*Header) Kind() string { return "header" }

// Host is the facts of the machine on which the tester ran.
type Host struct {
	Name string `json:"name"`
	OS   string `json:"os"`
	Arch string `json:"arch"`
	CPUs int    `json:"cpus"`
	Go   string `json:"go"` // version
}

// ThisHost returns the facts of this machine.
func ThisHost() Host {
	name, _ := os.Hostname() // a machine without a name has none
	return Host{Name: name, OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), Go: runtime.Version()}
}

// NewHeader returns the header of a run that starts now: plan is anything that
// has a form in JSON, and title says it in one line.
func NewHeader(title string, plan any, seed uint64) (*Header, error) {
	raw, err := json.Marshal(plan)
	if err != nil {
		return nil, err
	}
	return &Header{Version: Version, Started: time.Now(), Host: ThisHost(), Title: title, Plan: raw, Seed: seed}, nil
}
