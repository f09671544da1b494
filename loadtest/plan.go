package loadtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"sluice/loadtest/payload"
	"sluice/loadtest/record"
)

// How long connections last.
const (
	// ConnectionKeep: all transfers of a stream have one connection.
	ConnectionKeep = "keep"
	// ConnectionClose: each request has a connection of its own.
	ConnectionClose = "close"
)

// Plan is the work that is put on one server.
type Plan struct {
	// Scenario is the way of moving files.
	Scenario string `json:"scenario"`
	// URL is where, with the scheme http or https. For put and get, one that ends in "/"
	// is a folder in which the tester names its files, and any other one is that
	// of a single file. For form and tus it is what the POST goes to.
	URL string `json:"url"`

	// Size is the lengths of the files. A file that get finds under the URL keeps
	// its own.
	Size payload.Sizes `json:"size"`
	// Seed chooses content and lengths, and is part of the file names.
	Seed uint64 `json:"seed"`
	// Compressible is the share of the content, from 0 to 1, that is repeated
	// text.
	Compressible float64 `json:"compressible,omitzero"`

	// Streams is the number of transfers at once: always so many, or with Rate at
	// most so many.
	Streams int `json:"streams"`
	// Files is how many files each stream moves in a repeat, one after the other,
	// or with Rate how many are moved in all; 0 means 1.
	Files int `json:"files,omitzero"`
	// Duration is how long transfers begin in a repeat, in place of Files. Those
	// that have begun are ended.
	Duration time.Duration `json:"duration_ns,omitzero"`
	// Rate is the number of transfers that begin per second, whether or not
	// earlier ones have ended; 0 means that each stream begins the next when the
	// last has ended.
	Rate float64 `json:"rate,omitzero"`
	// Ramp is the time in which the streams join or the rate grows.
	Ramp time.Duration `json:"ramp_ns,omitzero"`
	// WarmUp is how long the same work is done before what counts.
	WarmUp time.Duration `json:"warm_up_ns,omitzero"`
	// StreamRate bounds the bytes per second of each stream; 0 means no bound.
	StreamRate int64 `json:"stream_bytes_per_second,omitzero"`
	// Connection is ConnectionKeep, also where it is empty, or ConnectionClose.
	Connection string `json:"connection,omitempty"`

	// Chunk is the length in bytes of each tus PATCH; 0 means a single one.
	Chunk int64 `json:"chunk_bytes,omitzero"`
	// Parallel is the number of parts in which tus sends a file at once and has
	// them joined; 0 means 1.
	Parallel int `json:"parallel,omitzero"`
	// Deferred has tus tell the length of an upload with its last PATCH.
	Deferred bool `json:"deferred,omitempty"`
	// Range is the length in bytes of the ranges in which get asks for a file; 0
	// asks for all at once.
	Range int64 `json:"range_bytes,omitzero"`
	// Objects is how many files downloads are spread over; 0 means one for each
	// stream.
	Objects int `json:"objects,omitzero"`
	// Cold drops the system's page cache before each repeat of get; ColdCommand
	// is run by a shell instead, if it is set.
	Cold        bool   `json:"cold,omitempty"`
	ColdCommand string `json:"cold_command,omitempty"`

	// Weights are the shares of the ways in mixed, slow and soak, and TusURL what
	// their tus posts to.
	Weights Weights `json:"weights,omitempty"`
	TusURL  string  `json:"tus_url,omitempty"`
	// Grow is how many bytes soak uploads before it only downloads; 0 means no
	// bound.
	Grow int64 `json:"grow_bytes,omitzero"`
	// Via is the way in which small and resume move files.
	Via string `json:"via,omitempty"`
	// Cuts is how often resume cuts the connection of each file.
	Cuts int `json:"cuts,omitzero"`
	// Trust is which servers are believed over https.
	Trust Trust `json:"trust,omitzero"`

	// Verify has downloads compared byte by byte, and compares the digests that
	// the server states with the content that was sent.
	Verify bool `json:"verify"`
	// ReadBack has each upload downloaded and compared after its time.
	ReadBack bool `json:"read_back,omitempty"`
	// Keep leaves the files on the server.
	Keep bool `json:"keep,omitempty"`
	// PIDs are the processes of the server on this machine, whose processor time
	// and memory are read.
	PIDs []int `json:"pids,omitempty"`
	// Crowd is the clients that burden the server meanwhile.
	Crowd Crowd `json:"crowd,omitzero"`
	// SyncFolder is the folder on this machine in which the server stores what is
	// put: the tester syncs each file and the folder after the answer, within the
	// file's time. It makes servers comparable that answer before.
	SyncFolder string `json:"sync_folder,omitempty"`
	// Timeout is how long a transfer may stand still.
	Timeout time.Duration `json:"timeout_ns"`
	// Gate, if it is set, is called when all is ready for the start signal of a
	// repeat, and returns when that is to be given, or its context is done.
	Gate func(context.Context) `json:"-"`

	// side tells the files of the two servers of a comparison apart, in case
	// they share a folder.
	side string
}

