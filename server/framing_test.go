package server_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"sluice/internal/framing"
)

// message is a request as one of the parsers reads it.
type message struct {
	method, target string
	length         int64 // -1 for a chunked body
	body           string
	end            int // where the next request begins
}

// FuzzFraming holds that fasthttp and net/http read the same requests out of
// whatever framing lets pass, each ending at the same byte: nobody can smuggle
// what two so different parsers agree about.
//
// Each of them may refuse more. What net/http does on purpose of its own:
// targets that are no URL, as those with an invalid escape, and a Trailer field
// that announces one that can't be a trailer.
func FuzzFraming(f *testing.F) {
	f.Fuzz(func(t *testing.T, sent []byte) {
		passed, _ := io.ReadAll(framing.NewReader(bytes.NewReader(sent), 4096))
		fast, fastErr := readAll(passed, byFasthttp)
		std, stdErr := readAll(passed, byNetHTTP)
		for i := range min(len(fast), len(std)) {
			if fast[i] != std[i] {
				t.Fatalf("fasthttp reads %+v, net/http %+v, of %q", fast[i], std[i], passed)
			}
		}
		if len(fast) > len(std) && !onPurpose(fast[len(std)], stdErr) {
			t.Fatalf("fasthttp reads %+v, where net/http fails with %v, of %q", fast[len(std)], stdErr, passed)
		}
		if len(std) > len(fast) && isEnd(fastErr) {
			t.Fatalf("net/http reads %+v, where fasthttp waits, of %q", std[len(fast)], passed)
		}
	})
}

// onPurpose reports whether net/http has a reason of its own to refuse m.
func onPurpose(m message, err error) bool {
	_, urlErr := url.ParseRequestURI(m.target)
	return urlErr != nil || strings.HasPrefix(err.Error(), "bad trailer key")
}

func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// readAll reads complete requests up to the first error.
func readAll(stream []byte, read func(*bufio.Reader) (message, error)) (all []message, err error) {
	src := bytes.NewReader(stream)
	br := bufio.NewReader(src)
	for {
		m, err := read(br)
		if err == nil && m.length >= 0 && int64(len(m.body)) < m.length {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return all, err
		}
		m.end = len(stream) - src.Len() - br.Buffered()
		all = append(all, m)
	}
}

func byNetHTTP(br *bufio.Reader) (message, error) {
	r, err := http.ReadRequest(br)
	if err != nil {
		return message{}, err
	}
	body, err := io.ReadAll(r.Body)
	return message{method: r.Method, target: r.RequestURI, length: r.ContentLength, body: string(body)}, err
}

func byFasthttp(br *bufio.Reader) (message, error) {
	var r fasthttp.Request
	if err := r.Header.Read(br); err != nil {
		return message{}, err
	}
	m := message{method: string(r.Header.Method()), target: string(r.Header.RequestURI()), length: max(int64(r.Header.ContentLength()), -1)}
	if r.Header.ContentLength() == -2 {
		m.length = 0
		return m, nil
	}
	if err := r.ContinueReadBodyStream(br, 1, false); err != nil {
		return message{}, err
	}
	body, err := io.ReadAll(r.BodyStream())
	m.body = string(body)
	return m, err
}
