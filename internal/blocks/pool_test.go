package blocks_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"unsafe"

	"go.uber.org/goleak"

	"sluice/internal/blocks"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const kib = 1 << 10

func get(t *testing.T, p *blocks.Pool, size int) *blocks.Block {
	t.Helper()
	b, err := p.Get(t.Context(), size)
	if err != nil {
		t.Fatalf("Get(%d): %v", size, err)
	}
	return b
}

func TestGetSizes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name         string
		budget       int64
		lent         []int
		ask, granted int
	}{
		{"as asked", 1024 * kib, nil, 512 * kib, 512 * kib},
		{"rounded down", 1024 * kib, nil, 200 * kib, 192 * kib},
		{"never below the minimum", 1024 * kib, nil, 1, 64 * kib},
		{"halved until it fits", 1024 * kib, []int{512 * kib, 128 * kib}, 1024 * kib, 128 * kib},
		{"a quarter is for small ones", 1024 * kib, []int{512 * kib, 256 * kib}, 1024 * kib, 64 * kib},
		{"the last minimum", 192 * kib, []int{128 * kib}, 128 * kib, 64 * kib},
		{"tiny budget", 1, nil, 512 * kib, 64 * kib},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := blocks.New(tt.budget)
			for _, size := range tt.lent {
				defer get(t, p, size).Release()
			}
			b := get(t, p, tt.ask)
			defer b.Release()
			if b.Size() != tt.granted {
				t.Errorf("size = %d, want %d", b.Size(), tt.granted)
			}
			if addr := uintptr(unsafe.Pointer(&b.Bytes()[0])); addr%blocks.Align != 0 {
				t.Errorf("first byte at %#x, not aligned to %d", addr, blocks.Align)
			}
			if s := p.Stats(); s.Lent > s.Budget {
				t.Errorf("lent %d of a budget of %d", s.Lent, s.Budget)
			}
		})
	}
}

func TestGetWaitsForRelease(t *testing.T) {
	t.Parallel()
	p := blocks.New(64 * kib)
	first := get(t, p, 64*kib)
	got := make(chan *blocks.Block)
	go func() {
		b, err := p.Get(context.Background(), 64*kib)
		if err != nil {
			t.Errorf("Get: %v", err)
		}
		got <- b
	}()
	for p.Stats().Waits == 0 {
		select {
		case <-got:
			t.Fatal("a block was lent beyond the budget")
		default:
		}
	}
	if p.TryGet(64*kib) != nil {
		t.Fatal("TryGet lent beyond the budget")
	}
	if !p.Crowded() {
		t.Error("a pool with a queue says it isn't crowded")
	}
	first.Release()
	(<-got).Release()
	if s := p.Stats(); s.Lent != 0 || s.Waits != 1 {
		t.Errorf("stats at rest = %+v", s)
	}
}

func TestGetGivesUpWithContext(t *testing.T) {
	t.Parallel()
	p := blocks.New(64 * kib)
	held := get(t, p, 64*kib)
	cause := errors.New("client left")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	if _, err := p.Get(ctx, 64*kib); !errors.Is(err, cause) {
		t.Errorf("Get with a cancelled context = %v, want %v", err, cause)
	}
	held.Release()
	get(t, p, 64*kib).Release()
}

// Many more borrowers than blocks: all are served, and nothing is lent twice.
func TestCrowd(t *testing.T) {
	t.Parallel()
	const budget = 512 * kib
	p := blocks.New(budget)
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			for range 50 {
				b, err := p.Get(context.Background(), (1+i%8)*64*kib)
				if err != nil {
					t.Errorf("Get: %v", err)
					return
				}
				mem := b.Bytes()
				mem[0], mem[len(mem)-1] = byte(i), byte(i)
				if s := p.Stats(); s.Lent > budget {
					t.Errorf("lent %d of a budget of %d", s.Lent, budget)
				}
				if mem[0] != byte(i) || mem[len(mem)-1] != byte(i) {
					t.Error("a block was lent to two at a time")
				}
				b.Release()
			}
		})
	}
	wg.Wait()
	if s := p.Stats(); s.Lent != 0 {
		t.Errorf("lent at rest = %d", s.Lent)
	}
}

func BenchmarkGetRelease(b *testing.B) {
	p := blocks.New(64 << 20)
	for b.Loop() {
		block, err := p.Get(b.Context(), 4<<20)
		if err != nil {
			b.Fatal(err)
		}
		block.Release()
	}
}
