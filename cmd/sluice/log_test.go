package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"sluice/config"
)

func TestJSONLog(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log, _, err := newLogger(config.Config{LogLevel: "warn", LogFormat: config.JSON}, &out)
	if err != nil {
		t.Fatal(err)
	}
	log.Info("left out")
	log.Warn("kept", zap.String("name", "a\nb"), zap.Duration("took", 1500*time.Millisecond))

	var line struct {
		Level, Msg, Name, Time string
		Took                   float64
	}
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatalf("not one JSON object: %v\n%s", err, out.String())
	}
	if line.Level != "warn" || line.Msg != "kept" || line.Name != "a\nb" || line.Took != 1.5 {
		t.Errorf("got %+v", line)
	}
	if _, err := time.Parse("2006-01-02T15:04:05.000Z0700", line.Time); err != nil {
		t.Error(err)
	}
}

func TestConsoleLog(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log, _, err := newLogger(config.Config{LogLevel: "debug", LogFormat: config.Console}, &out)
	if err != nil {
		t.Fatal(err)
	}
	log.Debug("seen", zap.Int("n", 7))
	if !regexp.MustCompile(`^\S+T\S+\tdebug\tseen\t\{"n": 7\}\n$`).MatchString(out.String()) {
		t.Errorf("got %q", out.String())
	}
}

func TestUnknownLogLevel(t *testing.T) {
	t.Parallel()
	if _, _, err := newLogger(config.Config{LogLevel: "loud"}, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "loud") {
		t.Errorf("got %v, want an error with the level", err)
	}
}
