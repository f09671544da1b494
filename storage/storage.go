// Package storage is the contract between the protocols and the disk: what a
// store can do with files and uploads, how they are named, and which errors it
// answers with.
//
// It owns names ([Name]), the sentinel errors and the interfaces. It must not
// know HTTP, tus or any implementation; implementations point at it, and every
// one of them has to pass the suite in storage/storagetest.
//
// Everything here takes a plain [io.Reader] or [io.Writer]. A store reads
// straight into large blocks of its own, so whatever stands between the socket
// and the store must pass a large p through untouched.
package storage

import (
	"context"
	"io"
	"iter"
	"time"
)

// UnknownSize stands for a length that nobody has declared yet.
const UnknownSize int64 = -1

// Store keeps whole files under names. Its methods may be called concurrently.
type Store interface {
	// Check tells whether an upload to name would be taken now: ErrIsFolder or
	// ErrNotFolder where name can't become a file, ErrCondition where the
	// condition doesn't hold, ErrExists where the store keeps the file that is
	// there.
	Check(name Name, condition Condition) error

	// CheckSpace tells whether an upload of size bytes, or of UnknownSize, would
	// find its place now: ErrNoSpace where it wouldn't, ErrReadOnly where none
	// would.
	CheckSpace(size int64) error

	// Reserve sets space aside for the uploads that will be created within it:
	// for size bytes in all, or none for UnknownSize. It fails as CheckSpace does.
	Reserve(size int64) (Reservation, error)

	// Create begins an upload that becomes visible under its name by Publish
	// and not before. It leaves the name to Check, which callers ask first so as
	// to refuse early, and to Publish.
	Create(ctx context.Context, spec UploadSpec) (Upload, error)

	// Open opens the file under name for reading. Folders, links that leave the
	// root and everything that isn't a regular file answer ErrIsFolder or
	// ErrNotFound, without blocking.
	Open(ctx context.Context, name Name) (Object, error)

	// List returns the folder's files and folders sorted by name, at most limit
	// of them, and whether there were more.
	List(ctx context.Context, folder Name, limit int) (entries []Info, more bool, err error)

	// Walk yields the folder and then everything below it, each folder before its
	// members and these sorted by name. Links and whatever else is neither a file
	// nor a folder are left out, and so is what vanishes meanwhile. An error ends
	// the walk. Memory follows the largest folder, not the whole.
	Walk(ctx context.Context, folder Name) iter.Seq2[Info, error]

	// Remove removes a file, or a folder that is empty (else ErrNotEmpty).
	Remove(ctx context.Context, name Name) error

	// MakeFolder makes an empty folder, durably, and the folders above it that
	// are missing. ErrExists where something stands under the name already,
	// ErrNotFolder where a file stands above it.
	MakeFolder(ctx context.Context, name Name) error

	// Rename gives a file, or a folder with all that stands below it, another
	// name: in one step, durably, with the folders above that name that are
	// missing. It replaces a file by a file if replace allows it and the store
	// replaces files at all, else ErrExists; never a folder (ErrIsFolder), nor
	// anything by a folder (ErrNotFolder). Nothing moves to where it stands or
	// into itself (ErrIntoItself). It tells whether a file was replaced.
	Rename(ctx context.Context, from, to Name, replace bool) (replaced bool, err error)

	// CreateResumable begins an upload that survives broken connections and
	// restarts until it is finished or dropped. Parts that aren't complete are
	// ErrIncomplete; ones that another upload has been joined from lead to that
	// upload if it has the same parts, and else are ErrFinished.
	CreateResumable(ctx context.Context, spec ResumableSpec) (Resumable, error)

	// Resume finds a resumable upload by its id; ErrNotFound for an id that is
	// unknown or not of the store's own form.
	Resume(ctx context.Context, id string) (Resumable, error)
}

// Upload is one file on its way in. It belongs to one goroutine.
type Upload interface {
	// Receive moves src to the store until io.EOF and returns the bytes that
	// arrived. It may be called once. A declared size that src falls short of
	// is ErrTruncated, one that it passes is ErrSizeExceeded, and content that
	// hasn't one of the expected digests is ErrDigest; an error of src comes
	// back wrapped.
	Receive(ctx context.Context, src io.Reader) (int64, error)

	// Publish makes the received file visible under its name in one step and
	// durably. The condition is checked once more, together with that step.
	// Where a store stores beside a file that is there, the name it tells may
	// be another than was asked for.
	Publish(ctx context.Context) (Published, error)

	// Stages tells where the time went so far.
	Stages() Stages

	// Abort removes what was received. After Publish it does nothing, so it can
	// be deferred.
	Abort() error
}

// UploadSpec describes a one-shot upload.
type UploadSpec struct {
	Name Name
	// Size is the declared length in bytes, or UnknownSize.
	Size      int64
	Condition Condition
	// Digests are what the content has to have, each of an algorithm that
	// NewHash knows. No hash is computed but for these.
	Digests []Digest
	// Within is the reservation that the upload draws on before it takes more
	// space; nil for none.
	Within Reservation
}

