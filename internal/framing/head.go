package framing

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// head is what a request's head says of the framing.
type head struct {
	method, target string
	http10         bool
	// length of the body in bytes, or chunkedLength.
	length int64
}

const chunkedLength = -1

// parseHead checks a head, whose lines all end in CRLF and whose last one is
// empty.
func parseHead(b []byte) (head, error) {
	line, fields, _ := bytes.Cut(b, crlf)
	h, err := parseRequestLine(line)
	if err != nil {
		return head{}, err
	}
	var f framingFields
	for line, fields, _ = bytes.Cut(fields, crlf); len(line) > 0; line, fields, _ = bytes.Cut(fields, crlf) {
		if err := f.add(line); err != nil {
			return head{}, err
		}
	}
	if err := f.checkHost(h); err != nil {
		return head{}, err
	}
	if !h.http10 && f.expect != "" && !strings.EqualFold(f.expect, "100-continue") {
		return head{}, fmt.Errorf("%w: %q", ErrExpectation, f.expect)
	}
	h.length, err = f.bodyLength(h)
	return h, err
}

var crlf = []byte("\r\n")

// parseRequestLine parses method, target and version, which stand one space
// apart (RFC 9112 section 3). Lists of words with other spaces between them
// are read in more than one way.
func parseRequestLine(line []byte) (head, error) {
	parts := strings.Split(string(line), " ")
	if len(parts) != 3 {
		return head{}, malformed("request line of other than three words")
	}
	h := head{method: parts[0], target: parts[1]}
	if !isAll(h.method, token) {
		return head{}, malformed("method is no token")
	}
	switch version := parts[2]; {
	case version == "HTTP/1.1":
	case version == "HTTP/1.0":
		h.http10 = true
	case len(version) == 8 && strings.HasPrefix(version, "HTTP/") && isDigit(version[5]) && version[6] == '.' && isDigit(version[7]):
		return head{}, fmt.Errorf("%w: %s", ErrVersion, version)
	default:
		return head{}, malformed("invalid HTTP version")
	}
	if h.method == "CONNECT" {
		return head{}, fmt.Errorf("%w: CONNECT", ErrUnsupported)
	}
	return h, checkTarget(h)
}

// checkTarget takes the forms of RFC 9112 section 3.2: a path, a whole URL, and
// the asterisk of OPTIONS. Paths may hold bytes that a URL would have to
// escape, as clients send them; a fragment is cut off by some and kept by others.
func checkTarget(h head) error {
	if !isAll(h.target, target) {
		return malformed("invalid byte in the target")
	}
	if h.target[0] == '/' || h.target == "*" && h.method == "OPTIONS" {
		return nil
	}
	scheme, rest, ok := strings.Cut(h.target, "://")
	if !ok || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return malformed("target is neither a path nor a URL")
	}
	authority := rest
	if end := strings.IndexAny(rest, "/?"); end >= 0 {
		authority = rest[:end]
	}
	if !isHost(authority) {
		return malformed("invalid host in the target")
	}
	return nil
}

// framingFields is what the fields of a head say that bears on framing, and how
// often they came.
type framingFields struct {
	length, coding, host, expect string
	lengths, codings, hosts      int
}

// add takes a field's line (RFC 9112 section 5). A line that continues the one
// before begins with a space, which no name does.
func (f *framingFields) add(line []byte) error {
	key, content, ok := bytes.Cut(line, []byte(":"))
	if !ok || !isAll(key, token) {
		return malformed("invalid field name")
	}
	content = bytes.Trim(content, " \t")
	if len(content) > 0 && !isAll(content, value) {
		return malformed("invalid byte in a field")
	}
	switch {
	case is(key, "Content-Length"):
		f.length = string(content)
		f.lengths++
	case is(key, "Transfer-Encoding"):
		f.coding = join(f.coding, f.codings, content)
		f.codings++
	case is(key, "Host"):
		f.host = string(content)
		f.hosts++
	case is(key, "Expect"):
		f.expect = join(f.expect, len(f.expect), content)
	}
	return nil
}

// is compares field names.
func is(key []byte, known string) bool {
	return len(key) == len(known) && strings.EqualFold(string(key), known)
}

// join makes one list of a field that comes more than once (RFC 9110 section 5.3).
func join(list string, before int, content []byte) string {
	if before == 0 {
		return string(content)
	}
	return list + "," + string(content)
}

// checkHost holds the request to exactly one valid Host (RFC 9112 section 3.2),
// which only HTTP/1.0 may leave out.
func (f *framingFields) checkHost(h head) error {
	switch {
	case f.hosts == 0 && h.http10:
		return nil
	case f.hosts != 1:
		return malformed(fmt.Sprintf("%d Host fields", f.hosts))
	case !isHost(f.host):
		return malformed("invalid Host")
	}
	return nil
}

// bodyLength is the length of the body (RFC 9112 section 6.3). A request with
// both ways of telling it, or with one of them twice, is what smugglers send.
func (f *framingFields) bodyLength(h head) (int64, error) {
	switch {
	case f.codings > 0 && f.lengths > 0:
		return 0, malformed("both Transfer-Encoding and Content-Length")
	case f.codings > 0 && h.http10:
		return 0, malformed("Transfer-Encoding in HTTP/1.0")
	case f.codings > 0:
		return chunkedLength, checkCoding(f.coding)
	case f.lengths > 1:
		return 0, malformed("more than one Content-Length")
	case f.lengths == 1:
		return parseLength(f.length)
	}
	return 0, nil
}

// checkCoding takes chunked alone. Where chunked is not the last coding, or not
// there once, nobody can tell where the body ends; others nobody here decodes.
func checkCoding(list string) error {
	codings := strings.Split(strings.ToLower(list), ",")
	for i, coding := range codings {
		codings[i] = strings.Trim(coding, " \t")
	}
	last := len(codings) - 1
	for i, coding := range codings {
		if coding == "" || coding == "chunked" && i < last {
			return malformed("invalid Transfer-Encoding")
		}
	}
	if last > 0 || codings[0] != "chunked" {
		return fmt.Errorf("%w: transfer coding %q", ErrUnsupported, list)
	}
	return nil
}

// parseLength parses a Content-Length: digits, and nothing but digits.
func parseLength(s string) (int64, error) {
	if !isAll(s, digit) {
		return 0, malformed("invalid Content-Length")
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, malformed("Content-Length too large")
	}
	return n, nil
}
