package main

import (
	"fmt"
	"io"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"sluice/config"
)

// newLogger logs to w, a line at a time and unbuffered, with UTC offsets and milliseconds in its times.
func newLogger(cfg config.Config, w io.Writer) (*zap.Logger, error) {
	level, err := zapcore.ParseLevel(cfg.LogLevel)
	if err != nil {
		return nil, fmt.Errorf("build logger: %w", err)
	}
	sink := zapcore.Lock(zapcore.AddSync(w))
	return zap.New(zapcore.NewCore(newEncoder(cfg.LogFormat), sink, level), zap.ErrorOutput(sink)), nil
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
