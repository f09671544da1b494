package local

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// Observer is told what the disk does, right where it is done. Its methods must
// be quick, and are called concurrently.
type Observer interface {
	// Wrote tells how long one write to a file took, past the page cache
	// (direct) or through it.
	Wrote(direct bool, took time.Duration)
	// Synced tells how long making a file or a folder durable took.
	Synced(folder bool, took time.Duration)
	// Failed tells of a fault of the disk, or of a limit that the system sets:
	// what failed and why.
	Failed(Operation, Fault)
}

// Operation is what the store was about when the disk failed it.
type Operation string

// The operations.
const (
	OpCreate  Operation = "create" // making an upload's file and reserving its space
	OpWrite   Operation = "write"
	OpSync    Operation = "sync"
	OpPublish Operation = "publish" // giving a file its name
	OpRead    Operation = "read"
)

// Fault is a kind of failure.
type Fault string

// The kinds of failures.
const (
	FaultFull       Fault = "full"       // no space, no inodes, or beyond a quota of the system
	FaultLimit      Fault = "limit"      // too many open files, or beyond a limit on their size
	FaultReadOnly   Fault = "read_only"  // the file system takes no writes
	FaultPermission Fault = "permission" // the process may not do that
	FaultIO         Fault = "io"         // whatever else the disk says
)

// faults is the kind of each error that tells one. Those of faultNone say that a
// name can't be had, which is its sender's matter.
var faults = []struct {
	err   error
	fault Fault
}{
	{syscall.ENOSPC, FaultFull},
	{syscall.EDQUOT, FaultFull},
	{syscall.EFBIG, FaultLimit},
	{syscall.EMFILE, FaultLimit},
	{syscall.ENFILE, FaultLimit},
	{syscall.EROFS, FaultReadOnly},
	{fs.ErrPermission, FaultPermission},
	{fs.ErrNotExist, faultNone},
	{fs.ErrExist, faultNone},
	{os.ErrClosed, faultNone},
	{syscall.EISDIR, faultNone},
	{syscall.ENOTDIR, faultNone},
	{syscall.ENAMETOOLONG, faultNone},
	{syscall.ELOOP, faultNone},
}

// faultNone is no failure of the disk.
const faultNone Fault = ""

func faultOf(err error) Fault {
	for _, f := range faults {
		if errors.Is(err, f.err) {
			return f.fault
		}
	}
	if escapes(err) {
		return faultNone
	}
	return FaultIO
}

// nobody is the Observer where there is none.
type nobody struct{}

func (nobody) Wrote(bool, time.Duration)  {}
func (nobody) Synced(bool, time.Duration) {}
func (nobody) Failed(Operation, Fault)    {}

// note tells o of err, if it is a fault of the disk, and returns it.
func note(o Observer, op Operation, err error) error {
	if err == nil {
		return nil
	}
	if fault := faultOf(err); fault != faultNone {
		o.Failed(op, fault)
	}
	return err
}

// syncing runs sync under the eyes of o.
func syncing(o Observer, folder bool, sync func() error) error {
	began := time.Now()
	err := sync()
	o.Synced(folder, time.Since(began))
	return note(o, OpSync, err)
}
