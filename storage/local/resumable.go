package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"sync"
	"time"

	"sluice/storage"
)

const (
	// infoExt marks the state of a resumable upload, beside its data.
	infoExt = ".info"
	// infoTempExt marks a state that is being written.
	infoTempExt = ".tmp"
	// droppedExt marks the state of an upload that is being removed.
	droppedExt = ".dropped"
)

// validID is the form of the ids that CreateResumable makes. Anything else is
// refused before it touches the file system.
var validID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// resumable is an upload whose data stands in uploadsDir under its id until it
// is published, with its state beside it.
type resumable struct {
	store *Store
	// mu guards state: a protocol may ask for it while bytes arrive.
	mu      sync.Mutex
	state   state
	changed time.Time
	stages  storage.Stages
}

// state is what the info file holds. The data before Offset is durable.
type state struct {
	ID   string       `json:"id"`
	Name storage.Name `json:"name"`
	// Chosen is the name that was tried last in place of Name, which was taken.
	Chosen   storage.Name `json:"chosen,omitzero"`
	Size     int64        `json:"size"`
	Offset   int64        `json:"offset"`
	CRC      uint64       `json:"crc64nvme,string"`
	Finished bool         `json:"finished"`
	// Part tells that the upload is to be joined, and Into with which id that
	// was begun.
	Part bool   `json:"part,omitempty"`
	Into string `json:"into,omitempty"`
	// Parts are what the upload is joined from.
	Parts    []part   `json:"parts,omitempty"`
	Metadata metadata `json:"metadata"`
	Owner    string   `json:"owner,omitempty"`
}

// metadata is kept as bytes: JSON knows no strings but UTF-8.
type metadata map[string]string

// MarshalJSON implements json.Marshaler.
func (m metadata) MarshalJSON() ([]byte, error) {
	values := make(map[string][]byte, len(m))
	for key, value := range m {
		values[key] = []byte(value)
	}
	return json.Marshal(values)
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *metadata) UnmarshalJSON(data []byte) error {
	var values map[string][]byte
	if err := json.Unmarshal(data, &values); err != nil {
		return err
	}
	*m = make(metadata, len(values))
	for key, value := range values {
		(*m)[key] = string(value)
	}
	return nil
}

// target is the name that the file was, or would have been, given last.
func (s state) target() storage.Name {
	if s.Chosen.IsRoot() {
		return s.Name
	}
	return s.Chosen
}

// CreateResumable implements storage.Store. A declared size is reserved on the
// disk.
func (s *Store) CreateResumable(_ context.Context, spec storage.ResumableSpec) (storage.Resumable, error) {
	id := randomID()
	if spec.Name.IsRoot() || spec.Part {
		name, err := storage.ParseName(id)
		if err != nil {
			return nil, fmt.Errorf("create upload: %w", err)
		}
		spec.Name = name
	}
	if err := s.Check(spec.Name, nil); err != nil {
		return nil, err
	}
	if len(spec.Parts) > 0 {
		return s.createJoined(id, spec)
	}
	claim, err := s.space.claim(spec.Size, 0)
	if err != nil {
		return nil, fmt.Errorf("create upload: %w", err)
	}
	r := &resumable{store: s, state: state{
		ID: id, Name: spec.Name, Size: spec.Size, Metadata: spec.Metadata, Part: spec.Part, Owner: spec.Owner,
	}}
	if err := r.createData(); err != nil {
		claim.release()
		return nil, err
	}
	if err := r.save(r.state); err != nil {
		claim.release()
		return nil, errors.Join(err, s.root.Remove(r.dataPath()))
	}
	s.pending.add(id, claim)
	return r, nil
}

func (r *resumable) openData() (*os.File, error) {
	return r.store.root.OpenFile(r.dataPath(), os.O_RDWR|largeFile, 0)
}

