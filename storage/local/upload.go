package local

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"time"

	"sluice/internal/blocks"
	"sluice/storage"
)

// tempExt marks one-shot uploads, which a restart removes.
const tempExt = ".part"

// upload is a one-shot upload: received once, then published or gone.
type upload struct {
	store *Store
	spec  storage.UploadSpec
	claim *claim
	file  *os.File // nil once received
	temp  string   // its name in uploadsDir, empty once published or removed
	at    position
	// synced is how much was durable when that was last seen to, in bytes.
	synced int64
	// stages is where the time went so far.
	stages storage.Stages
	// content describes the file once it is complete.
	content content
}

// Create implements storage.Store. A declared size is reserved on the disk.
func (s *Store) Create(_ context.Context, spec storage.UploadSpec) (storage.Upload, error) {
	claim, err := s.space.claimWithin(spec.Within, spec.Size)
	if err != nil {
		return nil, fmt.Errorf("create upload: %w", err)
	}
	file, temp, err := s.createTemp()
	if err != nil {
		claim.release()
		return nil, classifyWrite("create upload", note(s.opts.Observer, OpCreate, err))
	}
	u := &upload{store: s, spec: spec, claim: claim, file: file, temp: temp}
	// Less than a block would be allocated in one go anyway.
	if spec.Size > blocks.MinSize {
		if _, err := preallocate(file, spec.Size); note(s.opts.Observer, OpCreate, err) != nil {
			return nil, errors.Join(classifyWrite("reserve space", err), u.Abort())
		}
	}
	return u, nil
}

// createTemp makes an empty file under a random name of its own.
func (s *Store) createTemp() (*os.File, string, error) {
	temp := randomID() + tempExt
	file, err := s.createUploadFile(temp)
	return file, temp, err
}

// removeUploadFile removes a file from uploadsDir.
func (s *Store) removeUploadFile(base string) error {
	return s.root.Remove(path.Join(uploadsDir, base))
}

// randomID returns 128 bits that nobody can guess, in hex.
func randomID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Receive implements storage.Upload. When it returns nil, the content is
// durable and its length is the declared one.
func (u *upload) Receive(ctx context.Context, src io.Reader) (int64, error) {
	if u.file == nil {
		return 0, errors.New("receive: called twice")
	}
	disk := u.store.engine.newDiskFile(u.file, u.store.opts.IO)
	disk.digests = newDigests(u.spec.Digests)
	at, err := u.store.engine.receive(ctx, disk, src, u.at, u.spec.Size, &u.stages, u.kept)
	u.at = at
	if err != nil {
		return at.offset, fmt.Errorf("receive: %w", err)
	}
	if u.spec.Size != storage.UnknownSize && at.offset != u.spec.Size {
		return at.offset, fmt.Errorf("receive: %w: %d of %d bytes", storage.ErrTruncated, at.offset, u.spec.Size)
	}
	u.stages.Digest += disk.digests.took()
	if err := disk.digests.check(at.crc); err != nil {
		return at.offset, fmt.Errorf("receive: %w", err)
	}
	if err := u.complete(); err != nil {
		return at.offset, err
	}
	return at.offset, u.closeFile()
}

// kept takes note of what has come so far, and syncs it where that is wanted.
func (u *upload) kept(at position) error {
	if err := u.claim.advance(at.offset); err != nil {
		return err
	}
	if every := u.store.opts.SyncEvery; every == 0 || at.offset-u.synced < every {
		return nil
	}
	u.synced = at.offset
	if err := u.store.syncNow(u.file); err != nil {
		return classify("sync upload", err)
	}
	return nil
}

// complete stamps the file and makes it durable.
func (u *upload) complete() error {
	began := time.Now()
	content, err := stampFile(u.file, u.at.crc)
	if err == nil {
		err = u.store.syncFile(u.file)
	}
	lap(&u.stages.Sync, began)
	if err != nil {
		return classify("sync upload", err)
	}
	u.content = content
	return nil
}

// Stages implements storage.Upload.
func (u *upload) Stages() storage.Stages { return u.stages }

func (u *upload) closeFile() error {
	file := u.file
	u.file = nil
	if err := file.Close(); err != nil {
		return classify("close upload", err)
	}
	return nil
}

// Publish implements storage.Upload.
func (u *upload) Publish(context.Context) (storage.Published, error) {
	if u.file != nil || u.temp == "" {
		return storage.Published{}, fmt.Errorf("publish: %w", storage.ErrIncomplete)
	}
	began := time.Now()
	published, replaced, err := u.store.publish(u.temp, u.content, u.spec.Name, u.spec.Condition, nil)
	if err == nil {
		u.temp = ""
		u.claim.publish(replaced)
		err = u.store.syncFolder(fsPath(published.Name.Parent()))
	}
	lap(&u.stages.Sync, began)
	if err != nil {
		return storage.Published{}, err
	}
	published.Digest = storage.NewCRC64NVME(u.at.crc)
	return published, nil
}

// Abort implements storage.Upload.
func (u *upload) Abort() error {
	var errs []error
	if u.file != nil {
		errs = append(errs, u.closeFile())
	}
	if u.temp != "" {
		if err := u.store.removeUploadFile(u.temp); err != nil {
			errs = append(errs, classifyWrite("abort upload", err))
		}
		u.claim.release()
		u.temp = ""
	}
	return errors.Join(errs...)
}
