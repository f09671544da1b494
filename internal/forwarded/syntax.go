package forwarded

import (
	"net/netip"
	"strconv"
	"strings"
)

// parseNode reads the address of a node, with or without a port (RFC 7239
// section 6; X-Forwarded-For also has IPv6 without brackets). What hides its
// address, or is none, is the zero Addr.
func parseNode(s string) netip.Addr {
	if addr, err := netip.ParseAddr(s); err == nil {
		return plain(addr)
	}
	if inner, ok := strings.CutPrefix(s, "["); ok {
		inner, port, ok := strings.Cut(inner, "]")
		addr, err := netip.ParseAddr(inner)
		if err != nil || !ok || !addr.Is6() || port != "" && !isNodePort(port) {
			return netip.Addr{}
		}
		return plain(addr)
	}
	host, port, _ := strings.Cut(s, ":")
	addr, err := netip.ParseAddr(host)
	if err != nil || !addr.Is4() || !isNodePort(":"+port) {
		return netip.Addr{}
	}
	return addr
}

// plain is one address for all ways of writing it.
func plain(addr netip.Addr) netip.Addr { return addr.Unmap().WithZone("") }

// isNodePort takes obfuscated ports as well (RFC 7239 section 6.3).
func isNodePort(s string) bool {
	port, ok := strings.CutPrefix(s, ":")
	if name, hidden := strings.CutPrefix(port, "_"); hidden {
		return ok && isAll(name, func(r rune) bool { return isAlphanumeric(r) || strings.ContainsRune("._-", r) })
	}
	return ok && isPort(port)
}

func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0 && isAll(s, isDigit)
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func isAll(s string, in func(rune) bool) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !in(r) })
}

// ports are those that a URL of the scheme leaves out.
var ports = map[string]string{"http": ":80", "https": ":443"}

// parseOrigin checks both halves of an origin. It is all or nothing: a scheme
// with another host would lead elsewhere.
func parseOrigin(proto, host string) (scheme, authority string) {
	scheme, authority = strings.ToLower(proto), strings.ToLower(host)
	port, known := ports[scheme]
	if !known || !isAuthority(authority) {
		return "", ""
	}
	return scheme, strings.TrimSuffix(authority, port)
}

// maxHost bounds a host with its port, in bytes: a name of DNS has up to 253.
const maxHost = 253 + len(":65535")

// isAuthority reports whether s is a host with or without a port, and nothing
// else (RFC 3986 section 3.2). Of names it takes what DNS and people use: no
// escapes, and none of the signs that mean something to those who read URLs.
func isAuthority(s string) bool {
	if len(s) > maxHost {
		return false
	}
	if inner, ok := strings.CutPrefix(s, "["); ok {
		inner, port, ok := strings.Cut(inner, "]")
		addr, err := netip.ParseAddr(inner)
		return err == nil && ok && addr.Is6() && addr.Zone() == "" && (port == "" || port[0] == ':' && isPort(port[1:]))
	}
	name, port, hasPort := strings.Cut(s, ":")
	if hasPort && !isPort(port) {
		return false
	}
	return isAll(name, func(r rune) bool { return isAlphanumeric(r) || strings.ContainsRune("-._~", r) }) &&
		!strings.HasPrefix(name, ".") && !strings.Contains(name, "..")
}

// parsePrefix takes one path of plain segments. Anything else could lead to
// another host, or out of the path.
func parsePrefix(lines []string) string {
	if len(lines) != 1 {
		return ""
	}
	prefix := strings.TrimSuffix(strings.Trim(lines[0], " \t"), "/")
	rest, ok := strings.CutPrefix(prefix, "/")
	if !ok {
		return ""
	}
	for segment := range strings.SplitSeq(rest, "/") {
		isPlain := isAll(segment, func(r rune) bool { return isAlphanumeric(r) || strings.ContainsRune("-._~", r) })
		if !isPlain || segment == "." || segment == ".." {
			return ""
		}
	}
	return prefix
}
