package server

import (
	"runtime/debug"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"sluice/internal/transfer"
)

// logTransfer writes the one line that every transfer gets when it ends.
func logTransfer(log *zap.Logger, r transfer.Record, trace string) {
	level := zapcore.InfoLevel
	if r.Result == transfer.ResultFailed {
		level = zapcore.ErrorLevel
	}
	entry := log.Check(level, "transfer")
	if entry == nil {
		return
	}
	fields := []zap.Field{
		zap.String("id", r.ID),
		zap.String("request_id", r.RequestID),
		zap.String("direction", string(r.Direction)),
		zap.String("protocol", string(r.Protocol)),
		zap.String("name", r.Name),
		zap.String("client", r.Client),
		zap.Int64("bytes", r.Bytes),
		zap.Float64("seconds", r.Elapsed.Seconds()),
		zap.Float64("mb_per_second", r.MeanRate/1e6),
		zap.String("result", string(r.Result)),
		zap.Int("status", r.Status),
	}
	if r.User != "" {
		fields = append(fields, zap.String("user", r.User))
	}
	for _, stage := range r.Stages.List() {
		fields = append(fields, zap.Float64(stage.Name+"_seconds", stage.Time.Seconds()))
	}
	if trace != "" {
		fields = append(fields, zap.String("trace_id", trace))
	}
	if r.Err != nil {
		fields = append(fields, zap.Error(r.Err))
	}
	entry.Write(fields...)
}

// revision is the commit that the binary was built from, if it knows.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return setting.Value
		}
	}
	return ""
}
