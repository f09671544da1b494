package main

import (
	"fmt"
	"io"
	"regexp"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"sluice/config"
)

// newLogger logs to w, a line at a time and unbuffered, with UTC offsets and milliseconds in its times. The level
// may change later on.
func newLogger(cfg config.Config, w io.Writer) (*zap.Logger, zap.AtomicLevel, error) {
	level, err := zap.ParseAtomicLevel(cfg.LogLevel)
	if err != nil {
		return nil, level, fmt.Errorf("build logger: %w", err)
	}
	sink := zapcore.Lock(zapcore.AddSync(escaper{w}))
	core := sample(zapcore.NewCore(newEncoder(cfg.LogFormat), sink, level), cfg.LogBurst)
	return zap.New(core, zap.ErrorOutput(sink)), level, nil
}

func newEncoder(format string) zapcore.Encoder {
	fields := zap.NewProductionEncoderConfig()
	fields.TimeKey = "time"
	fields.EncodeTime = zapcore.ISO8601TimeEncoder
	fields.EncodeDuration = zapcore.SecondsDurationEncoder
	if format == config.Console {
		return zapcore.NewConsoleEncoder(fields)
	}
	return zapcore.NewJSONEncoder(fields)
}

// escaper escapes what the encoders let through and terminals or readers of lines take for a command: the controls
// beyond ASCII, and Unicode's ends of lines. All of them stand within strings of JSON.
type escaper struct{ io.Writer }

var beyondASCII = regexp.MustCompile(`[\x{80}-\x{9f}\x{2028}\x{2029}]`)

// Write implements io.Writer.
func (e escaper) Write(line []byte) (int, error) {
	_, err := e.Writer.Write(beyondASCII.ReplaceAllFunc(line, func(c []byte) []byte {
		r, _ := utf8.DecodeRune(c)
		return fmt.Appendf(nil, `\u%04x`, r)
	}))
	if err != nil {
		return 0, err
	}
	return len(line), nil
}

// sampleEvery is how many lines beyond the burst stand for one that is logged.
const sampleEvery = 100

// sample bounds the lines of one message and level in a second to burst, and to a share of what comes beyond it.
// With a burst of 0 it bounds nothing.
func sample(core zapcore.Core, burst int) zapcore.Core {
	if burst == 0 {
		return core
	}
	dropped := new(atomic.Int64)
	count := func(_ zapcore.Entry, decision zapcore.SamplingDecision) {
		if decision&zapcore.LogDropped != 0 {
			dropped.Add(1)
		}
	}
	return zapcore.NewSamplerWithOptions(teller{core, dropped}, time.Second, burst, sampleEvery, zapcore.SamplerHook(count))
}

// teller adds to a line how many have been dropped before it.
type teller struct {
	zapcore.Core
	dropped *atomic.Int64
}

// With implements zapcore.Core.
func (t teller) With(fields []zapcore.Field) zapcore.Core {
	return teller{t.Core.With(fields), t.dropped}
}

// Check implements zapcore.Core.
func (t teller) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if t.Enabled(entry.Level) {
		return checked.AddCore(entry, t)
	}
	return checked
}

// Write implements zapcore.Core.
func (t teller) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	if n := t.dropped.Swap(0); n > 0 {
		fields = append(fields, zap.Int64("dropped_lines", n))
	}
	return t.Core.Write(entry, fields)
}