func (r *resumable) createData() error {
	file, err := r.store.root.OpenFile(r.dataPath(), os.O_RDWR|os.O_CREATE|os.O_EXCL|largeFile, 0o666)
	if err != nil {
		return classifyWrite("create upload", r.note(OpCreate, err))
	}
	if r.state.Size > 0 {
		_, err = preallocate(file, r.state.Size)
	}
	if err := r.note(OpCreate, errors.Join(err, file.Close())); err != nil {
		return errors.Join(classifyWrite("reserve space", err), r.store.root.Remove(r.dataPath()))
	}
	return nil
}

// Resume implements storage.Store.
func (s *Store) Resume(_ context.Context, id string) (storage.Resumable, error) {
	return s.load(id)
}

// load reads the state of an upload.
func (s *Store) load(id string) (*resumable, error) {
	if !validID.MatchString(id) {
		return nil, fmt.Errorf("resume: %w: malformed id", storage.ErrNotFound)
	}
	r := &resumable{store: s, state: state{ID: id}}
	data, err := s.root.ReadFile(r.infoPath())
	if err != nil {
		return nil, classify("resume", err)
	}
	if err := json.Unmarshal(data, &r.state); err != nil {
		return nil, fmt.Errorf("resume: read state of %s: %w", id, err)
	}
	if r.state.ID != id {
		return nil, fmt.Errorf("resume: state of %s names another upload", id)
	}
	if s.pending.used(id) {
		r.changed = time.Now() // what has come may not have been written yet
		return r, nil
	}
	r.changed, err = s.lastChange(id)
	return r, err
}

func (r *resumable) dataPath() string { return uploadsDir + "/" + r.state.ID }
func (r *resumable) infoPath() string { return r.dataPath() + infoExt }

func (r *resumable) droppedPath() string { return r.dataPath() + droppedExt }

// Info implements storage.Resumable.
func (r *resumable) Info() storage.ResumableInfo {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.state
	info := storage.ResumableInfo{
		ID:            s.ID,
		ResumableSpec: storage.ResumableSpec{Name: s.Name, Size: s.Size, Metadata: s.Metadata, Part: s.Part, Owner: s.Owner},
		Offset:        s.Offset,
		Finished:      s.Finished,
		Changed:       r.changed,
	}
	for _, p := range s.Parts {
		info.Parts = append(info.Parts, p.ID)
	}
	return info
}

// complete reports whether all bytes have come.
func (r *resumable) complete() bool {
	s := r.current()
	return s.Size != storage.UnknownSize && s.Offset == s.Size
}

// note tells the store's observer of a fault of the disk, and returns err.
func (r *resumable) note(op Operation, err error) error { return note(r.store.opts.Observer, op, err) }

