package top

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// retryAfter is when a stream that has ended is opened again.
const retryAfter = time.Second

// Run shows the live view until its user leaves or ctx ends.
func Run(ctx context.Context, c Client, in io.Reader, out io.Writer) error {
	return run(ctx, c, tea.WithInput(in), tea.WithOutput(out))
}

func run(ctx context.Context, c Client, options ...tea.ProgramOption) error {
	ctx, cancel := context.WithCancel(ctx)
	program := tea.NewProgram(newModel(c.URL.Host, c.Stop), append(options, tea.WithContext(ctx))...)
	var follower sync.WaitGroup
	follower.Go(func() { keepFollowing(ctx, c, program.Send) })
	_, err := program.Run()
	cancel()
	follower.Wait()
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, tea.ErrProgramKilled) {
		return nil
	}
	return err
}

// keepFollowing opens the stream again and again until ctx ends.
func keepFollowing(ctx context.Context, c Client, send func(tea.Msg)) {
	for ctx.Err() == nil {
		// Without an error the server has ended it, as it does from time to time.
		if err := c.Follow(ctx, func(list List) { send(listMsg(list)) }); err != nil {
			send(lostMsg{err})
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryAfter):
		}
	}
}
