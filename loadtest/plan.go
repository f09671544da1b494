package loadtest

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"sluice/loadtest/record"
)

// Plan is the work that is put on one server.
type Plan struct {
	// Scenario is the way of moving a file: put, form, tus or get.
	Scenario string `json:"scenario"`
	// URL is where, with the scheme http. For put and get, one that ends in "/"
	// is a folder in which the tester names its files, and any other one is that
	// of a single file. For form and tus it is what the POST goes to.
	URL string `json:"url"`
	// Size is the length of each file in bytes. A file that get finds under the
	// URL keeps its own.
	Size int64 `json:"size_bytes"`
	// Streams is the number of transfers at once.
	Streams int `json:"streams"`
	// Files is how many files each stream moves in a repeat, one after the other
	// over one connection; 0 means 1.
	Files int `json:"files,omitzero"`
	// Seed chooses the content and is part of the file names.
	Seed uint64 `json:"seed"`
	// Chunk is the length in bytes of each tus PATCH; 0 means a single one.
	Chunk int64 `json:"chunk_bytes"`
	// Verify has downloads compared byte by byte, and compares the digests that
	// the server states with the content that was sent.
	Verify bool `json:"verify"`
	// Keep leaves the files on the server.
	Keep bool `json:"keep"`
	// PIDs are the processes of the server on this machine, whose processor time
	// and memory are read.
	PIDs []int `json:"pids,omitempty"`
	// Cold drops the system's page cache before each timed get; ColdCommand is
	// run by a shell instead, if it is set.
	Cold        bool   `json:"cold,omitempty"`
	ColdCommand string `json:"cold_command,omitempty"`
	// Crowd is the clients that burden the server meanwhile.
	Crowd Crowd `json:"crowd,omitzero"`
	// SyncFolder is the folder on this machine in which the server stores what is
	// put: the tester syncs each file and the folder after the answer, within the
	// file's time. It makes servers comparable that answer before.
	SyncFolder string `json:"sync_folder,omitempty"`
	// Timeout is how long a transfer may stand still.
	Timeout time.Duration `json:"timeout_ns"`

	// side tells the files of the two servers of a comparison apart, in case
	// they share a folder.
	side string
}

// Validate returns all that is wrong with the plan, nil if nothing is.
func (p Plan) Validate() error {
	var faults []error
	fault := func(wrong bool, format string, args ...any) {
		if wrong {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	_, err := newScenario(p.Scenario)
	fault(err != nil, "%w", err)
	target, err := parseTarget(p.URL)
	fault(err != nil, "%w", err)
	fault(p.Size < 0, "size: %d is negative", p.Size)
	fault(p.Chunk < 0, "chunk: %d is negative", p.Chunk)
	fault(p.Streams < 1, "streams: %d is less than 1", p.Streams)
	fault(p.Files < 0, "files: %d is negative", p.Files)
	fault(p.Timeout <= 0, "timeout: %v is not positive", p.Timeout)
	fault((p.Cold || p.ColdCommand != "") && p.Scenario != "get", "cold: means nothing to %s, only to get", p.Scenario)
	fault(p.SyncFolder != "" && p.Scenario != "put", "sync: means nothing to %s, only to put", p.Scenario)
	crowded := p.Crowd.Slow > 0 || p.Crowd.Stalled > 0
	fault(p.Crowd.Slow < 0 || p.Crowd.Stalled < 0, "crowd: less than no clients")
	fault(p.Crowd.Slow > 0 && p.Crowd.Rate < minCrowdRate, "crowd: %d bytes per second are less than %d", p.Crowd.Rate, minCrowdRate)
	fault(crowded && (p.endpoint() || target != nil && !isFolder(target)), "crowd: it puts files, into a folder's URL that ends in /")
	if target != nil && !p.endpoint() && !isFolder(target) {
		fault(p.Streams > 1, "streams: %d can't share the one file %s; a folder's URL ends in /", p.Streams, p.URL)
		fault(p.Files > 1, "files: %d can't be the one file %s; a folder's URL ends in /", p.Files, p.URL)
	}
	return errors.Join(faults...)
}

// String returns the plan in one line.
func (p Plan) String() string {
	streams := "1 stream"
	if p.Streams != 1 {
		streams = fmt.Sprintf("%d streams", p.Streams)
	}
	text := fmt.Sprintf("%s %s: %s x %s", p.Scenario, p.URL, humanize.Bytes(uint64(max(0, p.Size))), streams)
	if p.files() > 1 {
		text += fmt.Sprintf(" of %d files", p.files())
	}
	if p.Scenario == "tus" && p.Chunk > 0 {
		text += ", PATCHes of " + humanize.IBytes(uint64(p.Chunk))
	}
	if p.Cold || p.ColdCommand != "" {
		text += ", cold"
	}
	return text
}

// endpoint says that the URL is one that files are posted to.
func (p Plan) endpoint() bool { return p.Scenario == "form" || p.Scenario == "tus" }

// direction is the way that the bytes of the files go.
func (p Plan) direction() record.Direction {
	if p.Scenario == "get" {
		return record.Down
	}
	return record.Up
}

// fileName returns the name of the file of a stream in the repeat of that
// number, counted from the start of the run.
func (p Plan) fileName(serial, stream, index int) string {
	if p.files() > 1 {
		return fmt.Sprintf("load-%d-%s%d-%d-%d.bin", p.Seed, p.side, serial, stream, index)
	}
	return fmt.Sprintf("load-%d-%s%d-%d.bin", p.Seed, p.side, serial, stream)
}

func (p Plan) files() int { return max(p.Files, 1) }

func parseTarget(raw string) (*url.URL, error) {
	target, err := url.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	if target.Scheme != "http" || target.Host == "" {
		return nil, fmt.Errorf("url: %q is not of the form http://host/path", raw)
	}
	if target.Path == "" {
		target.Path = "/"
	}
	return target, nil
}

func isFolder(target *url.URL) bool { return strings.HasSuffix(target.Path, "/") }
