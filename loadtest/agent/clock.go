package agent

import (
	"errors"
	"time"
)

// exchanges is how often clocks are compared. The quickest exchange says most.
const exchanges = 16

// offset is how far an agent's clock is ahead of the own one, and how wrong that
// may be: half of the time that asking took.
type offset struct {
	ahead, within time.Duration
}

// compareClocks asks the agent for its time, as NTP does (RFC 5905, section 8): an
// answer is taken for halfway between question and receipt.
func (w *wire) compareClocks() (offset, error) {
	best := offset{within: time.Hour}
	for range exchanges {
		asked := time.Now()
		if err := w.send(message{Clock: &clock{}}); err != nil {
			return best, err
		}
		m, err := w.receive(lostAfter)
		if err != nil {
			return best, err
		}
		if m.Refused != "" {
			return best, errors.New("refused: " + m.Refused)
		}
		if m.Clock == nil {
			return best, errors.New("an agent that doesn't tell its time")
		}
		took := time.Since(asked)
		if took/2 < best.within {
			best = offset{ahead: time.Unix(0, m.Clock.Agent).Sub(asked.Add(took / 2)), within: took / 2}
		}
	}
	return best, nil
}
