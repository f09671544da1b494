package loadtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"
)

// Crowd is the clients that burden a server while streams are measured. They
// upload by PUT into the folder of the plan, and leave nothing there, for none
// of them comes to an end.
type Crowd struct {
	// Slow is how many upload Rate bytes per second each, Stalled how many begin
	// an upload and fall silent.
	Slow    int   `json:"slow"`
	Stalled int   `json:"stalled"`
	Rate    int64 `json:"bytes_per_second"`
	// WarmUp is how long they are there before the streams begin.
	WarmUp time.Duration `json:"warm_up_ns"`
}

const (
	// crowdRound is the time in which each slow client sends once, crowdStep
	// that between two groups of them.
	crowdRound = 250 * time.Millisecond
	crowdStep  = 10 * time.Millisecond
	// minCrowdRate is a byte in every round.
	minCrowdRate = int64(time.Second / crowdRound)
	// stalledBytes is what a stalled client sends of its body.
	stalledBytes = 9000
)

// gathering is a crowd that has come.
type gathering struct {
	slow, stalled []net.Conn
	cancel        context.CancelFunc
	ended         chan error
}

// gather lets the crowd come to the server of target. It has to be dispersed,
// also where that fails.
func (c Crowd) gather(ctx context.Context, target *url.URL) (g *gathering, err error) {
	ctx, cancel := context.WithCancel(ctx)
	g = &gathering{cancel: cancel, ended: make(chan error, 1)}
	for i := 0; i < c.Slow && err == nil; i++ {
		err = join(ctx, &g.slow, target, fmt.Sprintf("crowd-slow-%d", i), "Transfer-Encoding: chunked", nil)
	}
	for i := 0; i < c.Stalled && err == nil; i++ {
		err = join(ctx, &g.stalled, target, fmt.Sprintf("crowd-stalled-%d", i), "Content-Length: 999999", make([]byte, stalledBytes))
	}
	if err != nil {
		g.ended <- nil
		return g, fmt.Errorf("crowd: %w", err)
	}
	go func() { g.ended <- g.trickle(ctx, int(c.Rate*int64(crowdRound)/int64(time.Second))) }()
	select {
	case <-ctx.Done():
		return g, context.Cause(ctx)
	case <-time.After(c.WarmUp):
		return g, nil
	}
}

// join begins an upload on a new connection.
func join(ctx context.Context, conns *[]net.Conn, target *url.URL, name, framing string, content []byte) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", target.Host)
	if err != nil {
		return err
	}
	*conns = append(*conns, conn)
	head := fmt.Sprintf("PUT %s HTTP/1.1\r\nHost: %s\r\n%s\r\n\r\n", target.JoinPath(name).RequestURI(), target.Host, framing)
	_, err = conn.Write(append([]byte(head), content...))
	return err
}

// trickle lets each slow client send n bytes in every round, until ctx ends. All
// of them are served by one goroutine, which costs the tester the least.
func (g *gathering) trickle(ctx context.Context, n int) error {
	chunk := append(strconv.AppendInt(nil, int64(n), 16), "\r\n"...)
	chunk = append(append(chunk, make([]byte, n)...), "\r\n"...)
	ticker := time.NewTicker(crowdStep)
	defer ticker.Stop()
	const steps = int(crowdRound / crowdStep)
	for step := 0; ; step = (step + 1) % steps {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		for i := step; i < len(g.slow); i += steps {
			if _, err := g.slow[i].Write(chunk); err != nil {
				return fmt.Errorf("crowd: slow client: %w", err)
			}
		}
	}
}

// disperse ends all clients. It fails where one of the slow ones was not served
// to the end.
func (g *gathering) disperse() error {
	g.cancel()
	err := <-g.ended
	for _, conn := range append(g.slow, g.stalled...) {
		err = errors.Join(err, conn.Close())
	}
	return err
}