// Reservation is space for uploads of which only the length in all is known.
type Reservation interface {
	// Release gives back what no upload has drawn. It must be called once.
	Release()
}

// Condition says whether an upload may be published over what stands under its
// name now: a file, or nothing where current is nil. It returns ErrCondition,
// wrapped, where it may not. A nil Condition always holds.
type Condition func(current *Info) error

// Stages is where the time of a transfer went. Disk and Socket overlap, so the
// sum may pass the time on the clock.
type Stages struct {
	// Socket is waiting for the other end to send, or to take, bytes.
	Socket time.Duration
	// Buffer is waiting for a free block: for the budget, or for the slower end.
	Buffer time.Duration
	// Disk is writing to, or reading from, the disk.
	Disk time.Duration
	// Digest is computing checksums.
	Digest time.Duration
	// Sync is making data and folders durable.
	Sync time.Duration
}

// Plus is the sum of both.
func (s Stages) Plus(t Stages) Stages {
	return Stages{
		Socket: s.Socket + t.Socket,
		Buffer: s.Buffer + t.Buffer,
		Disk:   s.Disk + t.Disk,
		Digest: s.Digest + t.Digest,
		Sync:   s.Sync + t.Sync,
	}
}

// Published tells of a file that has just become visible.
type Published struct {
	Info
	// Replaced reports whether an older file stood under the name.
	Replaced bool
}

// Object is one version of a file, open for reading: it stays whole when the
// name is replaced or removed meanwhile.
type Object interface {
	Info() Info

	// Send writes n bytes from offset off to w. Fewer bytes than n are an
	// error (ErrTruncated where the file has shrunk under it).
	Send(ctx context.Context, w io.Writer, off, n int64) (int64, error)

	// Unchanged fails with ErrChanged where the file has been changed in place
	// since it was opened, as far as the store can tell without reading it. The
	// store itself never does that.
	Unchanged() error

	// Stages tells where the time of Send went so far.
	Stages() Stages

	Close() error
}

// Resumable is an upload that is received in pieces. One goroutine at a time
// may use it: callers lock by its id.
type Resumable interface {
	Info() ResumableInfo

	// Append moves src to the end of the upload until io.EOF, at most to the
	// declared size, and returns the bytes that were kept; the piece's offset has
	// to be the upload's (else ErrOffset). Also with an error, what was kept is
	// safe and counted in Info().Offset. A piece with a digest is kept whole or,
	// with an error or as ErrDigest, not at all.
	Append(ctx context.Context, piece Piece, src io.Reader) (int64, error)

	// Join makes the upload's content out of its Parts, which then hold none
	// themselves, and publishes it as Finish does. What a crash has left of it is
	// gone on with by calling it again.
	Join(ctx context.Context) (Published, error)

	// SetSize declares the length of an upload that was created without one.
	SetSize(ctx context.Context, size int64) error

	// Finish publishes the complete upload under its name, as Upload.Publish
	// does. Finishing twice returns the same file.
	Finish(ctx context.Context) (Published, error)

	// Stages tells where the time of Append and Finish went since the upload
	// was created or resumed.
	Stages() Stages

	// Drop removes the upload; a file that was already published stays.
	Drop(ctx context.Context) error
}

// ResumableSpec describes a resumable upload to be created.
type ResumableSpec struct {
	// Name is what the finished file will be called. The zero Name stands for
	// the upload's id.
	Name Name
	// Size is the length in bytes, or UnknownSize until SetSize.
	Size int64
	// Metadata is kept for the protocol, untouched.
	Metadata map[string]string
	// Owner is who has created it, kept for the protocol too.
	Owner string
	// Part tells that the upload is not to be published, but joined into another.
	Part bool
	// Parts are the ids of the uploads that this one is to be joined from, in
	// their order. It has the size that they have together, and takes no bytes
	// but theirs.
	Parts []string
}

// Piece is one piece of a resumable upload.
type Piece struct {
	// Offset is where it begins, in bytes.
	Offset int64
	// Digest is what the piece has to have, of an algorithm that NewHash knows;
	// the zero Digest is any.
	Digest Digest
	// Trailer, where it isn't nil, is asked for the digest in place of Digest
	// when all of the piece has come.
	Trailer func() (Digest, error)
}

// ResumableInfo is the state of a resumable upload.
type ResumableInfo struct {
	// ID is unguessable and safe in URLs and as a file name.
	ID string
	ResumableSpec
	// Offset is the number of bytes that are safely stored.
	Offset int64
	// Finished tells that the file has been published under Name.
	Finished bool
	// Changed is when the upload last grew or was changed.
	Changed time.Time
}

// Info describes a file or folder.
type Info struct {
	Name    Name
	Size    int64
	ModTime time.Time
	Folder  bool
	// Version differs between any two contents that stood under the name, as
	// far as the store can tell without reading them. It is opaque. Where the
	// digest is known, equal contents have equal versions.
	Version string
	// Digest is the digest of the content, the zero Digest where unknown.
	Digest Digest
}
