package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"sluice/storage"
)

// part is one part of an upload that is joined, as it was when that began.
type part struct {
	ID   string `json:"id"`
	Size int64  `json:"size"`
	CRC  uint64 `json:"crc64nvme,string"`
}

// joinStep is how many bytes are copied before the part that they come from
// gives them up, so that the disk never holds much more than the content once.
const joinStep = 256 << 20

// createJoined begins an upload that consists of parts. It reserves nothing: the
// space of the parts becomes its own.
func (s *Store) createJoined(id string, spec storage.ResumableSpec) (storage.Resumable, error) {
	parts, err := s.parts(spec.Parts)
	if err != nil {
		return nil, err
	}
	if into := parts[0].state.Into; into != "" {
		return s.joinedBefore(into, spec.Parts)
	}
	r := &resumable{store: s, state: state{ID: id, Name: spec.Name, Metadata: spec.Metadata, Owner: spec.Owner}}
	for _, p := range parts {
		r.state.Size += p.state.Size
		r.state.Parts = append(r.state.Parts, part{p.state.ID, p.state.Size, p.state.CRC})
	}
	if err := r.save(r.state); err != nil {
		return nil, err
	}
	s.pending.add(r.state.ID, s.space.restore(0, 0))
	for _, p := range parts {
		state := p.state
		state.Into = r.state.ID
		if err := p.save(state); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// parts finds the uploads to be joined. All have to be complete, and none may
// have gone into another upload than the first.
func (s *Store) parts(ids []string) ([]*resumable, error) {
	parts := make([]*resumable, len(ids))
	for i, id := range ids {
		p, err := s.load(id)
		switch {
		case err != nil:
			return nil, err
		case !p.state.Part:
			return nil, fmt.Errorf("join: %w: %s is no part", storage.ErrFinished, id)
		case !p.complete():
			return nil, fmt.Errorf("join: %w: %s lacks bytes", storage.ErrIncomplete, id)
		case i > 0 && p.state.Into != "" && p.state.Into != parts[0].state.Into, slices.Contains(ids[:i], id):
			return nil, fmt.Errorf("join: %w: %s is used elsewhere", storage.ErrFinished, id)
		}
		parts[i] = p
	}
	return parts, nil
}

// joinedBefore finds the upload that the same parts have gone into: whoever has
// asked for it may not have seen the answer.
func (s *Store) joinedBefore(into string, ids []string) (storage.Resumable, error) {
	r, err := s.load(into)
	if err == nil && slices.EqualFunc(r.state.Parts, ids, func(p part, id string) bool { return p.ID == id }) {
		return r, nil
	}
	return nil, errors.Join(fmt.Errorf("join: %w: the parts are used elsewhere", storage.ErrFinished), err)
}

// Join implements storage.Resumable.
func (r *resumable) Join(ctx context.Context) (storage.Published, error) {
	s := r.current()
	if !r.store.pending.seize(s.ID) {
		return storage.Published{}, fmt.Errorf("join: %w", storage.ErrBusy)
	}
	defer r.store.pending.yield(s.ID)
	if !s.Finished && (s.Size == 0 || !r.complete()) {
		began := time.Now()
		err := r.join(ctx)
		lap(&r.stages.Disk, began)
		if err != nil {
			return storage.Published{}, fmt.Errorf("join: %w", err)
		}
	}
	return r.Finish(ctx)
}

// join brings over what the parts still hold.
func (r *resumable) join(ctx context.Context) error {
	if err := r.adopt(); err != nil {
		return classifyWrite("take over the first part", err)
	}
	file, err := r.openData()
	if err != nil {
		return classifyWrite("open", err)
	}
	j := joint{resumable: r, file: file}
	var end int64
	for i, p := range r.state.Parts {
		end += p.Size
		if i > 0 && err == nil {
			err = j.take(ctx, p, end)
		}
	}
	return errors.Join(err, file.Close())
}

// adopt makes the data of the first part that of the whole, which moves no byte.
func (r *resumable) adopt() error {
	s, first := r.current(), r.state.Parts[0]
	if s.Offset > 0 {
		return nil
	}
	err := r.store.root.Rename(uploadsDir+"/"+first.ID, r.dataPath())
	if errors.Is(err, fs.ErrNotExist) {
		_, err = r.store.root.Lstat(r.dataPath()) // a crash came after the rename
	}
	if err != nil {
		return err
	}
	s.Offset, s.CRC = first.Size, first.CRC
	if err := r.save(s); err != nil {
		return err
	}
	r.absorb(first, first.Size)
	r.forget(first)
	return nil
}

// absorb takes over the space of n bytes of a part.
func (r *resumable) absorb(p part, n int64) {
	if c := r.store.pending.of(r.state.ID); c != nil {
		c.absorb(r.store.pending.of(p.ID), n)
	}
}

// forget releases what a part of which nothing is left still claims.
func (r *resumable) forget(p part) {
	if c := r.store.pending.take(p.ID); c != nil {
		c.release()
	}
}

// joint is an upload whose parts are being brought over.
type joint struct {
	*resumable
	file *os.File
}

// take brings over a part, or what is left of it, up to end.
func (j *joint) take(ctx context.Context, p part, end int64) error {
	src, err := j.store.root.OpenFile(uploadsDir+"/"+p.ID, os.O_RDWR|largeFile, 0)
	if errors.Is(err, fs.ErrNotExist) && j.current().Offset >= end {
		return nil // before a crash
	}
	if err != nil {
		return classifyWrite("open part", err)
	}
	if j.current().Offset < end {
		err = j.bring(ctx, src, p, end)
	}
	if err := errors.Join(err, src.Close()); err != nil {
		return err
	}
	if err := j.store.removeUploadFile(p.ID); err != nil {
		return classifyWrite("remove part", err)
	}
	j.forget(p)
	return nil
}

// bring shares the blocks of a part where the file system can, and else copies
// them step by step.
func (j *joint) bring(ctx context.Context, src *os.File, p part, end int64) error {
	s := j.current()
	from := s.Offset - (end - p.Size)
	if from == 0 && shareRange(j.file, src, s.Offset, 0, p.Size) == nil {
		return j.keep(src, p, end, end)
	}
	engine, mode := j.store.engine, j.store.opts.IO
	reader := engine.newPartReader(src, mode, from, p.Size)
	defer reader.release()
	var stages storage.Stages // all of it is the disk's
	at, err := engine.receive(ctx, engine.newDiskFile(j.file, mode), reader, position{s.Offset, s.CRC}, end, &stages, func(at position) error {
		if at.offset-j.current().Offset < joinStep {
			return nil
		}
		return j.keep(src, p, at.offset, end)
	})
	switch {
	case err != nil:
		return err
	case at.offset != end, from == 0 && at.crc != combineCRC(s.CRC, p.CRC, p.Size):
		return fmt.Errorf("part %s is not what was received", p.ID)
	}
	return j.keep(src, p, end, end)
}

// keep makes what has been brought over of a part up to offset durable, and lets
// the part give it up.
func (j *joint) keep(src *os.File, p part, offset, end int64) error {
	s := j.current()
	if offset == s.Offset {
		return nil
	}
	if err := j.store.syncFile(j.file); err != nil {
		return classify("sync upload", err)
	}
	from, n := s.Offset-(end-p.Size), offset-s.Offset
	s.Offset = offset
	if offset == end {
		s.CRC = combineCRC(s.CRC, p.CRC, p.Size)
	}
	if err := j.save(s); err != nil {
		return err
	}
	j.absorb(p, n)
	punchHole(src, from, n)
	return nil
}
