package storage

import "errors"

// The errors that callers may tell apart with errors.Is. Stores wrap them with
// what happened; the wrapping text is for the log and never for the client.
var (
	// ErrName: the name breaks the rules of ParseName.
	ErrName = errors.New("invalid name")
	// ErrNotFound: there is no such file, folder or upload.
	ErrNotFound = errors.New("not found")
	// ErrIsFolder: a folder stands where a file is wanted.
	ErrIsFolder = errors.New("is a folder")
	// ErrNotFolder: a file stands where a folder is wanted.
	ErrNotFolder = errors.New("is not a folder")
	// ErrNotEmpty: the folder to be removed still holds something.
	ErrNotEmpty = errors.New("folder not empty")
	// ErrExists: something stands under the name, and is to stay there.
	ErrExists = errors.New("already exists")
	// ErrIntoItself: a file or folder can't be moved to where it stands, nor a
	// folder to below itself.
	ErrIntoItself = errors.New("move into itself")
	// ErrCondition: the file isn't in the state that the caller asked for.
	ErrCondition = errors.New("condition does not hold")
	// ErrTruncated: fewer bytes came than were declared.
	ErrTruncated = errors.New("content is shorter than declared")
	// ErrChanged: the file was changed in place while it was being read.
	ErrChanged = errors.New("content has changed")
	// ErrSizeExceeded: more bytes came than were declared.
	ErrSizeExceeded = errors.New("content is longer than declared")
	// ErrOffset: the piece doesn't begin where the upload ends.
	ErrOffset = errors.New("wrong upload offset")
	// ErrIncomplete: the upload can't be finished before all of it is there.
	ErrIncomplete = errors.New("upload is not complete")
	// ErrFinished: the upload is finished and takes no more.
	ErrFinished = errors.New("upload is already finished")
	// ErrNoSpace: the disk, the quota or the table of files is full.
	ErrNoSpace = errors.New("no space left")
	// ErrPermission: the store may not do that at this place.
	ErrPermission = errors.New("not permitted")
	// ErrReadOnly: nothing can be stored at this place, because its disk is
	// read-only or the store lacks the right to write there.
	ErrReadOnly = errors.New("read-only")
	// ErrBusy: the store has run out of something that comes back, such as
	// file descriptors.
	ErrBusy = errors.New("store is busy")
)
