package record

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// ErrTruncated says that records end before their last row: the tester, or the
// disk, came to an end before the run did.
var ErrTruncated = errors.New("records are cut short")

// CheckName tells whether the name of a file says in which form its records are:
// .jsonl or .csv, with .zst behind it if they are compressed.
func CheckName(name string) error {
	switch plain := strings.TrimSuffix(name, ".zst"); {
	case strings.HasSuffix(plain, ".jsonl"), strings.HasSuffix(plain, ".csv"):
		return nil
	}
	return fmt.Errorf("records: %q ends neither in .jsonl nor in .csv, nor in one of them and .zst", name)
}

// File is a sink that writes rows to a file. What came before the row of a second
// or of a repeat has reached the system when Write returns, so that a run that is
// killed leaves its records. It holds a fixed amount of memory.
type File struct {
	mu      sync.Mutex
	file    *os.File
	buffer  *bufio.Writer
	zstd    *zstd.Encoder // nil if the file isn't compressed
	encoder encoder
	rows    int64
}

// Create makes the file of that name, whose ending is as [CheckName] wants.
func Create(name string) (*File, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	f := &File{file: file, buffer: bufio.NewWriterSize(file, 64<<10)}
	var w io.Writer = f.buffer
	plain, compressed := strings.CutSuffix(name, ".zst")
	if compressed {
		// One goroutine and the fastest level, or else compressing would compete with
		// what is measured.
		f.zstd, err = zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(256<<10))
		w = f.zstd
	}
	if err == nil && strings.HasSuffix(plain, ".csv") {
		f.encoder, err = newTable(w)
	} else {
		f.encoder = lines{w}
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return f, nil
}

// Write adds the row.
func (f *File) Write(row Row) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.encoder.encode(row); err != nil {
		return fmt.Errorf("write records: %w", err)
	}
	f.rows++
	switch row.(type) {
	case *Second, *Repeat:
		return f.flush()
	}
	return nil
}

func (f *File) flush() error {
	err := f.encoder.flush()
	if err == nil && f.zstd != nil {
		err = f.zstd.Flush()
	}
	if err == nil {
		err = f.buffer.Flush()
	}
	if err != nil {
		return fmt.Errorf("write records: %w", err)
	}
	return nil
}

// Close writes the last row and closes the file.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.encoder.encode(&end{Rows: f.rows})
	err = errors.Join(err, f.encoder.flush())
	if f.zstd != nil {
		err = errors.Join(err, f.zstd.Close())
	}
	return errors.Join(err, f.buffer.Flush(), f.file.Close())
}

// ReadFile passes the rows of the file of that name to sink, in the order in which
// they were written. Where the file has been cut short, that is all the rows it
// has and an error that wraps [ErrTruncated].
func ReadFile(name string, sink Sink) error {
	if err := CheckName(name); err != nil {
		return err
	}
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	plain, compressed := strings.CutSuffix(name, ".zst")
	var r io.Reader = bufio.NewReaderSize(file, 64<<10)
	if compressed {
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		defer z.Close()
		r = z
	}
	if err := read(r, strings.HasSuffix(plain, ".csv"), sink); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// read passes the rows of r to sink.
func read(r io.Reader, isTable bool, sink Sink) error {
	var d decoder = newParser(r)
	if isTable {
		t, err := newTableReader(r)
		if err != nil {
			return err
		}
		d = t
	}
	for rows := int64(0); ; rows++ {
		row, err := d.decode()
		switch {
		case err != nil && truncated(err):
			return fmt.Errorf("%w after %d rows", ErrTruncated, rows)
		case err != nil:
			return fmt.Errorf("row %d: %w", rows+1, err)
		}
		if last, ok := row.(*end); ok {
			if last.Rows != rows {
				return fmt.Errorf("%w: %d rows of %d", ErrTruncated, rows, last.Rows)
			}
			return nil
		}
		if header, ok := row.(*Header); ok && header.Version != Version {
			return fmt.Errorf("records of version %d, of which this program knows nothing", header.Version)
		}
		if err := sink.Write(row); err != nil {
			return err
		}
	}
}
