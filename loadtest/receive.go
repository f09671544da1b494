package loadtest

import (
	"io"
	"math"
	"net/http"

	"sluice/loadtest/record"
)

// What is received is compared in place: of a piece in the processor's cache that
// costs a third of a CRC-64/NVME or less (BenchmarkVerify of the payload).

// maxReceiveBuffer is the size of the buffer that a verified download is read
// through: large enough for few system calls, small enough to stay in the
// processor's second cache until it is compared. See BenchmarkReceive.
const maxReceiveBuffer = 256 << 10

// receiveBuffer returns the size of the buffer of each of so many streams, which
// have 64 MiB in all.
func receiveBuffer(streams int) int {
	return max(headBuffer, min(maxReceiveBuffer, 64<<20/streams))
}

// receive reads the body of response to its end through buffer and hands each
// piece to check. A nil check means that nobody looks at the bytes, and they are
// dropped as cheaply as can be.
func (c *conn) receive(response *http.Response, buffer []byte, check func([]byte) error, t *tally) error {
	if check == nil && response.ContentLength >= 0 && c.isPlain() {
		return c.discard(response.ContentLength, t)
	}
	start := t.bytes
	for {
		n, err := response.Body.Read(buffer[:c.pace.Portion(len(buffer))])
		t.add(n)
		if err := c.pace.Wait(c.ctx, n); err != nil {
			return err
		}
		if n > 0 && check != nil {
			if err := check(buffer[:n]); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return c.cut(err, t.bytes-start, response.ContentLength)
		}
	}
}

// discard drops the next length bytes, those that are still in the socket
// without copying them where the system can do that.
func (c *conn) discard(length int64, t *tally) error {
	buffered := int(min(length, int64(c.answers.Buffered())))
	_, _ = c.answers.Discard(buffered) // it fails only past what is buffered
	t.add(buffered)
	got := int64(buffered)
	socket, err := newDiscarder(c.tcp)
	if err != nil {
		return c.cut(err, got, length)
	}
	for got < length {
		if err := c.armRead(); err != nil {
			return c.cut(err, got, length)
		}
		n, err := socket.drop(min(length-got, int64(c.pace.Portion(math.MaxInt))))
		t.add(n)
		got += int64(n)
		if err := c.pace.Wait(c.ctx, n); err != nil {
			return err
		}
		if err != nil {
			return c.cut(err, got, length)
		}
	}
	return nil
}

// cut says what it means that a download of total bytes (-1 if unknown) ended
// with err after got of them.
func (c *conn) cut(err error, got, total int64) error {
	switch {
	case isTimeout(err):
		return failure(record.KindTimeout, nil, "nothing moved for %v after %d bytes received", c.timeout, got)
	case isDisconnect(err) && total < 0:
		return failure(record.KindShort, err, "connection lost after %d bytes received", got)
	case isDisconnect(err):
		return failure(record.KindShort, err, "connection lost after %d of %d bytes received", got, total)
	default:
		return failure(record.KindProtocol, err, "receive: after %d bytes", got)
	}
}
