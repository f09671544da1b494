package loadtest

import (
	"encoding/json"
	"io"
	"net/http"
	"time"
)

// maxAnswer bounds what is kept of an answer's body; downloads don't pass here.
const maxAnswer = 64 << 10

// answer is a final answer with its (short) body.
type answer struct {
	status int
	header http.Header
	length int64 // that the head states, -1 if it states none
	body   []byte
	last   bool // the connection can't take another request
	began  time.Time
}

// readHead reads the next final answer up to its body, past interim ones, and
// tells when its first byte came.
func (c *conn) readHead(method string) (*http.Response, time.Time, error) {
	for {
		_, err := c.answers.Peek(1)
		began := time.Now()
		if err != nil {
			return nil, began, err
		}
		response, err := http.ReadResponse(c.answers, &http.Request{Method: method})
		if err != nil {
			return nil, began, err
		}
		if response.StatusCode >= 200 {
			return response, began, nil
		}
	}
}

// readAnswer reads the body of response. That of a refusal only explains it, so
// there a broken one is no error.
func readAnswer(response *http.Response) (*answer, error) {
	a := &answer{
		status: response.StatusCode,
		header: response.Header,
		length: response.ContentLength,
		last:   response.Close,
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if len(body) > maxAnswer {
		body, a.last = body[:maxAnswer], true
	}
	a.body = body
	if err != nil && a.status < 400 {
		return nil, err
	}
	a.last = a.last || err != nil
	return a, nil
}

// problem returns what the body says of a refusal, if it is an RFC 9457 problem
// or at least JSON with a title or a detail.
func (a *answer) problem() string {
	var p struct{ Title, Detail string }
	if json.Unmarshal(a.body, &p) != nil {
		return ""
	}
	if p.Title != "" && p.Detail != "" {
		return p.Title + ": " + p.Detail
	}
	return p.Title + p.Detail
}

func (a *answer) ok() bool { return a.status >= 200 && a.status < 300 }
