package server

import (
	"encoding/json"
	"net/http"

	"go.uber.org/zap"
)

// shownSetting is a setting as operators see it.
type shownSetting struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	Source  string `json:"source"`
	Default string `json:"default"`
	Live    bool   `json:"live"` // a reload puts it into effect
}

// answerConfig lists the settings in effect.
func (s *Server) answerConfig(w http.ResponseWriter, _ *http.Request) {
	var list []shownSetting
	for _, e := range s.Settings().Entries() {
		list = append(list, shownSetting{e.Key, e.Shown(), e.Source, e.Default, e.Live})
	}
	data, err := json.Marshal(list)
	if err != nil {
		panic(err) // it is made of texts
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data) // the client may have left
}

// maxLevelBody bounds a request that changes the log's level, in bytes.
const maxLevelBody = 1 << 10

// answerLevel tells the log's level and changes it, until a reload or a restart.
func (s *Server) answerLevel(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxLevelBody)
	before := s.opts.Level.Level()
	s.opts.Level.ServeHTTP(w, r)
	if after := s.opts.Level.Level(); after != before {
		s.log.Log(max(before, after, zap.InfoLevel), "log level changed", zap.Stringer("from", before), zap.Stringer("to", after))
	}
}
