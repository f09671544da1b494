package handlers

import (
	"net/url"
	"strings"
)

// Dispositions of a content (RFC 6266 section 4.2).
const (
	shown = "inline"
	saved = "attachment"
)

// disposition is a Content-Disposition field under whose name the content is
// saved as it is stored: as it is for those who know RFC 8187, and in ASCII for
// those who don't (RFC 6266 section 4.3).
func disposition(kind, name string) string {
	// What url leaves unescaped is among the attr-char of RFC 8187 section 3.2.1.
	escaped := strings.ReplaceAll(url.QueryEscape(name), "+", "%20")
	return kind + `; filename="` + asciiName(name) + `"; filename*=UTF-8''` + escaped
}

// asciiName replaces by "_" what browsers read in different ways within quotes:
// everything beyond ASCII, quotes, backslashes, and what looks like
// percent-encoding (RFC 6266 appendix D).
func asciiName(name string) string {
	var b strings.Builder
	for i, r := range name {
		if r < ' ' || r > '~' || strings.ContainsRune(`"\/`, r) || isEscape(name[i:]) {
			r = '_'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isEscape reports whether s begins with a percent-encoded byte.
func isEscape(s string) bool {
	if s[0] != '%' {
		return false
	}
	_, err := url.PathUnescape(s[:min(3, len(s))])
	return err == nil
}
