package doctor

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

const (
	// earlyPatience is how long an answer may take that needs no body. Only
	// proxies that wait for the body make anybody wait for so long.
	earlyPatience = 5 * time.Second
	// pollEvery is how often it is asked how far an upload has come.
	pollEvery = 500 * time.Millisecond
)

// buffering finds out whether bodies pass as they come. sluice answers a request
// that its head refuses at once; if that answer comes while the body is held
// back, the proxy has passed on the head. If it doesn't, a tus upload tells
// whether the server has got what was sent.
func buffering(ctx context.Context, v *visitor, f *findings) {
	versions := v.versions()
	names := slices.Sorted(maps.Keys(versions)) // HTTP/1.1 first
	found := make([]findings, len(names))
	var group sync.WaitGroup
	for i, name := range names {
		group.Go(func() { v.bufferingIn(ctx, versions[name], &found[i]) })
	}
	group.Wait()
	for i, name := range names {
		for _, finding := range found[i].list {
			v.buffered = v.buffered || finding.Level == Problem
			f.add(finding.Level, finding.Remedies, "%s: %s", name, finding.Text)
		}
	}
}

// bufferingIn looks at one version of HTTP.
func (v *visitor) bufferingIn(ctx context.Context, client *http.Client, f *findings) {
	asked := time.Now()
	a, err := v.refusal(ctx, client, 1e6)
	if err == nil && a.status == http.StatusPreconditionFailed {
		f.ok("bodies pass as they come: a refusal came after %s, before the body", time.Since(asked).Round(time.Millisecond))
		return
	}
	arrived, failure := v.arrives(ctx, client)
	if arrived {
		f.warn(remedyBuffering, "bodies pass as they come, but refusals wait for the whole body: %v", because(a, err))
		return
	}
	f.problem(remedyBuffering, "the proxy waits for the whole body before the server sees anything of it: uploads take twice the time and the proxy's disk, "+
		"and refusals come late (%v; %v)", because(a, err), failure)
}

func because(a answer, err error) string {
	if err != nil {
		return err.Error()
	}
	return a.String()
}

// arrives reports whether the server has got the beginning of a tus PATCH whose
// end is held back. Asking for the offset ends the PATCH, with what has come.
func (v *visitor) arrives(ctx context.Context, client *http.Client) (bool, error) {
	const sent = 64 << 10
	at, a, err := v.create(ctx, 2*sent, v.mark+"-held.bin")
	if err != nil || !a.success() {
		return false, fmt.Errorf("create: %v", because(a, err))
	}
	patch, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		body := &held{ctx: patch, first: bytes.NewReader(make([]byte, sent))}
		_, _ = v.do(patch, client, request{method: http.MethodPatch, url: at, body: body, length: 2 * sent, fields: []string{tusVersion, tusType, "Upload-Offset: 0"}})
	}()
	defer func() { cancel(); <-ended }()
	for deadline := time.Now().Add(earlyPatience); time.Now().Before(deadline); {
		select {
		case <-time.After(pollEvery):
		case <-ctx.Done():
			return false, ctx.Err()
		}
		a, err := v.quick(ctx, request{method: http.MethodHead, url: at, fields: []string{tusVersion}})
		if err != nil {
			return false, err
		}
		if offset, _ := strconv.ParseInt(a.header.Get("Upload-Offset"), 10, 64); offset > 0 {
			return true, nil
		}
	}
	return false, fmt.Errorf("of %d bytes none has arrived after %s", sent, earlyPatience)
}
