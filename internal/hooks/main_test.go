package hooks_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"go.uber.org/goleak"

	"sluice/internal/blocks"
	"sluice/internal/hooks"
	"sluice/storage/local"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds every wait for something that has to happen.
const patience = 20 * time.Second

const secretText = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func secret(t *testing.T) hooks.Secret {
	t.Helper()
	s, err := hooks.ParseSecret(secretText + "\n")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// message is what a receiver has been sent.
type message struct {
	id   string
	Type string `json:"type"`
	Time string `json:"timestamp"`
	Data struct {
		Name     string            `json:"name"`
		Size     *int64            `json:"size"`
		Metadata map[string]string `json:"metadata"`
	} `json:"data"`
}

// receiver answers what answer says, and checks every request as its
// specification has it, by another's code.
type receiver struct {
	*httptest.Server
	t      *testing.T
	answer http.HandlerFunc

	mu       sync.Mutex
	messages []message
	arrived  chan struct{} // one for each message
}

func receive(t *testing.T, answer http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{t: t, answer: answer, arrived: make(chan struct{}, 1000)}
	r.Server = httptest.NewServer(http.HandlerFunc(r.take))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) take(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		r.t.Error(err)
	}
	judge, err := standardwebhooks.NewWebhook(secretText)
	if err != nil {
		r.t.Error(err)
	}
	if err := judge.Verify(body, request.Header); err != nil {
		r.t.Error(err)
	}
	if got := request.Header.Get("Content-Type"); request.Method != "POST" || got != "application/json" {
		r.t.Errorf("%s of %q, want POST of application/json", request.Method, got)
	}
	m := message{id: request.Header.Get("Webhook-Id")}
	if err := json.Unmarshal(body, &m); err != nil {
		r.t.Error(err)
	}
	r.mu.Lock()
	r.messages = append(r.messages, m)
	r.mu.Unlock()
	r.arrived <- struct{}{}
	r.answer(w, request)
}

// want waits for n more messages and returns all that have come.
func (r *receiver) want(n int) []message {
	r.t.Helper()
	timeout := time.After(patience)
	for range n {
		select {
		case <-r.arrived:
		case <-timeout:
			r.t.Fatalf("got %d messages, want more", len(r.all()))
		}
	}
	return r.all()
}

func (r *receiver) all() []message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]message(nil), r.messages...)
}

func (m message) name() string { return m.Data.Name }

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// bench is a webhook with a root of its own.
type bench struct {
	t       *testing.T
	root    string
	opts    hooks.Options
	reports chan hooks.Report
}

func newBench(t *testing.T, url string) *bench {
	t.Helper()
	b := &bench{t: t, root: t.TempDir(), reports: make(chan hooks.Report, 10000)}
	store, err := local.Open(local.Options{Root: b.root, Blocks: blocks.New(1 << 20)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	folder := func(name string) hooks.Folder {
		f, err := store.Folder(name)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	b.opts = hooks.Options{
		Queue: folder("hooks"), Failed: folder("hooks/failed"),
		URL: url, Secret: secret(t), Events: hooks.Types(),
		Timeout: patience, MaxAge: time.Hour, FirstPause: time.Millisecond, LongestPause: 4 * time.Millisecond,
		Report: func(r hooks.Report) { b.reports <- r },
	}
	return b
}

// open makes the webhook; it delivers nothing before it is started.
func (b *bench) open() *hooks.Webhook {
	b.t.Helper()
	w, err := hooks.Open(b.opts)
	if err != nil {
		b.t.Fatal(err)
	}
	return w
}

// reported waits for the next report with the result.
func (b *bench) reported(want hooks.Result) hooks.Report {
	b.t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case r := <-b.reports:
			if r.Result == want {
				return r
			}
		case <-timeout:
			b.t.Fatalf("nothing was %s", want)
		}
	}
}

// files lists a folder of the webhook's.
func (b *bench) files(pattern string) []string {
	b.t.Helper()
	found, err := filepath.Glob(filepath.Join(b.root, ".sluice", "hooks", filepath.FromSlash(pattern)))
	if err != nil {
		b.t.Fatal(err)
	}
	return found
}

func named(name string) hooks.Upload { return hooks.Upload{Protocol: "put", Name: name, Size: 1} }
