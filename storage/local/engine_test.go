package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unsafe"

	"sluice/internal/blocks"
	"sluice/storage"
)

func openStore(t *testing.T, opts Options) *Store {
	t.Helper()
	opts.Root = t.TempDir()
	if opts.Blocks == nil {
		opts.Blocks = blocks.New(64 << 20)
	}
	s, err := Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// zeros gives n zero bytes and notes the memory that it is asked to fill.
type zeros struct {
	n     int64
	asked [][2]uintptr // address and length of every p
}

func (z *zeros) Read(p []byte) (int, error) {
	if z.n == 0 {
		return 0, io.EOF
	}
	z.asked = append(z.asked, [2]uintptr{uintptr(unsafe.Pointer(&p[0])), uintptr(len(p))})
	n := min(z.n, int64(len(p)))
	z.n -= n
	return int(n), nil
}

func receive(t *testing.T, s *Store, name string, src io.Reader, size int64) {
	t.Helper()
	parsed, err := storage.ParseName(name)
	if err != nil {
		t.Fatal(err)
	}
	up, err := s.Create(t.Context(), storage.UploadSpec{Name: parsed, Size: size})
	if err != nil {
		t.Fatal(err)
	}
	defer up.Abort()
	if _, err := up.Receive(t.Context(), src); err != nil {
		t.Fatal(err)
	}
	if _, err := up.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// The stream is read by large slices into blocks, which grow to the full size;
// nothing stands between it and the memory that is written from.
func TestReceiveReadsIntoLargeBlocks(t *testing.T) {
	t.Parallel()
	const size, block = 64 << 20, 4 << 20
	s := openStore(t, Options{BlockSize: block})
	src := &zeros{n: size}
	receive(t, s, "f", src, size)
	var large, full int64
	starts := map[uintptr]bool{}
	var begin, end uintptr // of the block that is being filled
	for _, p := range src.asked {
		if p[0]%blocks.Align != 0 {
			t.Errorf("asked to fill %d bytes at %#x, which isn't aligned", p[1], p[0])
		}
		if p[1] == digestSlice {
			large += digestSlice
		}
		if p[0] != end {
			begin = p[0]
			starts[begin] = true
		}
		if end = p[0] + p[1]; end-begin == block {
			full += block
			end = 0 // the next block may stand right behind this one
		}
	}
	if large < size*8/10 {
		t.Errorf("%d of %d bytes were read by large slices", large, size)
	}
	if full < size*8/10 {
		t.Errorf("%d of %d bytes were read into full blocks", full, size)
	}
	if len(starts) > 12 {
		t.Errorf("%d different blocks for one transfer", len(starts))
	}
}

// Where the file system has direct I/O, all of a large file but its end goes
// that way.
func TestReceiveWritesDirectly(t *testing.T) {
	t.Parallel()
	s := openStore(t, Options{})
	if !hasDirectIO(t, s.opts.Root) {
		t.Log("no direct I/O here")
		if s.DirectIO() {
			t.Error("the store thinks that there is")
		}
		return
	}
	const size = 16<<20 + 1
	for _, declared := range []int64{size, storage.UnknownSize} {
		before := s.Stats().WrittenDirect.Load()
		receive(t, s, "f", &zeros{n: size}, declared)
		if direct := s.Stats().WrittenDirect.Load() - before; direct != size-1 {
			t.Errorf("%d of %d bytes were written directly", direct, size)
		}
	}
	if buffered := s.Stats().WrittenBuffered.Load(); buffered != 2 {
		t.Errorf("%d bytes went through the page cache, want the 2 at the ends", buffered)
	}
}

func TestBufferedMode(t *testing.T) {
	t.Parallel()
	s := openStore(t, Options{IO: IOBuffered})
	receive(t, s, "f", &zeros{n: 1 << 20}, 1<<20)
	if direct := s.Stats().WrittenDirect.Load(); direct != 0 {
		t.Errorf("%d bytes were written directly", direct)
	}
}

// A piece that begins at an odd offset is aligned again after one page.
func TestAppendAlignsItself(t *testing.T) {
	t.Parallel()
	s := openStore(t, Options{})
	r, err := s.CreateResumable(t.Context(), storage.ResumableSpec{Size: 10 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Append(t.Context(), storage.Piece{}, &zeros{n: 4097}); err != nil {
		t.Fatal(err)
	}
	before := s.Stats().WrittenDirect.Load()
	if _, err := r.Append(t.Context(), storage.Piece{Offset: 4097}, &zeros{n: 10<<20 - 4097}); err != nil {
		t.Fatal(err)
	}
	if s.DirectIO() {
		if direct := s.Stats().WrittenDirect.Load() - before; direct != 10<<20-8192 {
			t.Errorf("%d bytes were written directly, want all behind the second page", direct)
		}
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		off            int64
		n, align       int
		head, body, at int
	}{
		{0, 8192, 4096, 0, 8192, 8192},
		{0, 4097, 4096, 0, 4096, 4096},
		{1, 4095, 4096, 4095, 0, 4095},
		{1, 10, 4096, 10, 0, 10},
		{4095, 8193, 4096, 1, 8192, 8193},
		{5, 100, 0, 100, 0, 100},
	} {
		head, body := split(test.off, test.n, test.align)
		if head != test.head || body != test.body {
			t.Errorf("split(%d, %d, %d) = %d, %d; want %d, %d", test.off, test.n, test.align, head, body, test.head, test.body)
		}
	}
}

var errDisk = errors.New("disk broke")

// When draining fails, filling stops at once and every block comes back.
func TestRelayStopsWhenDrainFails(t *testing.T) {
	t.Parallel()
	pool := blocks.New(8 << 20)
	r := relay{pool: pool, max: 1 << 20, limit: 3}
	fill := func(mem []byte, _ func() bool) (piece, error) { return piece{data: mem}, nil } // endless
	drained := 0
	_, err := r.run(t.Context(), fill, func(piece) error {
		if drained++; drained == 5 {
			return errDisk
		}
		return nil
	})
	if !errors.Is(err, errDisk) || drained != 5 {
		t.Errorf("after %d blocks: %v", drained, err)
	}
	if lent := pool.Stats().Lent; lent != 0 {
		t.Errorf("%d bytes of blocks are still lent", lent)
	}
}

// A transfer waits for a block no longer than its context lasts.
func TestRelayGivesUpWithContext(t *testing.T) {
	t.Parallel()
	pool := blocks.New(64 << 10)
	held, err := pool.Get(t.Context(), 64<<10)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := relay{pool: pool, max: 1 << 20, limit: 2}
	if _, err := r.run(ctx, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("run = %v", err)
	}
}

// Truncation by another program ends a download with an error, never with
// other bytes.
func TestSendOfShrunkFile(t *testing.T) {
	t.Parallel()
	for _, mode := range []Send{SendDirect, SendFile, SendAuto} {
		s := openStore(t, Options{Send: mode})
		receive(t, s, "f", &zeros{n: 3 << 20}, 3<<20)
		name, _ := storage.ParseName("f")
		object, err := s.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		defer object.Close()
		if err := os.Truncate(filepath.Join(s.opts.Root, "f"), 1<<20); err != nil {
			t.Fatal(err)
		}
		for attempt := range 2 { // the second one of SendAuto is mapped
			var out bytes.Buffer
			n, err := object.Send(t.Context(), &out, 0, 3<<20)
			if !errors.Is(err, storage.ErrTruncated) || n > 1<<20 || int64(out.Len()) < n {
				t.Errorf("%s, attempt %d: sent %d, %v", mode, attempt, n, err)
			}
		}
	}
}

// A large file is read past the page cache the first time, through it when it
// is asked for again, and from it ever after.
func TestSendWarmsUp(t *testing.T) {
	t.Parallel()
	s := openStore(t, Options{})
	if !s.DirectIO() {
		t.Log("no direct I/O here")
		return
	}
	const size = 8<<20 + 5
	receive(t, s, "f", &zeros{n: size}, size)
	for i, want := range []struct{ direct, buffered int64 }{{size, 0}, {size, size}, {size, 2 * size}} {
		name, _ := storage.ParseName("f")
		object, err := s.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if n, err := object.Send(t.Context(), &out, 0, size); n != size || err != nil || out.Len() != size {
			t.Fatalf("download %d: %d, %v", i, n, err)
		}
		if direct, buffered := s.Stats().ReadDirect.Load(), s.Stats().ReadBuffered.Load(); direct != want.direct || buffered != want.buffered {
			t.Errorf("after download %d: %d bytes directly, %d through the page cache; want %+v", i, direct, buffered, want)
		}
		object.Close()
	}
}

func TestRecency(t *testing.T) {
	t.Parallel()
	var r recency
	for i, want := range []bool{false, true, false, false} {
		if got := r.warm("f"); got != want {
			t.Errorf("request %d: warm it up: %t", i, got)
		}
	}
	for i := range 3 * hotFiles {
		if r.warm(fmt.Sprint(i)) {
			t.Fatalf("%d is new", i)
		}
	}
	if r.warm("f") || len(r.files) > hotFiles {
		t.Errorf("%d files are remembered", len(r.files))
	}
}

// A stream that fills its blocks slowly holds one of them at a time, for many
// such streams come at once.
func TestSlowStreamHoldsOneBlock(t *testing.T) {
	t.Parallel()
	pool := blocks.New(64 << 20)
	r := relay{pool: pool, max: 1 << 20, limit: 2}
	fills := 0
	_, err := r.run(t.Context(), func(mem []byte, _ func() bool) (piece, error) {
		if lent := pool.Stats().Lent; lent != blocks.MinSize {
			t.Errorf("fill %d: %d bytes are lent", fills, lent)
		}
		time.Sleep(quickEnough)
		if fills++; fills == 4 {
			return piece{}, io.EOF
		}
		return piece{data: mem}, nil
	}, func(piece) error { return nil })
	if err != nil {
		t.Error(err)
	}
}

// A stream that has become slow gives back what it took while it was quick.
func TestSlowedStreamGivesBlockBack(t *testing.T) {
	t.Parallel()
	pool := blocks.New(64 << 20)
	p := producer{
		relay: relay{pool: pool, max: blocks.MinSize, limit: 2},
		size:  newLadder(blocks.MinSize),
		held:  2,
		took:  2 * tooSlow,
		empty: make(chan spent, 2),
	}
	for range p.held {
		p.empty <- spent{block: pool.TryGet(blocks.MinSize)}
	}
	block, err := p.next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if lent := pool.Stats().Lent; lent != blocks.MinSize || p.held != 1 {
		t.Errorf("%d bytes are lent, %d blocks held", lent, p.held)
	}
	block.Release()
}

// A panic at either end of a relay, in the first block or a later one, is an
// error, and no block is lost.
func TestRelayPanics(t *testing.T) {
	t.Parallel()
	for _, at := range []int{1, 3} {
		for _, end := range []string{"fill", "drain"} {
			t.Run(fmt.Sprintf("%s %d", end, at), func(t *testing.T) {
				t.Parallel()
				pool := blocks.New(16 << 20)
				r := relay{pool: pool, max: 1 << 20, limit: 2}
				fills, drains := 0, 0
				_, err := r.run(t.Context(), func(mem []byte, _ func() bool) (piece, error) {
					if fills++; end == "fill" && fills == at {
						panic("of the source")
					}
					return piece{data: mem}, nil
				}, func(piece) error {
					if drains++; end == "drain" && drains == at {
						panic("of the sink")
					}
					return nil
				})
				if err == nil || !strings.Contains(err.Error(), "panic: of the") {
					t.Errorf("error %v, want the panic", err)
				}
				if lent := pool.Stats().Lent; lent != 0 {
					t.Errorf("%d bytes are still lent", lent)
				}
			})
		}
	}
}
