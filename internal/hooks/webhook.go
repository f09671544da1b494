package hooks

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Options set up a [Webhook]. All but those with a documented zero value are
// required.
type Options struct {
	// Queue keeps the events that wait, Failed those that were given up.
	Queue, Failed Folder
	URL           string
	Secret        Secret
	// Events are the types that are told.
	Events []Type
	// Timeout bounds one attempt to deliver an event.
	Timeout time.Duration
	// MaxAge is how old an event may become before it is given up; each is tried
	// once, whatever its age. 0 gives none up.
	MaxAge time.Duration
	// FirstPause and LongestPause are the times between two attempts, give or
	// take a half: 0 means 1 s and 5 min.
	FirstPause, LongestPause time.Duration
	// MaxEvents and MaxBytes bound the queue: 0 means 100000 events of 256 MiB.
	MaxEvents int
	MaxBytes  int64
	// Report is called for each result, by whoever came to it. Nil means no call.
	Report func(Report)
}

// Report tells what became of an event.
type Report struct {
	Delivery
	ID  string // of the event; the name of its file where it is damaged
	Err error  // why, nil for one that was delivered
}

func (o Options) withDefaults() Options {
	if o.FirstPause == 0 {
		o.FirstPause = time.Second
	}
	if o.LongestPause == 0 {
		o.LongestPause = 5 * time.Minute
	}
	if o.MaxEvents == 0 {
		o.MaxEvents = 100_000
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 256 << 20
	}
	if o.Report == nil {
		o.Report = func(Report) {}
	}
	return o
}

// Webhook tells a receiver of uploads. Its methods may be called concurrently.
type Webhook struct {
	opts     Options
	endpoint endpoint
	queue    *queue
	failed   failed
	tally    tally[Delivery]

	stopping chan struct{}   // closed when no attempt is to follow a failed one
	ctx      context.Context // ends when attempts have to
	cancel   context.CancelFunc
	delivery sync.WaitGroup
}

// Open makes a webhook with the events that an earlier run has left. Start has
// to be called, or nothing is delivered.
func Open(o Options) (*Webhook, error) {
	o = o.withDefaults()
	q, err := openQueue(o.Queue, o.MaxEvents, o.MaxBytes)
	if err != nil {
		return nil, err
	}
	w := &Webhook{
		opts:     o,
		endpoint: newEndpoint(o.URL, o.Secret, o.Timeout, 1),
		queue:    q,
		failed:   failed{o.Failed, maxFailed},
		stopping: make(chan struct{}),
	}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	return w, nil
}

// Start begins to deliver, until Close.
func (w *Webhook) Start() { w.delivery.Go(w.deliver) }

// Close goes on delivering for drain at most, and only as long as the receiver
// takes events. What is left waits for the next run. It must be called once.
func (w *Webhook) Close(drain time.Duration) {
	close(w.stopping)
	timer := time.AfterFunc(drain, w.cancel)
	w.delivery.Wait()
	timer.Stop()
	w.cancel()
	w.endpoint.close()
}

// Tell queues an event, if it is of a type that is to be told. When it returns,
// the event is on the disk; where that can't be done, the event is lost, counted
// and reported.
func (w *Webhook) Tell(t Type, u Upload) {
	if !slices.Contains(w.opts.Events, t) {
		return
	}
	e := newEvent(t, u)
	data, err := e.encode()
	if err == nil {
		err = w.queue.add(data, t != Created || u.Resumable)
	}
	if err != nil {
		w.report(Delivery{t, Refused}, e.ID, err)
	}
}

// Stats returns the counts.
func (w *Webhook) Stats() Stats {
	events, bytes := w.queue.size()
	return Stats{w.tally.copy(), events, bytes}
}

func (w *Webhook) report(d Delivery, id string, err error) {
	w.tally.add(d)
	w.opts.Report(Report{d, id, err})
}

// deliver works the queue off.
func (w *Webhook) deliver() {
	for {
		e, found := w.queue.first()
		if found {
			if !w.handle(e) {
				return
			}
			continue
		}
		select {
		case <-w.queue.wake:
		case <-w.stopping:
			return
		}
	}
}

// handle brings one event to its end. It reports whether to go on with the next.
func (w *Webhook) handle(e entry) bool {
	data, err := w.queue.folder.Read(e.name())
	if err != nil {
		w.queue.forget(e)
		w.report(damaged, e.name(), fmt.Errorf("read event: %w", err))
		return true
	}
	head, err := decode(data)
	if err != nil {
		w.report(damaged, e.name(), errors.Join(err, w.setAside(e, data)))
		return true
	}
	pauses := w.pauses()
	for {
		result, err := w.attempt(head, data)
		switch {
		case result == Delivered || result == Gone:
			w.report(Delivery{head.kind, result}, head.id, errors.Join(err, w.queue.remove(e)))
			return true
		case w.ctx.Err() != nil:
			return false
		case w.opts.MaxAge > 0 && time.Since(head.time) >= w.opts.MaxAge:
			w.report(Delivery{head.kind, Expired}, head.id, errors.Join(err, w.setAside(e, data)))
			return true
		}
		w.report(Delivery{head.kind, Retried}, head.id, err)
		if !w.pause(pauses.NextBackOff()) {
			return false
		}
	}
}

// attempt posts the event once.
func (w *Webhook) attempt(head header, data []byte) (Result, error) {
	answer, err := w.endpoint.post(w.ctx, head.id, data)
	switch {
	case err != nil:
		return Retried, err
	case answer.success():
		return Delivered, nil
	case answer.status == http.StatusGone:
		return Gone, fmt.Errorf("post event: status %d", answer.status)
	}
	return Retried, fmt.Errorf("post event: status %d", answer.status)
}

// setAside moves an event to the failed ones.
func (w *Webhook) setAside(e entry, data []byte) error {
	if err := w.failed.keep(e.name(), data); err != nil {
		w.queue.forget(e)
		return err
	}
	return w.queue.remove(e)
}

// pauses are the times between attempts, which grow.
func (w *Webhook) pauses() *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval, b.Multiplier = w.opts.FirstPause, w.opts.LongestPause, 2
	b.Reset()
	return b
}

// pause waits, unless deliveries are to end.
func (w *Webhook) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-w.stopping:
		return false
	}
}
