package loadtest

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"sluice/loadtest/record"
	"sluice/loadtest/spark"
)

// progressInterval is the time between two looks at the bytes moved.
const progressInterval = 250 * time.Millisecond

// A line of bars shows how the rate went, with a bar for each second, and one
// every interval until there are enough of them.
const (
	lineWidth = 24
	lineStep  = int(time.Second / progressInterval)
)

// progress shows a bar of the bytes moved. The transfers know nothing of it: it
// looks at their counter from time to time.
type progress struct {
	bars  *mpb.Progress // nil if nothing is shown
	bar   *mpb.Bar
	text  atomic.Pointer[string]
	rate  atomic.Int64 // bytes per second
	line  atomic.Pointer[string]
	stop  chan struct{}
	ended chan struct{}
}

// startProgress shows how far meter is on its way to total, 0 if nobody knows. Nothing is shown if
// w is nil or no terminal.
func startProgress(w io.Writer, meter *record.Meter, total int64) *progress {
	p := &progress{stop: make(chan struct{}), ended: make(chan struct{})}
	p.label("")
	p.line.Store(new(string))
	if w == nil {
		close(p.ended)
		return p
	}
	p.bars = mpb.New(mpb.WithOutput(w), mpb.WithRefreshRate(progressInterval))
	p.bar = p.bars.AddBar(total, mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return *p.text.Load() + " " })),
		mpb.AppendDecorators(
			counters(total),
			decor.Any(func(decor.Statistics) string { return fmt.Sprintf("%.1f MB/s", float64(p.rate.Load())/1e6) }),
			decor.Any(func(decor.Statistics) string { return " " + *p.line.Load() }),
		))
	go p.watch(meter)
	return p
}

// counters shows how much has moved, and of how much if that is known.
func counters(total int64) decor.Decorator {
	if total == 0 {
		return decor.CurrentKiloByte("% .1f ")
	}
	return decor.CountersKiloByte("% .1f of % .1f ")
}

func (p *progress) watch(meter *record.Meter) {
	defer close(p.ended)
	ticker := time.NewTicker(progressInterval)
	defer ticker.Stop()
	var history []float64
	for last, lastMoved := time.Now(), int64(0); ; {
		select {
		case <-p.stop:
			return
		case now := <-ticker.C:
			n := meter.Moved()
			// A moving average over about a second, or else it flickers.
			current := float64(n-lastMoved) / now.Sub(last).Seconds()
			p.rate.Store(int64(0.7*float64(p.rate.Load()) + 0.3*current))
			history = append(history, current)
			history = history[max(0, len(history)-lineWidth*lineStep):]
			line := spark.Line(history, lineWidth)
			p.line.Store(&line)
			p.bar.SetCurrent(n)
			last, lastMoved = now, n
		}
	}
}

// label says what is under way.
func (p *progress) label(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	p.text.Store(&text)
}

// end removes the bar.
func (p *progress) end() {
	close(p.stop)
	<-p.ended
	if p.bars != nil {
		p.bar.Abort(true)
		p.bars.Wait()
	}
}
