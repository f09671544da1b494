package hooks

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Type is what has happened.
type Type string

// The types of events.
const (
	// Created: an upload has begun.
	Created Type = "created"
	// Finished: its file stands under its name.
	Finished Type = "finished"
	// Terminated: it has ended, and left no file.
	Terminated Type = "terminated"

	// creating: an upload is about to begin, which only a veto is asked about.
	creating Type = "creating"
)

var types = [...]Type{Created, Finished, Terminated}

// Types returns the types that can be told.
func Types() []Type { return slices.Clone(types[:]) }

// UnknownSize stands for a length that nobody has declared.
const UnknownSize = -1

// Upload is what is told of an upload. What is empty is left out.
type Upload struct {
	// ID is the same in all events of an upload.
	ID       string `json:"upload_id,omitempty"`
	Protocol string `json:"protocol"`
	// Name is the file's, below the root.
	Name string `json:"name,omitempty"`
	// Size is the declared length in bytes, and that of the file once it is
	// finished; UnknownSize is null.
	Size Size `json:"size"`
	// Received is how many bytes had come when the upload was terminated.
	Received int64 `json:"received,omitempty"`
	// Digest has the form of Repr-Digest (RFC 9530).
	Digest string `json:"digest,omitempty"`
	// URL is the path under which the file is reached.
	URL       string            `json:"url,omitempty"`
	Client    string            `json:"client,omitempty"`
	User      string            `json:"user,omitempty"`
	RequestID string            `json:"request_id,omitempty"`
	Metadata  map[string]string `json:"metadata,omitempty"`
	// Resumable tells that the upload survives the loss of power, so that the
	// event of its beginning has to as well.
	Resumable bool `json:"-"`
}

// Size is a length in bytes, or UnknownSize.
type Size int64

// MarshalJSON implements [json.Marshaler].
func (s Size) MarshalJSON() ([]byte, error) {
	if s == UnknownSize {
		return []byte("null"), nil
	}
	return json.Marshal(int64(s))
}

// event is what is sent, and kept until it is: the file in the queue is the
// body of the request.
type event struct {
	ID        string    `json:"id"`
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      Upload    `json:"data"`
}

// typePrefix stands before the types in JSON, as names of events are grouped.
const typePrefix = "upload."

func newEvent(t Type, u Upload) event {
	var id [16]byte
	rand.Read(id[:]) // never fails, by its documentation
	return event{
		ID:        "msg_" + hex.EncodeToString(id[:]),
		Type:      typePrefix + string(t),
		Timestamp: time.Now().UTC().Truncate(time.Millisecond),
		Data:      u,
	}
}

func (e event) encode() ([]byte, error) {
	data, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode event: %w", err)
	}
	return data, nil
}

// errDamaged: a file in the queue isn't an event.
var errDamaged = errors.New("damaged event")

// header is what the sender has to know of an event.
type header struct {
	id   string
	kind Type
	time time.Time
}

// decode reads what encode wrote.
func decode(data []byte) (header, error) {
	var e struct {
		ID        string    `json:"id"`
		Type      string    `json:"type"`
		Timestamp time.Time `json:"timestamp"`
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return header{}, fmt.Errorf("%w: %w", errDamaged, err)
	}
	at := slices.IndexFunc(types[:], func(t Type) bool { return typePrefix+string(t) == e.Type })
	if e.ID == "" || at < 0 || e.Timestamp.IsZero() {
		return header{}, fmt.Errorf("%w: id, type or timestamp is missing", errDamaged)
	}
	return header{e.ID, types[at], e.Timestamp}, nil
}
