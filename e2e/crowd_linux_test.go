package e2e_test

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// crowd is how many clients come at once.
type crowd struct {
	slow, stalled, fast int
	seconds             int // that the slow ones take
	idle                int // connections that just stay
}

// crowdFull is a variable of the environment: when it is set, as many clients
// come as the server has to bear.
const crowdFull = "CROWD_FULL"

func crowdSize() crowd {
	if os.Getenv(crowdFull) != "" {
		return crowd{slow: 1000, stalled: 500, fast: 4, seconds: 60, idle: 5000}
	}
	return crowd{slow: 250, stalled: 120, fast: 4, seconds: 6, idle: 1000}
}

// slowRate is that of slow clients, in bytes per second.
const slowRate = 20_000

// Slow, dead and fast clients at once cost little memory; dead ones are sent
// away, the others are served, and nothing of them stays.
//
// https://github.com/php/frankenphp/pull/2465
// https://github.com/gofiber/fiber/issues/4263
func TestCrowd(t *testing.T) {
	t.Parallel()
	size := crowdSize()
	s := startShipped(t, "--idle-timeout", "3s", "--header-timeout", "3s")
	s.put("warm-up", "content")
	eventually(t, "the server is at rest", s.atRest)
	goroutines, descriptors := s.goroutines(), s.descriptors()

	stalled, slow := s.stall(size.stalled), s.slow(size)
	fast := s.fast(size.fast)
	stalled.Wait()
	t.Log("all stalled clients are gone")
	slow.Wait()
	fast()
	for i := range size.slow {
		info, err := os.Stat(s.file(slowName(i)))
		if err != nil || info.Size() != int64(size.seconds)*slowRate {
			t.Fatalf("%s is not whole: %v", slowName(i), err)
		}
	}
	if got := len(s.stored()); got != size.slow+size.fast+1 {
		t.Errorf("%d files are stored, want %d", got, size.slow+size.fast+1)
	}
	s.staysBelow(220_000_000)
	eventually(t, "the server is at rest", s.atRest)
	eventually(t, "goroutines and descriptors are what they were", func() bool {
		return s.goroutines() <= goroutines+20 && s.descriptors() <= descriptors+4
	})
}

// stall opens connections on which nothing more comes, half of them in the head
// and half in the body, and ends when all of them are closed.
func (s *server) stall(n int) *sync.WaitGroup {
	s.t.Helper()
	var waiting sync.WaitGroup
	for i := range n {
		p := dial(s.t, s)
		if i%2 == 0 {
			p.send("PUT /files/stalled HTTP/1.1\r\nHost: x\r\nContent-")
		} else {
			p.send(requestHead("PUT", "/files/stalled-"+strconv.Itoa(i), length(999_999)), strings.Repeat("x", 9000))
		}
		waiting.Go(func() {
			got := p.rest().statuses()
			if slices.ContainsFunc(got, func(status int) bool { return status != 408 }) {
				s.t.Errorf("a stalled client got statuses %v, want 408 or none", got)
			}
		})
	}
	return &waiting
}

func slowName(i int) string { return fmt.Sprintf("slow-%d", i) }

// slow uploads at a low rate, and ends when all is stored.
func (s *server) slow(size crowd) *sync.WaitGroup {
	s.t.Helper()
	var uploading sync.WaitGroup
	for i := range size.slow {
		u := wayPUT.begin(s, slowName(i), size.seconds*slowRate)
		if err := u.peer.conn.SetDeadline(time.Now().Add(time.Duration(size.seconds)*time.Second + 2*patience)); err != nil {
			s.t.Fatal(err)
		}
		uploading.Go(func() {
			if err := slowly(u, size.seconds); err != nil {
				s.t.Errorf("slow upload: %v", err)
				return
			}
			if reply := u.peer.fin().rest(); !reply.success() {
				s.t.Errorf("slow upload got %q", reply.raw)
			}
		})
	}
	return &uploading
}

// slowly writes at slowRate for so many seconds. Each step is longer than a
// pacer's, for many clients would keep the machine busy with theirs.
func slowly(w io.Writer, seconds int) error {
	const steps = 4 // in a second
	ticker := time.NewTicker(time.Second / steps)
	defer ticker.Stop()
	for range seconds * steps {
		<-ticker.C
		if _, err := w.Write(make([]byte, slowRate/steps)); err != nil {
			return err
		}
	}
	return nil
}

// fast uploads one file after the other on each stream until stop is called.
func (s *server) fast(streams int) (stop func()) {
	const size = 64 * mib
	c := s.client()
	var stopping atomic.Bool
	var moved atomic.Int64
	var uploading sync.WaitGroup
	began := time.Now()
	for i := range streams {
		uploading.Go(func() {
			for !stopping.Load() {
				body := io.LimitReader(endless{}, size)
				if _, err := c.must("PUT", fmt.Sprintf("/files/fast-%d", i), body, size); err != nil {
					s.t.Error(err)
					return
				}
				moved.Add(size)
			}
		})
	}
	return func() {
		stopping.Store(true)
		uploading.Wait()
		s.t.Logf("fast streams: %.0f MB/s", float64(moved.Load())/1e6/time.Since(began).Seconds())
	}
}

// Connections that wait for their next request cost little memory.
func TestIdleConnectionsAreCheap(t *testing.T) {
	t.Parallel()
	const limit = 40 * kib // for each
	n := crowdSize().idle
	s := startShipped(t)
	idleConnection(t, s)
	before := s.memory()
	for range n {
		idleConnection(t, s)
	}
	each := (s.memory() - before) / int64(n)
	t.Logf("%d connections take %.1f KiB each", n, float64(each)/kib)
	if each > limit {
		t.Errorf("a connection takes %d bytes, want at most %d", each, limit)
	}
}
