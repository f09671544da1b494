package local_test

import (
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"sluice/storage"
	"sluice/storage/local"
	"sluice/storage/storagetest"
)

// BenchmarkJoin stores 4 GiB in the folder for temporary files: in one piece, and
// in four parts of which the join alone is timed. The second kind of parts doesn't
// end at blocks, as most don't. Disk/op is how much more of the disk than the
// content was taken at the worst moment.
func BenchmarkJoin(b *testing.B) {
	const parts, size = 4, 1 << 30
	b.Run("one piece", func(b *testing.B) {
		b.SetBytes(parts * size)
		for b.Loop() {
			s, _ := open(b, local.Options{Root: b.TempDir()})
			r := create(b, s, storage.ResumableSpec{Size: parts * size, Name: storagetest.Name(b, "f")}, parts*size)
			if _, err := r.Finish(b.Context()); err != nil {
				b.Fatal(err)
			}
			discard(b, s)
		}
	})
	for _, size := range []int64{size, size + 1} {
		b.Run(fmt.Sprintf("parts of %d", size), func(b *testing.B) {
			b.SetBytes(parts * size)
			var more int64
			for b.Loop() {
				b.StopTimer()
				root := b.TempDir()
				s, _ := open(b, local.Options{Root: root})
				spec := storage.ResumableSpec{Name: storagetest.Name(b, "f")}
				before := taken(b, root)
				for range parts {
					spec.Parts = append(spec.Parts, create(b, s, storage.ResumableSpec{Size: size, Part: true}, size).Info().ID)
				}
				r, err := s.CreateResumable(b.Context(), spec)
				if err != nil {
					b.Fatal(err)
				}
				peak := watch(b, root)
				b.StartTimer()
				if _, err = r.Join(b.Context()); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				more = max(more, peak()-before-parts*size)
				discard(b, s)
				b.StartTimer()
			}
			b.ReportMetric(float64(more)/(1<<20), "MiB-more-disk/op")
		})
	}
}

// create makes an upload of which size bytes have come.
func create(b *testing.B, s *local.Store, spec storage.ResumableSpec, size int64) storage.Resumable {
	b.Helper()
	r, err := s.CreateResumable(b.Context(), spec)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := r.Append(b.Context(), storage.Piece{}, io.LimitReader(zeros{}, size)); err != nil {
		b.Fatal(err)
	}
	return r
}

type zeros struct{}

// Read leaves what is there: what is measured is the disk.
func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func discard(b *testing.B, s *local.Store) {
	b.Helper()
	if err := s.Remove(b.Context(), storagetest.Name(b, "f")); err != nil {
		b.Fatal(err)
	}
}

// taken is what is in use of the disk, in bytes.
func taken(b *testing.B, dir string) int64 {
	b.Helper()
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		b.Fatal(err)
	}
	return int64(st.Blocks-st.Bfree) * int64(st.Bsize)
}

// watch looks at the disk until it is asked for the most that was taken.
func watch(b *testing.B, dir string) (peak func() int64) {
	var most int64
	stop := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		ticker := time.NewTicker(10 * time.Millisecond)
		defer ticker.Stop()
		for {
			most = max(most, taken(b, dir))
			select {
			case <-stop:
				return
			case <-ticker.C:
			}
		}
	})
	return func() int64 {
		close(stop)
		watching.Wait()
		return most
	}
}
