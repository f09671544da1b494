package main

import (
	"fmt"
	"io"

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
	sink := zapcore.Lock(zapcore.AddSync(w))
	return zap.New(zapcore.NewCore(newEncoder(cfg.LogFormat), sink, level), zap.ErrorOutput(sink)), level, nil
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
