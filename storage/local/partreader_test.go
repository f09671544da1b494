package local

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"

	"sluice/internal/blocks"
)

// Whatever the range and the memory there is, the reader gives what stands there.
func TestPartReader(t *testing.T) {
	t.Parallel()
	data := make([]byte, 3*blocks.MinSize+17)
	for i := range data {
		data[i] = byte(i * 7 >> 3)
	}
	path := filepath.Join(t.TempDir(), "part")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	size := int64(len(data))
	for _, memory := range []bool{true, false} {
		s := openStore(t, Options{BlockSize: blocks.MinSize, Blocks: blocks.New(8 * blocks.MinSize)})
		if !memory {
			for s.engine.relay.pool.TryGet(blocks.MinSize) != nil {
			}
		}
		for _, at := range [][2]int64{{0, size}, {1, size}, {4096, size - 1}, {4097, 4098}, {size - 1, size}, {blocks.MinSize, 2 * blocks.MinSize}} {
			t.Run(fmt.Sprintf("%d to %d, memory %t", at[0], at[1], memory), func(t *testing.T) {
				file, err := os.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				defer file.Close()
				r := s.engine.newPartReader(file, IOAuto, at[0], at[1])
				defer r.release()
				if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, data[at[0]:at[1]]) {
					t.Errorf("%d bytes, %v", len(got), err)
				}
			})
		}
	}
}

// A part that is shorter than it was ends in an error, not in silence.
func TestPartReaderTruncated(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "part")
	if err := os.WriteFile(path, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []IO{IOAuto, IOBuffered} {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		r := openStore(t, Options{}).engine.newPartReader(file, mode, 0, 10)
		defer r.release()
		got, err := io.ReadAll(iotest.OneByteReader(r))
		if string(got) != "short" || err == nil {
			t.Errorf("%q, %v", got, err)
		}
	}
}
