package handlers

import (
	"go.uber.org/zap"
	"go.uber.org/zap/zapio"
	"golang.org/x/exp/slog"
)

// newTusLog puts what tusd says into log, for those who debug: what matters of it
// stands in our own lines, with the request's id. Tusd has the slog from before it
// came into the standard library, for which there is no bridge; text will do.
func newTusLog(log *zap.Logger) *slog.Logger {
	log = log.Named("tusd")
	return slog.New(slog.NewTextHandler(
		&zapio.Writer{Log: log, Level: zap.DebugLevel},
		&slog.HandlerOptions{Level: tusLevel{log}, ReplaceAttr: withoutTime},
	))
}

// tusLevel keeps tusd from writing what nobody wants to read.
type tusLevel struct{ log *zap.Logger }

// Level implements slog.Leveler.
func (l tusLevel) Level() slog.Level {
	if l.log.Core().Enabled(zap.DebugLevel) {
		return slog.LevelDebug
	}
	return slog.LevelError + 1
}

// withoutTime leaves the time to the line that the text stands in.
func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}