func (r *resumable) current() state {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// Stages implements storage.Resumable.
func (r *resumable) Stages() storage.Stages { return r.stages }

// SetSize implements storage.Resumable.
func (r *resumable) SetSize(_ context.Context, size int64) error {
	s := r.current()
	switch {
	case s.Finished:
		return fmt.Errorf("set size: %w", storage.ErrFinished)
	case size < s.Offset:
		return fmt.Errorf("set size: %w", storage.ErrSizeExceeded)
	}
	c := r.store.pending.of(s.ID)
	if c != nil {
		if err := c.declare(size); err != nil {
			return fmt.Errorf("set size: %w", err)
		}
	}
	s.Size = size
	err := r.reserve(size)
	if err == nil {
		err = r.save(s)
	}
	if err != nil && c != nil {
		err = errors.Join(err, c.declare(storage.UnknownSize))
	}
	return err
}

// reserve sets the space for size bytes of data aside.
func (r *resumable) reserve(size int64) error {
	file, err := r.openData()
	if err != nil {
		return classifyWrite("reserve space", err)
	}
	if size > 0 {
		_, err = preallocate(file, size)
	}
	if err := r.note(OpCreate, errors.Join(err, file.Close())); err != nil {
		return classifyWrite("reserve space", err)
	}
	return nil
}

// Finish implements storage.Resumable. What a crash has left between its steps,
// the next call completes.
func (r *resumable) Finish(context.Context) (storage.Published, error) {
	s := r.current()
	switch {
	case s.Finished:
		return r.finished()
	case !r.complete():
		return storage.Published{}, fmt.Errorf("finish: %w: %d of %d bytes", storage.ErrIncomplete, s.Offset, s.Size)
	case s.Part:
		return storage.Published{}, fmt.Errorf("finish: %w: it is a part", storage.ErrIncomplete)
	}
	published, err := r.publish(s)
	if err != nil {
		return storage.Published{}, err
	}
	s = r.current()
	s.Name, s.Chosen, s.Finished = published.Name, storage.Name{}, true
	return published, r.save(s)
}

// choose writes down the name that the file is about to get, where that isn't
// known: after a crash, the file is looked for under it.
func (r *resumable) choose(name storage.Name) error {
	s := r.current()
	if name == s.target() {
		return nil
	}
	s.Chosen = name
	return r.save(s)
}

func (r *resumable) publish(s state) (storage.Published, error) {
	content, err := r.completeData(s)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// It was published, but that wasn't written down.
		if err := r.store.syncFolder(fsPath(s.target().Parent())); err != nil {
			return storage.Published{}, err
		}
		return r.finished()
	case err != nil:
		return storage.Published{}, classifyWrite("finish", err)
	}
	began := time.Now()
	published, replaced, err := r.store.publish(s.ID, content, s.Name, nil, r.choose)
	if err == nil {
		if c := r.store.pending.take(s.ID); c != nil {
			c.publish(replaced)
		}
		err = r.store.syncFolder(fsPath(published.Name.Parent()))
	}
	lap(&r.stages.Sync, began)
	if err != nil {
		return storage.Published{}, err
	}
	published.Digest = storage.NewCRC64NVME(s.CRC)
	return published, nil
}

// completeData cuts off what a crash has left behind the data, and stamps it.
func (r *resumable) completeData(s state) (content, error) {
	file, err := r.openData()
	if err != nil {
		return content{}, err
	}
	_, err = trim(file, s.Size)
	if err != nil {
		return content{}, errors.Join(err, file.Close())
	}
	stamped, err := stampFile(file, s.CRC)
	return stamped, errors.Join(err, r.store.syncFile(file), file.Close())
}

// finished describes the file that an earlier Finish has published.
func (r *resumable) finished() (storage.Published, error) {
	s := r.current()
	name := s.target()
	found, err := r.store.readNamed(name)
	if err != nil {
		return storage.Published{}, fmt.Errorf("finish: %w", err)
	}
	published := storage.Published{Info: found.describe(name)}
	published.Digest = storage.NewCRC64NVME(s.CRC)
	return published, nil
}

// Drop implements storage.Resumable. The state is marked first, in one step: as
// long as it isn't, Drop can be tried again; once it is, a start goes on with
// what a crash has broken off.
func (r *resumable) Drop(context.Context) error {
	root := r.store.root
	if err := root.Rename(r.infoPath(), r.droppedPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return classifyWrite("drop upload", err)
	}
	if err := r.store.removeDropped(r.state.ID); err != nil {
		return errors.Join(classifyWrite("drop upload", err), root.Rename(r.droppedPath(), r.infoPath()))
	}
	if c := r.store.pending.take(r.state.ID); c != nil {
		c.release()
	}
	return nil
}

// removeDropped removes an upload that is marked as dropped.
func (s *Store) removeDropped(id string) error {
	for _, name := range []string{id, id + droppedExt} {
		if err := s.root.Remove(uploadsDir + "/" + name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// save replaces the info file in one durable step, and then the state in
// memory.
func (r *resumable) save(s state) error {
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("save upload state: %w", err)
	}
	if err := r.store.replaceFile(uploadsDir, r.state.ID+infoExt, data, true); err != nil {
		return classifyWrite("save upload state", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state, r.changed = s, time.Now()
	return nil
}
