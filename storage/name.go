package storage

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxSegment is the longest segment of a name in bytes, as the usual file
	// systems have it.
	MaxSegment = 255
	// maxName bounds a whole path in bytes; with the root before it, it stays
	// below PATH_MAX.
	maxName = 3072

	// Reserved is the top-level folder that belongs to the store itself.
	Reserved = ".sluice"
)

// Name is the validated path of a file or folder below the root: segments
// joined by "/", bytes kept as sent. The zero Name is the root folder itself.
type Name struct{ path string }

// ParseName validates a path that has already been percent-decoded, once. One
// trailing slash is allowed and dropped, so "" and "/" are the root.
//
// Refused with ErrName: segments that are empty, "." or "..", longer than 255
// bytes, not UTF-8, or with control characters; a backslash, which is a
// separator to some systems; and everything below the reserved folder.
func ParseName(s string) (Name, error) {
	s = strings.TrimSuffix(s, "/")
	if s == "" {
		return Name{}, nil
	}
	if len(s) > maxName {
		return Name{}, fmt.Errorf("%w: longer than %d bytes", ErrName, maxName)
	}
	for segment := range strings.SplitSeq(s, "/") {
		if err := checkSegment(segment); err != nil {
			return Name{}, err
		}
	}
	if first, _, _ := strings.Cut(s, "/"); strings.EqualFold(first, Reserved) {
		return Name{}, fmt.Errorf("%w: %s is reserved", ErrName, Reserved)
	}
	return Name{path: strings.Clone(s)}, nil
}

// ParseFileName makes a Name of the file name that a form or a tus client
// sent. Clients may send a path of their own system there; only its last
// segment counts (RFC 7578 section 4.2).
func ParseFileName(s string) (Name, error) {
	if i := strings.LastIndexAny(s, `/\`); i >= 0 {
		s = s[i+1:]
	}
	if s == "" {
		return Name{}, fmt.Errorf("%w: empty file name", ErrName)
	}
	return ParseName(s)
}

func checkSegment(s string) error {
	switch {
	case s == "":
		return fmt.Errorf("%w: empty segment", ErrName)
	case s == "." || s == "..":
		return fmt.Errorf("%w: dot segment", ErrName)
	case len(s) > MaxSegment:
		return fmt.Errorf("%w: segment longer than %d bytes", ErrName, MaxSegment)
	case !utf8.ValidString(s):
		return fmt.Errorf("%w: not UTF-8", ErrName)
	case strings.ContainsFunc(s, unicode.IsControl):
		return fmt.Errorf("%w: control character", ErrName)
	case strings.Contains(s, `\`):
		return fmt.Errorf("%w: backslash", ErrName)
	case strings.TrimSpace(s) == "":
		return fmt.Errorf("%w: blank segment", ErrName)
	}
	return nil
}

// IsRoot reports whether the name is the root folder.
func (n Name) IsRoot() bool { return n.path == "" }

// String returns the path without leading or trailing slash, "" for the root.
func (n Name) String() string { return n.path }

// Base returns the last segment, "" for the root.
func (n Name) Base() string {
	if n.IsRoot() {
		return ""
	}
	return path.Base(n.path)
}

// Parent returns the folder that holds n; the root is its own parent.
func (n Name) Parent() Name {
	i := strings.LastIndexByte(n.path, '/')
	if i < 0 {
		return Name{}
	}
	return Name{path: n.path[:i]}
}

// Join returns the name of child, a name of one or more segments, inside n.
func (n Name) Join(child Name) (Name, error) {
	if n.IsRoot() {
		return child, nil
	}
	return ParseName(n.path + "/" + child.path)
}

// Within reports whether n is folder itself or stands below it.
func (n Name) Within(folder Name) bool {
	return folder.IsRoot() || n == folder || strings.HasPrefix(n.path, folder.path+"/")
}

// MarshalText gives the path to encoders.
func (n Name) MarshalText() ([]byte, error) { return []byte(n.path), nil }

// UnmarshalText is ParseName for decoders.
func (n *Name) UnmarshalText(text []byte) error {
	parsed, err := ParseName(string(text))
	if err != nil {
		return err
	}
	*n = parsed
	return nil
}
