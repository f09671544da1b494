package handlers

import (
	"context"
	"io"
	"math"
	"time"
)

// paced writes to the socket in slices that a slow client can take within the
// idle timeout, so that only silence ends a download, and reports progress
// after each.
type paced struct {
	brake *brake
	w     io.Writer
	add   func(n int)
	pulse
	throttle
	until context.Context // ends waiting for the throttle
	// slice is the current size in bytes; it follows the client's rate.
	slice int
}

const (
	minSlice = 64 << 10
	maxSlice = 4 << 20
	// A slice that takes longer than slowSlice is too large, one quicker than
	// quickSlice is needlessly small.
	slowSlice  = time.Second
	quickSlice = 100 * time.Millisecond
)

// Write implements io.Writer.
func (p *paced) Write(data []byte) (int, error) {
	written := 0
	for written < len(data) {
		n, err := p.step(func(size int) (int64, error) {
			n, err := p.w.Write(data[written:min(written+size, len(data))])
			return int64(n), err
		})
		written += int(n)
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// ReadFrom implements io.ReaderFrom, so that the kernel can copy from a file to
// the socket: it does so for a file with at most one io.LimitedReader around
// it, which is why an outer one is unwrapped here.
func (p *paced) ReadFrom(src io.Reader) (int64, error) {
	outer, ok := src.(*io.LimitedReader)
	if !ok {
		outer = &io.LimitedReader{R: src, N: math.MaxInt64}
	}
	var total int64
	for outer.N > 0 {
		var asked int64
		n, err := p.step(func(size int) (int64, error) {
			asked = min(int64(size), outer.N)
			return io.Copy(p.w, io.LimitReader(outer.R, asked))
		})
		total += n
		outer.N -= n
		if err != nil || n < asked {
			return total, err
		}
	}
	return total, nil
}

// step sends one slice with a fresh deadline, counts it and fits the size of
// the next one to the time it took.
func (p *paced) step(send func(size int) (int64, error)) (int64, error) {
	p.slice = max(p.slice, minSlice)
	began := time.Now()
	if err := p.brake.arm(began.Add(p.idle)); err != nil {
		return 0, p.explain(err)
	}
	n, err := send(p.most(p.slice))
	took := time.Since(began)
	p.add(int(n))
	if err != nil {
		return n, p.explain(err)
	}
	err = p.beat(int(n), took)
	if err == nil {
		err = p.wait(p.until, int(n))
	}
	switch {
	case took > slowSlice:
		p.slice = max(p.slice/2, minSlice)
	case took < quickSlice:
		p.slice = min(p.slice*2, maxSlice)
	}
	return n, err
}

// explain finds the cause behind an error of the socket.
func (p *paced) explain(err error) error {
	if cause := p.brake.pulled(); cause != nil {
		return cause
	}
	return explainWrite(err)
}
