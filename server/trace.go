package server

import (
	"context"
	"time"

	"go.uber.org/zap"

	"sluice/internal/tracing"
)

// traceDrain bounds how long a stop waits for spans to be taken.
const traceDrain = 5 * time.Second

// openTracing makes what sends spans, if the settings name somebody who wants them.
func (s *Server) openTracing() (err error) {
	if s.opts.Config.TraceURL == "" {
		return nil
	}
	s.tracer, err = tracing.Open(tracing.Options{
		URL:     s.opts.Config.TraceURL,
		Version: s.opts.Version,
		Report:  func(err error) { s.log.Warn("spans not exported", zap.Error(err)) },
	})
	return err
}

// closeTracing hands over what waits. What is lost is no failure of the server's.
func (s *Server) closeTracing() {
	ctx, cancel := context.WithTimeout(context.Background(), traceDrain)
	defer cancel()
	if err := s.tracer.Close(ctx); err != nil {
		s.log.Warn("spans not exported", zap.Error(err))
	}
}
