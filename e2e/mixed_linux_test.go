package e2e_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// mixed is a load of all protocols at once, with a ledger.
type mixed struct {
	*ledger
	server *server
	client *client
	seed   uint64
	made   atomic.Int64 // contents, to tell them apart
	// ending is set before the server is asked to stop. Until then it may not
	// refuse anything.
	ending  atomic.Bool
	working sync.WaitGroup
}

// mixedWorkers are those who send at the same time.
var mixedWorkers = []func(m *mixed, rnd *rand.Rand) error{
	(*mixed).sendPUT, (*mixed).sendPUT, (*mixed).sendChunked, (*mixed).overwrite,
	(*mixed).sendForm, (*mixed).sendPieces, (*mixed).sendPieces, (*mixed).sendLongPiece, (*mixed).drop,
}

// runMixed sends to the server until it is gone; wait waits for that.
func runMixed(s *server, l *ledger, seed uint64) *mixed {
	m := &mixed{ledger: l, server: s, client: s.client(), seed: seed}
	for i, work := range mixedWorkers {
		m.working.Go(func() {
			rnd := chance(seed, uint64(i))
			for {
				err := work(m, rnd)
				if refused, ok := errors.AsType[refusal](err); ok && !m.ending.Load() {
					s.t.Error(refused)
				}
				if err != nil {
					return
				}
			}
		})
	}
	return m
}

// chance is a source of random numbers that depend on both numbers alone.
func chance(seed, stream uint64) *rand.Rand {
	return rand.New(rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "%d/%d", seed, stream))))
}

func (m *mixed) wait() { m.working.Wait() }

// content names a new content of a random size: many are small, some large.
func (m *mixed) content(kind string, rnd *rand.Rand) string {
	limit := [...]int{16 * kib, 16 * kib, mib, mib, 6 * mib}[rnd.IntN(5)]
	return sized(fmt.Sprintf("%s-%x-%d", kind, m.seed, m.made.Add(1)), int64(rnd.IntN(limit)))
}

func (m *mixed) sendPUT(rnd *rand.Rand) error {
	content := m.content("put", rnd)
	return m.put(content, content, sizeOf(content))
}

func (m *mixed) sendChunked(rnd *rand.Rand) error {
	content := m.content("chunked", rnd)
	return m.put(content, content, -1)
}

// overwrite sends the same file over and over.
func (m *mixed) overwrite(rnd *rand.Rand) error {
	content := m.content("overwrite", rnd)
	return m.put("overwritten", content, sizeOf(content))
}

func (m *mixed) put(name, content string, size int64) error {
	m.try(name, content)
	_, err := m.client.must("PUT", "/files/"+name, contentNamed(content, 0), size)
	if err == nil {
		m.store(name)
	}
	return err
}

// sendForm sends two files.
func (m *mixed) sendForm(rnd *rand.Rand) error {
	var body []io.Reader
	var size int64
	add := func(text string) {
		body = append(body, strings.NewReader(text))
		size += int64(len(text))
	}
	contents := []string{m.content("form", rnd), m.content("form", rnd)}
	for _, content := range contents {
		m.try(content, content)
		add("\r\n" + partHead(content))
		body = append(body, contentNamed(content, 0))
		size += sizeOf(content)
	}
	add(formTail)
	if _, err := m.client.must("POST", "/files/", io.MultiReader(body...), size, formType); err != nil {
		return err
	}
	for _, content := range contents {
		m.store(content)
	}
	return nil
}

// sendPieces sends a tus upload in several PATCHes.
func (m *mixed) sendPieces(rnd *rand.Rand) error {
	content := m.content("pieces", rnd)
	return m.sendTus(content, sizeOf(content)/4+1, 0)
}

// sendLongPiece sends a tus upload in one PATCH that takes a few seconds.
func (m *mixed) sendLongPiece(rnd *rand.Rand) error {
	size := 4*mib + rnd.Int64N(4*mib)
	content := sized(fmt.Sprintf("long-%x-%d", m.seed, m.made.Add(1)), size)
	return m.sendTus(content, size, 2*mib)
}

// sendTus sends a tus upload in pieces, at a rate in bytes per second or as
// fast as it goes where that is 0.
func (m *mixed) sendTus(content string, piece, rate int64) error {
	m.try(content, content)
	size := sizeOf(content)
	path, err := m.client.create(content, size)
	if err != nil {
		return err
	}
	record := m.begin(path, content)
	src := contentNamed(content, 0)
	for size > record.confirmed {
		n := min(piece, size-record.confirmed)
		body := &watched{io.LimitReader(src, n), &record.sent, rate}
		if err := m.client.append(path, record.confirmed, body, n); err != nil {
			return err
		}
		record.confirmed += n
	}
	m.finish(path)
	return nil
}

// drop begins a tus upload and removes it. Nobody is promised anything then, so
// no ledger knows of it.
func (m *mixed) drop(rnd *rand.Rand) error {
	content := m.content("dropped", rnd)
	path, err := m.client.create(content, sizeOf(content)+1)
	if err != nil {
		return err
	}
	if err := m.client.append(path, 0, contentNamed(content, 0), sizeOf(content)); err != nil {
		return err
	}
	_, err = m.client.must("DELETE", path, nil, 0, tusVersion)
	return err
}

// watched counts what is read of a stream and bounds its rate.
type watched struct {
	src  io.Reader
	sent *atomic.Int64
	rate int64 // bytes per second, 0 for no bound
}

func (w *watched) Read(p []byte) (int, error) {
	if w.rate > 0 {
		time.Sleep(tick)
		p = p[:min(int64(len(p)), w.rate/int64(time.Second/tick))]
	}
	n, err := w.src.Read(p)
	w.sent.Add(int64(n))
	return n, err
}
