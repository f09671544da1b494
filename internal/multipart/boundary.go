package multipart

import (
	"fmt"
	"mime"
	"strings"
)

// Boundary returns the boundary that a Content-Type of multipart/form-data
// names. Its errors are [ErrNotMultipart], also where it names none, and
// [ErrBoundary].
func Boundary(contentType string) (string, error) {
	base, _, _ := strings.Cut(contentType, ";")
	if !strings.EqualFold(strings.TrimSpace(base), "multipart/form-data") {
		return "", fmt.Errorf("content type %.100q: %w", base, ErrNotMultipart)
	}
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrBoundary, err)
	}
	boundary, ok := params["boundary"]
	if !ok {
		return "", fmt.Errorf("%w: no boundary", ErrNotMultipart)
	}
	if err := checkBoundary(boundary); err != nil {
		return "", err
	}
	return boundary, nil
}

// checkBoundary holds a boundary against RFC 2046 §5.1.1: 1 to 70 characters
// from a small set, the last of them no space.
func checkBoundary(s string) error {
	switch {
	case s == "":
		return fmt.Errorf("%w: empty", ErrBoundary)
	case len(s) > 70:
		return fmt.Errorf("%w: %d characters, at most 70 allowed", ErrBoundary, len(s))
	case s[len(s)-1] == ' ':
		return fmt.Errorf("%w: ends in a space", ErrBoundary)
	}
	for i := range len(s) {
		if !isBoundaryChar(s[i]) {
			return fmt.Errorf("%w: character %q", ErrBoundary, s[i])
		}
	}
	return nil
}

func isBoundaryChar(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' ||
		strings.IndexByte("'()+_,-./:=? ", c) >= 0
}
