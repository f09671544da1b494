package handlers

import (
	"bytes"
	"errors"
	"io"
	"time"
)

const (
	// maxListeners bounds the streams of events that are open at a time.
	maxListeners = 32
	// feedEvery is how often a stream tells something.
	feedEvery = time.Second
	// feedLife is when a stream ends, so that its client has to show again who it
	// is. Browsers open another one by themselves.
	feedLife = 10 * time.Minute
)

// errListeners: as many streams of events are open as may. It passes.
var errListeners = errors.New("too many listeners")

// feed is a stream of server-sent events: the same thing again each second where
// it has changed, and else a comment, which shows both sides that the other one
// is there. It has no goroutine: whoever reads waits. It ends when the client has
// left, where that is noticed before a write fails, and when the server stops.
type feed struct {
	event      string
	look       func() ([]byte, error) // one line of JSON
	gone, stop <-chan struct{}
	release    func()

	ends    time.Time
	ticker  *time.Ticker // nil until the first Read
	last    []byte
	pending []byte
}

// newFeed takes a place among the listeners, which Close gives back.
func (h *Handlers) newFeed(event string, look func() ([]byte, error), gone <-chan struct{}) (*feed, error) {
	select {
	case h.listeners <- struct{}{}:
	default:
		return nil, errListeners
	}
	return &feed{event: event, look: look, gone: gone, stop: h.opts.Stopping, release: func() { <-h.listeners }}, nil
}

// Read implements io.Reader.
func (f *feed) Read(p []byte) (int, error) {
	if len(f.pending) == 0 {
		if err := f.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, f.pending)
	f.pending = f.pending[n:]
	return n, nil
}

// next waits for the next event, the first of which comes at once.
func (f *feed) next() error {
	if f.ticker == nil {
		f.ticker = time.NewTicker(feedEvery)
		f.ends = time.Now().Add(feedLife)
	} else {
		select {
		case now := <-f.ticker.C:
			if now.After(f.ends) {
				return io.EOF
			}
		case <-f.gone:
			return io.EOF
		case <-f.stop:
			return io.EOF
		}
	}
	data, err := f.look()
	if err != nil {
		return err
	}
	f.pending = []byte(":\n\n")
	if !bytes.Equal(data, f.last) {
		f.pending = []byte("event: " + f.event + "\ndata: " + string(data) + "\n\n")
	}
	f.last = data
	return nil
}

// Close implements io.Closer.
func (f *feed) Close() error {
	if f.ticker != nil {
		f.ticker.Stop()
	}
	f.release()
	return nil
}
