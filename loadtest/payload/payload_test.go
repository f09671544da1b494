package payload_test

import (
	"bytes"
	"compress/flate"
	"testing"

	"github.com/minio/crc64nvme"

	"sluice/loadtest/payload"
)

// content returns all bytes of a file.
func content(f payload.File) []byte {
	var data []byte
	for int64(len(data)) < f.Size() {
		data = append(data, f.At(int64(len(data)))...)
	}
	return data
}

func TestFileContent(t *testing.T) {
	t.Parallel()
	const block = payload.BlockSize
	for _, size := range []int64{0, 1, block - 1, block, block + 1, 3*block + 17} {
		file := payload.New(3, 0).File(5, size)
		data := content(file)
		if int64(len(data)) != size {
			t.Fatalf("%d bytes of %d", len(data), size)
		}
		if again := content(payload.New(3, 0).File(5, size)); !bytes.Equal(data, again) {
			t.Errorf("size %d: the same file has other content", size)
		}
		for _, offset := range []int64{0, 1, size / 2, size - 1} {
			if offset < 0 || offset >= size {
				continue
			}
			if piece := file.At(offset); !bytes.HasPrefix(data[offset:], piece) || len(piece) == 0 {
				t.Errorf("size %d: piece at %d is wrong", size, offset)
			}
		}
		if len(file.At(size)) != 0 {
			t.Errorf("size %d: there is something after the end", size)
		}
		if got, want := file.CRC64(), crc64nvme.Checksum(data); got != want {
			t.Errorf("size %d: CRC is %x, want %x", size, got, want)
		}
	}
}

// Even thousands of small files, all of them text, are different.
func TestFilesDiffer(t *testing.T) {
	t.Parallel()
	const files, size = 10_000, 64
	seen := map[string]bool{}
	for seed := range uint64(3) {
		source := payload.New(seed, 1)
		for number := range uint64(files) {
			seen[string(content(source.File(number, size)))] = true
		}
	}
	if len(seen) != 3*files {
		t.Errorf("%d files have %d contents", 3*files, len(seen))
	}
	file := payload.New(1, 0).File(1, 2*payload.BlockSize)
	if bytes.Equal(file.At(0), file.At(payload.BlockSize)) {
		t.Error("two blocks of a file are the same")
	}
}

func TestHowFarContentCanBeCompressed(t *testing.T) {
	t.Parallel()
	for _, share := range []float64{0, 0.5, 0.9} {
		data := content(payload.New(1, share).File(0, payload.BlockSize))
		var packed bytes.Buffer
		w, err := flate.NewWriter(&packed, flate.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got := 1 - float64(packed.Len())/float64(len(data))
		if got < share-0.05 || got > share {
			t.Errorf("%v is compressible, want %v", got, share)
		}
	}
}

func TestMismatch(t *testing.T) {
	t.Parallel()
	const size = 2*payload.BlockSize + 100
	file := payload.New(1, 0).File(0, size)
	for _, test := range []struct {
		name     string
		from, to int
		corrupt  int // offset in the file, -1 for none
		want     int64
	}{
		{"whole", 0, size, -1, -1},
		{"nothing", 7, 7, -1, -1},
		{"first byte", 0, size, 0, 0},
		{"last byte", 0, size, size - 1, size - 1},
		{"last byte of a block", 0, size, payload.BlockSize - 1, payload.BlockSize - 1},
		{"first byte of a block", 5, size, payload.BlockSize, payload.BlockSize},
		{"piece across blocks", payload.BlockSize - 3, payload.BlockSize + 3, -1, -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			data := content(file)
			if test.corrupt >= 0 {
				data[test.corrupt] ^= 1
			}
			if got := file.Mismatch(int64(test.from), data[test.from:test.to]); got != test.want {
				t.Errorf("first mismatch at %d, want %d", got, test.want)
			}
		})
	}
	if got := file.Mismatch(size-1, append(content(file)[size-1:], 'x')); got != size {
		t.Errorf("a byte after the end: mismatch at %d, want %d", got, size)
	}
}

// BenchmarkVerify compares the two ways of checking a piece that has just come,
// and so stands in the processor's cache: in place against the source, and by a
// checksum.
func BenchmarkVerify(b *testing.B) {
	const piece = 256 << 10 // that a download is received in
	file := payload.New(1, 0).File(1, payload.BlockSize)
	data := content(file)[:piece]
	b.Run("in place", func(b *testing.B) {
		b.SetBytes(piece)
		for b.Loop() {
			if file.Mismatch(0, data) >= 0 {
				b.Fatal("mismatch")
			}
		}
	})
	b.Run("crc64nvme", func(b *testing.B) {
		b.SetBytes(piece)
		for b.Loop() {
			crc64nvme.Checksum(data)
		}
	})
}
