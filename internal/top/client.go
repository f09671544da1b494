package top

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Client asks one server.
type Client struct {
	// URL is where the server's paths begin.
	URL *url.URL
	// Token is shown as a bearer; empty shows nothing.
	Token string
	// HTTP is http.DefaultClient where nil.
	HTTP *http.Client
}

const (
	listPath   = "/api/v1/transfers"
	streamPath = listPath + "/stream"
	// maxEvent bounds an event, and maxProblem an error, in bytes.
	maxEvent   = 8 << 20
	maxProblem = 64 << 10
)

// List asks once.
func (c Client) List(ctx context.Context) (List, error) {
	var list List
	answer, err := c.do(ctx, http.MethodGet, listPath)
	if err != nil {
		return list, err
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxEvent)).Decode(&list); err != nil {
		return list, fmt.Errorf("read transfers: %w", err)
	}
	list.printable()
	return list, nil
}

// Stop asks for the end of a transfer.
func (c Client) Stop(ctx context.Context, id string) error {
	answer, err := c.do(ctx, http.MethodDelete, listPath+"/"+url.PathEscape(id))
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

// Follow hands on every list that the server tells, until the stream or ctx ends.
func (c Client) Follow(ctx context.Context, each func(List)) error {
	answer, err := c.do(ctx, http.MethodGet, streamPath)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, maxEvent)
	for lines.Scan() {
		data, found := strings.CutPrefix(lines.Text(), "data: ")
		if !found {
			continue
		}
		var list List
		if err := json.Unmarshal([]byte(data), &list); err != nil {
			return fmt.Errorf("read event: %w", err)
		}
		list.printable()
		each(list)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read stream: %w", err)
	}
	return nil
}

func (c Client) do(ctx context.Context, method, path string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.URL.JoinPath(path).String(), nil)
	if err != nil {
		return nil, err
	}
	if c.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.Token)
	}
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	answer, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode >= http.StatusBadRequest {
		defer answer.Body.Close()
		return nil, problemOf(answer)
	}
	return answer, nil
}

// problemOf is what the server says of a refusal (RFC 9457).
func problemOf(answer *http.Response) error {
	var p struct{ Detail string }
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxProblem)).Decode(&p); err != nil || p.Detail == "" {
		return errors.New(answer.Status)
	}
	return fmt.Errorf("%s: %s", answer.Status, p.Detail)
}
