package loadtest

import (
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"sluice/loadtest/record"
)

// exchange sends r and reads its answer, the two at the same time.
func (c *conn) exchange(r *request, t *tally) (*answer, error) {
	if err := c.startWriting(); err != nil {
		return nil, c.lost(err, 0, r.body.length())
	}
	type reply struct {
		answer *answer
		err    error
	}
	replies := make(chan reply, 1)
	go func() {
		answer, err := c.listen(r.method)
		replies <- reply{answer, err}
	}()
	sent, sendErr := r.send(c, t)
	t.sent = time.Now()
	cut := errors.Is(sendErr, errCut)
	if cut || isTimeout(sendErr) {
		c.close() // or else the listener would wait as long once more
	}
	c.awaitAnswer()
	got := <-replies
	if got.answer != nil {
		t.answered = got.answer.began
	}
	switch {
	case got.err != nil && cut:
		return nil, errCut
	case got.err != nil && isTimeout(sendErr):
		return nil, c.lost(sendErr, sent, r.body.length())
	case got.err != nil:
		return nil, c.lost(got.err, sent, r.body.length())
	case sendErr != nil && got.answer.status < 400:
		return nil, failure(record.KindProtocol, nil, "answered %d after %d of %d bytes",
			got.answer.status, sent, r.body.length())
	}
	got.answer.last = got.answer.last || sendErr != nil
	return got.answer, nil
}

// listen reads the final answer. As soon as it begins, or can't come any more,
// there is no sense in sending on.
func (c *conn) listen(method string) (*answer, error) {
	response, began, err := c.readHead(method)
	c.stopWriting()
	if err != nil {
		return nil, err
	}
	answer, err := readAnswer(response)
	if answer != nil {
		answer.began = began
	}
	return answer, err
}

// fetch sends r, which has no body, and reads the answer up to its body.
func (c *conn) fetch(r *request, t *tally) (*http.Response, error) {
	if err := c.startWriting(); err != nil {
		return nil, c.lost(err, 0, 0)
	}
	if _, err := c.write(r.head(c.closing)); err != nil {
		return nil, c.lost(err, 0, 0)
	}
	c.awaitAnswer()
	response, began, err := c.readHead(r.method)
	t.answered = began
	if err != nil {
		return nil, c.lost(err, 0, 0)
	}
	return response, nil
}

// lost says what it means that a request with a body of total bytes, of which
// sent went out, got no answer because of err.
func (c *conn) lost(err error, sent, total int64) error {
	switch {
	case isTimeout(err) && sent < total:
		return failure(record.KindTimeout, nil, "nothing moved for %v after %d of %d bytes sent", c.timeout, sent, total)
	case isTimeout(err):
		return failure(record.KindTimeout, nil, "no answer for %v", c.timeout)
	case isDisconnect(err) && sent < total:
		return failure(record.KindShort, err, "connection lost after %d of %d bytes sent", sent, total)
	case isDisconnect(err):
		return failure(record.KindProtocol, err, "connection lost before the answer")
	default:
		return failure(record.KindProtocol, err, "invalid answer")
	}
}

func isDisconnect(err error) bool {
	var operation *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &operation)
}
