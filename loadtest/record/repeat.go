package record

// Repeat is the row of one repeat: all streams, from one start signal to the
// last answer.
type Repeat struct {
	Origin
	Label            string  `json:"label,omitempty"` // as of [Transfer]
	Pair             int     `json:"pair,omitzero"`   // of a comparison, 0 is the warm-up
	Repeat           int     `json:"repeat"`          // from 1
	Start            float64 `json:"start"`           // of the signal, in seconds since the run's
	Seconds          float64 `json:"seconds"`
	Bytes            int64   `json:"bytes"`              // of the transfers that succeeded
	ServerCPUSeconds float64 `json:"server_cpu_seconds"` // 0 without PIDs
	TesterCPUSeconds float64 `json:"tester_cpu_seconds"`
	ServerPeakRSS    int64   `json:"server_peak_rss_bytes"` // since the server started; 0 without PIDs
	TesterPeakRSS    int64   `json:"tester_peak_rss_bytes"` // since the tester started
	Transfers        int     `json:"transfers,omitzero"`    // that ended
	Failed           int     `json:"failed"`                // of them
	// Rate is the transfers that were due per second, 0 in the closed model, and
	// Bounded how many of them had to wait because so many were under way that no
	// other was allowed.
	Rate    float64 `json:"rate,omitzero"`
	Bounded int     `json:"bounded,omitzero"`
}

// sustainedShare is the share of the rate at which transfers must have ended: the
// last ones end after the last one is due.
const sustainedShare = 0.95

// Sustained says that no transfer failed, and that they ended as fast as they
// were due.
func (r *Repeat) Sustained() bool {
	return r.Failed == 0 && ratio(float64(r.Transfers), r.Seconds) >= sustainedShare*r.Rate
}

// Kind returns "repeat".
func (*Repeat) Kind() string { return "repeat" }

// MBPerSecond returns the rate in decimal megabytes per second.
func (r *Repeat) MBPerSecond() float64 { return ratio(float64(r.Bytes)/1e6, r.Seconds) }

// ServerCPUPerGB returns the server's processor seconds per 1e9 bytes.
func (r *Repeat) ServerCPUPerGB() float64 { return ratio(r.ServerCPUSeconds, float64(r.Bytes)/1e9) }

// TesterCPUPerGB returns the tester's own processor seconds per 1e9 bytes.
func (r *Repeat) TesterCPUPerGB() float64 { return ratio(r.TesterCPUSeconds, float64(r.Bytes)/1e9) }

// ratio is a/b, or 0 where b is 0 and there is no ratio.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
