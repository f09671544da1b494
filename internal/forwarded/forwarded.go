package forwarded

import "strings"

// element is what one proxy has added to Forwarded.
type element struct{ node, proto, host string }

// parseForwarded reads a whole field (RFC 7239 section 4). Blanks may stand
// around semicolons too, as some proxies write them.
func parseForwarded(s string) (elements []element, ok bool) {
	for {
		var e element
		pairs, rest, ok := parseElement(s)
		if !ok || !e.take(pairs) {
			return nil, false
		}
		if len(pairs) > 0 {
			elements = append(elements, e)
		}
		if rest == "" {
			return elements, true
		}
		s = rest[1:]
	}
}

type pair struct{ name, value string }

// parseElement reads up to the next comma, with which rest begins.
func parseElement(s string) (pairs []pair, rest string, ok bool) {
	for {
		s = strings.TrimLeft(s, " \t")
		if s != "" && s[0] != ';' && s[0] != ',' {
			var p pair
			if p, s, ok = parsePair(s); !ok {
				return nil, "", false
			}
			pairs = append(pairs, p)
			s = strings.TrimLeft(s, " \t")
		}
		switch {
		case s == "" || s[0] == ',':
			return pairs, s, true
		case s[0] != ';':
			return nil, "", false
		}
		s = s[1:]
	}
}

func parsePair(s string) (p pair, rest string, ok bool) {
	end := strings.IndexFunc(s, isNoToken)
	if end <= 0 || s[end] != '=' {
		return p, "", false
	}
	p.name = strings.ToLower(s[:end])
	p.value, rest, ok = parseValue(s[end+1:])
	return p, rest, ok
}

// parseValue reads a token or a quoted string (RFC 9110 section 5.6.4).
func parseValue(s string) (value, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexFunc(s, isNoToken)
		if end < 0 {
			end = len(s)
		}
		return s[:end], s[end:], end > 0
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), s[i+1:], true
		case '\\':
			if i++; i == len(s) {
				return "", "", false
			}
		}
		b.WriteByte(s[i])
	}
	return "", "", false
}

// take keeps the pairs that are known, none of which may come twice.
func (e *element) take(pairs []pair) bool {
	seen := make(map[string]bool, len(pairs))
	for _, p := range pairs {
		if seen[p.name] {
			return false
		}
		seen[p.name] = true
		switch p.name {
		case "for":
			e.node = p.value
		case "proto":
			e.proto = p.value
		case "host":
			e.host = p.value
		}
	}
	return true
}

// isNoToken reports what can't stand in a token (RFC 9110 section 5.6.2).
func isNoToken(r rune) bool {
	return !isAlphanumeric(r) && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

func isAlphanumeric(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}