// maxStreams bounds the streams, whose number is part of that of each file.
const maxStreams = 1<<16 - 1

// Validate returns all that is wrong with the plan, nil if nothing is.
func (p Plan) Validate() error {
	var f faults
	_, err := newScenario(p)
	f.add(err != nil, "%w", err)
	f.add(p.Streams < 1 || p.Streams > maxStreams, "streams: %d is not from 1 to %d", p.Streams, maxStreams)
	f.add(p.Files < 0, "files: %d is negative", p.Files)
	f.add(p.Duration < 0, "duration: %v is negative", p.Duration)
	f.add(p.Duration > 0 && p.Files > 0, "duration: means nothing together with files")
	f.add(!(p.Rate >= 0), "rate: %v is negative", p.Rate)
	f.add(p.Ramp < 0 || p.WarmUp < 0, "ramp, warm-up: negative")
	f.add(p.StreamRate < 0, "stream-rate: %d is negative", p.StreamRate)
	f.add(p.Connection != "" && p.Connection != ConnectionKeep && p.Connection != ConnectionClose,
		"connection: %q is neither keep nor close", p.Connection)
	f.add(!(p.Compressible >= 0 && p.Compressible <= 1), "compressible: %v is not from 0 to 1", p.Compressible)
	f.add(p.Timeout <= 0, "timeout: %v is not positive", p.Timeout)
	p.validateScenario(&f)
	target, err := parseTarget(p.URL)
	f.add(err != nil, "%w", err)
	if err == nil {
		p.validateTarget(&f, target)
	}
	return f.join()
}

// validateScenario finds what means nothing to the scenario.
func (p Plan) validateScenario(f *faults) {
	only := func(set bool, name string, scenarios ...string) {
		f.add(set && !slices.Contains(scenarios, p.Scenario), "%s: means nothing to %s, only to %s",
			name, p.Scenario, strings.Join(scenarios, ", "))
	}
	f.add(p.Chunk < 0 || p.Range < 0, "chunk, range: negative")
	f.add(p.Parallel < 0 || p.Objects < 0, "parallel, objects: negative")
	only(p.Cold || p.ColdCommand != "", "cold", "get")
	only(p.SyncFolder != "", "sync", "put")
	only(len(p.Weights) > 0 || p.TusURL != "", "weights", "mixed", "slow", "soak")
	only(p.Grow > 0, "grow", "soak")
	only(p.Via != "", "via", "small", "resume")
	only(p.Cuts > 0, "cuts", "resume")
	f.add(p.Grow < 0, "grow: %d is negative", p.Grow)
	switch p.Scenario {
	case "mixed", "slow", "soak":
		f.add(len(p.Weights) == 0, "weights: there are none")
		_, err := parseTarget(p.TusURL)
		f.add(p.Weights.Of("tus") > 0 && err != nil, "tus-url: what tus posts to: %w", err)
		f.add(p.Scenario == "slow" && p.StreamRate == 0, "stream-rate: there is none, so nothing is slow")
		f.add(p.Scenario == "soak" && p.Duration == 0 && p.Files == 0, "duration: there is none")
	case "small":
		f.add(!slices.Contains([]string{"put", "form", "tus"}, p.Via), "via: %q is none of put, form, tus", p.Via)
	case "resume":
		f.add(!slices.Contains([]string{"tus", "get"}, p.Via), "via: %q is neither tus nor get", p.Via)
		f.add(p.Cuts < 1, "cuts: %d is less than 1", p.Cuts)
	}
	crowded := p.Crowd.Slow > 0 || p.Crowd.Stalled > 0
	f.add(p.Crowd.Slow < 0 || p.Crowd.Stalled < 0, "crowd: less than no clients")
	f.add(p.Crowd.Slow > 0 && p.Crowd.Rate < minCrowdRate, "crowd: %d bytes per second are less than %d", p.Crowd.Rate, minCrowdRate)
	f.add(crowded && strings.HasPrefix(p.URL, "https:"), "crowd: it speaks no https")
	f.add(crowded && p.endpoint(), "crowd: it puts files, into a folder's URL that ends in /")
}

