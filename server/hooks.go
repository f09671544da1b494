package server

import (
	"fmt"
	"os"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"sluice/config"
	"sluice/internal/hooks"
	"sluice/internal/metrics"
	"sluice/storage/local"
)

const (
	// Where events wait, and where those are that were given up.
	hooksFolder       = "hooks"
	failedHooksFolder = "hooks/failed"
	// vetoConcurrency is how many uploads the veto is asked about at a time.
	vetoConcurrency = 64
	// hooksDrain bounds how long a stop waits for events to be delivered.
	hooksDrain = 5 * time.Second
)

// openHooks makes what tells of uploads and what is asked before them, as far
// as the settings name somebody.
func (s *Server) openHooks() error {
	cfg := s.opts.Config
	if cfg.WebhookURL == "" && cfg.WebhookVetoURL == "" {
		return nil
	}
	text, err := os.ReadFile(cfg.WebhookSecretFile)
	if err != nil {
		return fmt.Errorf("read webhook-secret-file: %w", err)
	}
	secret, err := hooks.ParseSecret(string(text))
	if err != nil {
		return fmt.Errorf("read webhook-secret-file: %w", err)
	}
	if cfg.WebhookVetoURL != "" {
		s.veto = hooks.NewVeto(hooks.VetoOptions{
			URL:        cfg.WebhookVetoURL,
			Secret:     secret,
			Timeout:    cfg.WebhookVetoTimeout,
			FailOpen:   cfg.WebhookVetoFailure == config.Open,
			Concurrent: vetoConcurrency,
		})
	}
	if cfg.WebhookURL != "" {
		s.webhook, err = openWebhook(cfg, secret, s.store, s.log)
	}
	return err
}

func openWebhook(cfg config.Config, secret hooks.Secret, store *local.Store, log *zap.Logger) (*hooks.Webhook, error) {
	queue, err := store.Folder(hooksFolder)
	if err != nil {
		return nil, fmt.Errorf("open webhook: %w", err)
	}
	failed, err := store.Folder(failedHooksFolder)
	if err != nil {
		return nil, fmt.Errorf("open webhook: %w", err)
	}
	var events []hooks.Type
	for _, word := range cfg.WebhookEvents.List() {
		events = append(events, hooks.Type(word))
	}
	return hooks.Open(hooks.Options{
		Queue:   queue,
		Failed:  failed,
		URL:     cfg.WebhookURL,
		Secret:  secret,
		Events:  events,
		Timeout: cfg.WebhookTimeout,
		MaxAge:  cfg.WebhookMaxAge,
		Report:  func(r hooks.Report) { logEvent(log, r) },
	})
}

// closeHooks delivers what can be delivered at once.
func (s *Server) closeHooks() {
	if s.webhook != nil {
		s.webhook.Close(hooksDrain)
	}
	if s.veto != nil {
		s.veto.Close()
	}
}

// observeHooks adds what the metrics will read of them.
func (s *Server) observeHooks(src *metrics.Sources) {
	if s.opts.Config.WebhookURL != "" {
		src.Webhook = func() hooks.Stats { return s.webhook.Stats() }
	}
	if s.opts.Config.WebhookVetoURL != "" {
		src.Veto = func() map[hooks.Decision]int64 { return s.veto.Decisions() }
	}
}

// logEvent tells what became of an event. One that is lost to its receiver is
// an error.
func logEvent(log *zap.Logger, r hooks.Report) {
	level := zapcore.ErrorLevel
	switch r.Result {
	case hooks.Delivered:
		level = zapcore.DebugLevel
	case hooks.Gone, hooks.Retried:
		level = zapcore.WarnLevel
	}
	if entry := log.Check(level, "webhook"); entry != nil {
		entry.Write(zap.String("id", r.ID), zap.String("event", string(r.Type)), zap.String("result", string(r.Result)), zap.Error(r.Err))
	}
}
