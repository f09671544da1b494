package framing

import "strings"

// set is a set of bytes.
type set [256]bool

func setOf(has func(byte) bool) *set {
	var s set
	for i := range s {
		s[i] = has(byte(i))
	}
	return &s
}

var (
	token  = setOf(isToken)
	value  = setOf(isValue)
	target = setOf(isTarget)
	digit  = setOf(isDigit)
	name   = setOf(isName)
	ipv6   = setOf(isIPv6)
)

// isAll reports whether s has bytes, and only such of the set.
func isAll[S string | []byte](s S, in *set) bool {
	for i := range len(s) {
		if !in[s[i]] {
			return false
		}
	}
	return len(s) > 0
}

// lower is b, or its small letter.
func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		b += 'a' - 'A'
	}
	return b
}

func isDigit(b byte) bool  { return '0' <= b && b <= '9' }
func isLetter(b byte) bool { return 'a' <= lower(b) && lower(b) <= 'z' }

// isToken: tchar (RFC 9110 section 5.6.2).
func isToken(b byte) bool {
	return isLetter(b) || isDigit(b) || strings.IndexByte("!#$%&'*+-.^_`|~", b) >= 0
}

// isValue: what may stand in a field's value (RFC 9110 section 5.5). Of the
// controls only the tab may.
func isValue(b byte) bool { return b >= ' ' && b != 0x7f || b == '\t' }

// isTarget: what may stand in a request's target. Bytes beyond ASCII are none
// of a URL's, but clients send them.
func isTarget(b byte) bool { return b > ' ' && b != 0x7f && b != '#' }

// isHost reports whether s is a host with or without a port (RFC 3986
// section 3.2), and no user.
func isHost(s string) bool {
	if address, ok := strings.CutPrefix(s, "["); ok {
		address, port, ok := strings.Cut(address, "]")
		return ok && isAll(address, ipv6) && isPort(port)
	}
	host, port := s, ""
	if i := strings.IndexByte(s, ':'); i >= 0 {
		host, port = s[:i], s[i:]
	}
	return isAll(host, name) && isPort(port)
}

// isPort reports whether s is empty, or a colon and a port, which may be empty
// too.
func isPort(s string) bool {
	port, ok := strings.CutPrefix(s, ":")
	return s == "" || ok && (port == "" || isAll(port, digit))
}

// isName: what may stand in a host's name or IPv4 address.
func isName(b byte) bool {
	return isLetter(b) || isDigit(b) || strings.IndexByte("-._~!$&'()*+,;=%", b) >= 0
}

// isIPv6: what may stand in the brackets of an address.
func isIPv6(b byte) bool {
	return isDigit(b) || 'a' <= lower(b) && lower(b) <= 'f' || b == ':' || b == '.'
}
