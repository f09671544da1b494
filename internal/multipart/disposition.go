package multipart

import (
	"errors"
	"net/textproto"
	"strings"
)

// disposition is a part's Content-Disposition (RFC 7578 §4.2).
type disposition struct {
	name     string
	filename string
	isFile   bool // there is a filename, be it empty
}

var (
	errDisposition = errors.New("content-disposition is not form-data")
	errParameters  = errors.New("broken content-disposition parameters")
	errName        = errors.New("content-disposition without a name")
)

// formDisposition reads the names of a form's part. mime.ParseMediaType does
// not serve here: it lets filename*, which forms must not use, replace
// filename, and takes backslashes out of names in which they are meant.
//
// Senders quote in two ways: browsers write `"`, CR and LF as %22, %0D and %0A
// and leave a backslash alone (WHATWG HTML, multipart form data), others write
// `\"` and `\\` (RFC 9110 §5.6.4). So these two are unquoted, and any other
// backslash stands for itself; where that leaves no sense in the line, as after
// a browser's name that ends in a backslash, all of them do.
func formDisposition(header textproto.MIMEHeader) (disposition, error) {
	values := header["Content-Disposition"]
	if len(values) != 1 {
		return disposition{}, errDisposition
	}
	kind, params := token(values[0])
	if !strings.EqualFold(kind, "form-data") {
		return disposition{}, errDisposition
	}
	found, ok := parseParams(params, true)
	if !ok {
		found, ok = parseParams(params, false)
	}
	if !ok {
		return disposition{}, errParameters
	}
	name, ok := found["name"]
	if !ok {
		return disposition{}, errName
	}
	filename, isFile := found["filename"]
	return disposition{unescape(name), unescape(filename), isFile}, nil
}

// unescape undoes what browsers do to names. It is no general
// percent-decoding: they leave a name's own percent signs alone.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	return strings.NewReplacer("%22", `"`, "%0D", "\r", "%0A", "\n").Replace(s)
}

// parseParams parses *( ";" token "=" ( token / quoted-string ) ), with
// blanks anywhere around and a last semicolon allowed. A parameter may come
// once.
func parseParams(s string, escapes bool) (map[string]string, bool) {
	params := make(map[string]string, 2)
	for s = trimBlanks(s); s != ""; s = trimBlanks(s) {
		if s[0] != ';' {
			return nil, false
		}
		if s = trimBlanks(s[1:]); s == "" {
			break
		}
		key, value, rest, ok := parseParam(s, escapes)
		key = strings.ToLower(key)
		if _, twice := params[key]; !ok || twice {
			return nil, false
		}
		params[key] = value
		s = rest
	}
	return params, true
}

func parseParam(s string, escapes bool) (key, value, rest string, ok bool) {
	key, rest = token(s)
	rest, ok = strings.CutPrefix(trimBlanks(rest), "=")
	if key == "" || !ok {
		return "", "", "", false
	}
	if rest = trimBlanks(rest); strings.HasPrefix(rest, `"`) {
		value, rest, ok = quotedString(rest[1:], escapes)
		return key, value, rest, ok
	}
	value, rest = token(rest)
	return key, value, rest, value != ""
}

// quotedString reads up to the closing quote of a string whose opening one is
// taken off.
func quotedString(s string, escapes bool) (value, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return b.String(), s[i+1:], true
		case escapes && c == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\'):
			i++
		}
		b.WriteByte(s[i])
	}
	return "", "", false
}

// token cuts a token (RFC 2045 §5.1) off the front of s.
func token(s string) (tok, rest string) {
	i := 0
	for i < len(s) && s[i] > ' ' && s[i] < 0x7f && strings.IndexByte(`()<>@,;:\"/[]?=`, s[i]) < 0 {
		i++
	}
	return s[:i], s[i:]
}

func trimBlanks(s string) string { return strings.TrimLeft(s, " \t") }
