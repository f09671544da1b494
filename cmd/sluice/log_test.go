package main

import (
	"bytes"
	"encoding/json"
	"errors"
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

// A flood is thinned out, and the next line tells by how much. Other lines and levels are no part of it.
func TestSampledLog(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log, _, err := newLogger(config.Config{LogLevel: "info", LogFormat: config.JSON, LogBurst: 10}, &out)
	if err != nil {
		t.Fatal(err)
	}
	log = log.With(zap.String("part", "x"))
	for range 1000 {
		log.Info("flood")
		log.Debug("off")
	}
	log.Info("another")
	log.Error("flood")
	logged, dropped := 0, 0
	for line := range strings.Lines(out.String()) {
		var entry struct {
			Msg, Level, Part string
			Dropped          int `json:"dropped_lines"`
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Part != "x" {
			t.Fatalf("%v: %s", err, line)
		}
		dropped += entry.Dropped
		if entry.Msg == "flood" && entry.Level == "info" {
			logged++
		}
	}
	// The flood may lie in two seconds.
	if logged < 19 || logged > 40 || logged+dropped != 1000 {
		t.Errorf("%d lines logged, and %d told as dropped, of 1000", logged, dropped)
	}
	if !strings.Contains(out.String(), `"another"`) || !strings.Contains(out.String(), `"level":"error"`) {
		t.Error("other lines are missing")
	}
}

// What a client has chosen can't make a line of its own, nor move a terminal's cursor.
func TestLogEscapes(t *testing.T) {
	t.Parallel()
	for _, format := range []string{config.JSON, config.Console} {
		var out bytes.Buffer
		log, _, err := newLogger(config.Config{LogLevel: "info", LogFormat: format}, &out)
		if err != nil {
			t.Fatal(err)
		}
		log.Info("request", zap.String("path", "a\r\nb\x1b[2Jc\x00\xff\u009b\u2028"), zap.Error(errors.New("x\ny\x1b")))
		if strings.Count(out.String(), "\n") != 1 || strings.ContainsAny(out.String(), "\r\x1b\x00\u009b\u2028") {
			t.Errorf("%s: %q", format, out.String())
		}
	}
}
