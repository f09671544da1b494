package e2e_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const webhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// hookEvent is what a receiver is sent.
type hookEvent struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Timestamp string `json:"timestamp"`
	Data      struct {
		UploadID  string            `json:"upload_id"`
		Protocol  string            `json:"protocol"`
		Name      string            `json:"name"`
		Size      *int64            `json:"size"`
		Received  int64             `json:"received"`
		Digest    string            `json:"digest"`
		URL       string            `json:"url"`
		Client    string            `json:"client"`
		RequestID string            `json:"request_id"`
		Metadata  map[string]string `json:"metadata"`
	} `json:"data"`
}

// hookReceiver is a receiver of webhooks, which outlives the servers that call
// it. It checks every signature by another's code.
type hookReceiver struct {
	t   testing.TB
	url string

	mu     sync.Mutex
	answer http.HandlerFunc
	events []hookEvent // in the order in which they came, also again
}

func receiveHooks(t testing.TB, answer http.HandlerFunc) *hookReceiver {
	t.Helper()
	r := &hookReceiver{t: t, answer: answer}
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	r.url = s.URL
	return r
}

func (r *hookReceiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return // the server was killed
	}
	judge, err := standardwebhooks.NewWebhook(webhookSecret)
	if err == nil {
		err = judge.Verify(body, request.Header)
	}
	var e hookEvent
	if err == nil {
		err = json.Unmarshal(body, &e)
	}
	if err != nil {
		r.t.Errorf("%v\n%s", err, body)
	}
	if got := request.Header.Get("Webhook-Id"); e.ID == "" || e.ID != got {
		r.t.Errorf("id %q of the body, %q of the head", e.ID, got)
	}
	r.mu.Lock()
	r.events = append(r.events, e)
	answer := r.answer
	r.mu.Unlock()
	answer(w, request)
}

func (r *hookReceiver) answers(answer http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

func (r *hookReceiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.events)
}

// about lists the types of the events about a file, and the last of them.
func (r *hookReceiver) about(name string) (types string, last hookEvent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []string
	for _, e := range r.events {
		if e.Data.Name == name {
			found, last = append(found, strings.TrimPrefix(e.Type, "upload.")), e
		}
	}
	return strings.Join(found, " "), last
}

// ids lists the distinct ids of a type by the names of their files.
func (r *hookReceiver) ids(kind string) map[string][]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := map[string][]string{}
	for _, e := range r.events {
		if e.Type == kind && !slices.Contains(found[e.Data.Name], e.ID) {
			found[e.Data.Name] = append(found[e.Data.Name], e.ID)
		}
	}
	return found
}

// secretFile is a file with the secret.
func secretFile(t testing.TB) string {
	t.Helper()
	path := filepath.Join(folder(t), "secret")
	if err := os.WriteFile(path, []byte(webhookSecret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func hookStatus(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// never answers, until whoever asks has gone.
func never(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
