package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// maxAnswer is how much is read of an answer, in bytes.
const maxAnswer = 4 << 10

// endpoint is where events are posted, each signed anew.
type endpoint struct {
	url     string
	secret  Secret
	timeout time.Duration
	client  *http.Client
}

func newEndpoint(url string, secret Secret, timeout time.Duration, connections int) endpoint {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = connections
	return endpoint{url, secret, timeout, &http.Client{
		Transport: transport,
		// What answers in another place has not been chosen to be told.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// answer is what came back.
type answer struct {
	status    int
	mediaType string
	body      []byte // the beginning
}

func (a answer) success() bool { return a.status/100 == 2 }

// post sends a body within the timeout. The text of its error doesn't hold the
// URL, which may hold secrets.
func (e endpoint) post(ctx context.Context, id string, body []byte) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	now := time.Now()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return answer{}, withoutURL(err)
	}
	// The id makes a request that comes twice harmless, so that net/http may send
	// it again where a connection that was kept turns out to be closed.
	r.Header["Idempotency-Key"] = nil
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "sluice")
	r.Header.Set("Webhook-Id", id)
	r.Header.Set("Webhook-Timestamp", strconv.FormatInt(now.Unix(), 10))
	r.Header.Set("Webhook-Signature", e.secret.sign(id, now, body))
	response, err := e.client.Do(r)
	if err != nil {
		return answer{}, withoutURL(err)
	}
	defer response.Body.Close()
	// The status alone decides. A body that is read to its end leaves the
	// connection for the next event.
	text, _ := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	return answer{response.StatusCode, response.Header.Get("Content-Type"), text}, nil
}

func withoutURL(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err
	}
	return fmt.Errorf("post event: %w", err)
}

func (e endpoint) close() { e.client.CloseIdleConnections() }