// validateTarget finds what asks too much of a URL.
func (p Plan) validateTarget(f *faults, target *url.URL) {
	if p.endpoint() || isFolder(target) {
		return
	}
	f.add(len(p.Weights) > 0 || p.Via == "get", "url: %s of many files doesn't end in /", p.URL)
	uploads := p.way() != "get" // downloads may well all be of one file
	f.add(uploads && p.Streams > 1, "streams: %d can't share the one file %s; a folder's URL ends in /", p.Streams, p.URL)
	f.add(uploads && (p.Files > 1 || p.Duration > 0), "files: more than one can't be the one file %s; a folder's URL ends in /", p.URL)
	f.add(p.Objects > 1, "objects: %d can't be the one file %s; a folder's URL ends in /", p.Objects, p.URL)
	f.add(p.Crowd.Slow > 0 || p.Crowd.Stalled > 0, "crowd: it puts files, into a folder's URL that ends in /")
}

// faults is what is wrong with a plan.
type faults []error

func (f *faults) add(wrong bool, format string, args ...any) {
	if wrong {
		*f = append(*f, fmt.Errorf(format, args...))
	}
}

func (f faults) join() error { return errors.Join(f...) }

// String returns the plan in one line.
func (p Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s x ", p.Scenario, p.URL, p.Size)
	switch {
	case p.Rate > 0:
		fmt.Fprintf(&b, "%g per second, at most %d at once", p.Rate, p.Streams)
	case p.Streams == 1:
		b.WriteString("1 stream")
	default:
		fmt.Fprintf(&b, "%d streams", p.Streams)
	}
	say := func(set bool, format string, args ...any) {
		if set {
			fmt.Fprintf(&b, format, args...)
		}
	}
	say(p.files() > 1 && p.Rate == 0, " of %d files", p.files())
	say(p.files() > 1 && p.Rate > 0, ", %d files", p.files())
	say(p.Duration > 0, " for %v", p.Duration)
	say(p.Ramp > 0, ", %v ramp", p.Ramp)
	say(p.StreamRate > 0, ", %s/s each", payload.FormatSize(p.StreamRate))
	say(p.Connection == ConnectionClose, ", a connection for each request")
	say(p.Chunk > 0, ", PATCHes of %s", payload.FormatSize(p.Chunk))
	say(p.Parallel > 1, ", %d parts at once", p.Parallel)
	say(p.Deferred, ", length told last")
	say(p.Range > 0, ", ranges of %s", payload.FormatSize(p.Range))
	say(p.Via != "", ", via %s", p.Via)
	say(len(p.Weights) > 0, ", %s", p.Weights)
	say(p.Grow > 0, ", up to %s", payload.FormatSize(p.Grow))
	say(p.Cuts > 0, ", cut %d times", p.Cuts)
	say(p.Cold || p.ColdCommand != "", ", cold")
	return b.String()
}

// way is the scenario whose way the files go.
func (p Plan) way() string { return cmp.Or(p.Via, p.Scenario) }

// endpoint says that the URL is one that files are posted to.
func (p Plan) endpoint() bool { return p.way() == "form" || p.way() == "tus" }

// direction is the way that the bytes of the files go.
func (p Plan) direction() record.Direction {
	if p.way() == "get" {
		return record.Down
	}
	return record.Up
}

// fileName returns the name of the file of an order in the repeat of that
// number, counted from the start of the run.
func (p Plan) fileName(serial int, o order) string {
	if o.index > 0 {
		return fmt.Sprintf("load-%d-%s%d-%d-%d.bin", p.Seed, p.side, serial, o.stream, o.index)
	}
	return fmt.Sprintf("load-%d-%s%d-%d.bin", p.Seed, p.side, serial, o.stream)
}

func (p Plan) files() int { return max(p.Files, 1) }

// objects is the number of files that downloads from target are spread over.
func (p Plan) objects(target *url.URL) int {
	switch {
	case !isFolder(target):
		return 1
	case p.Objects > 0:
		return p.Objects
	case p.Rate > 0:
		return 1
	default:
		return p.Streams
	}
}

func parseTarget(raw string) (*url.URL, error) {
	target, err := url.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	if target.Scheme != "http" && target.Scheme != "https" || target.Host == "" {
		return nil, fmt.Errorf("url: %q is not of the form http://host/path or https://host/path", raw)
	}
	if target.Path == "" {
		target.Path = "/"
	}
	return target, nil
}

func isFolder(target *url.URL) bool { return strings.HasSuffix(target.Path, "/") }
