package auth

import (
	"io/fs"
	"slices"
	"strings"
	"time"
)

// Method is how somebody has shown who they are.
type Method string

// The methods.
const (
	ByNothing Method = "none"
	ByToken   Method = "token"
	BySession Method = "session"
	ByLink    Method = "link"
	ByJWT     Method = "jwt"
	ByProxy   Method = "proxy"
)

// Identity is whom a request comes from, and what that one may do. The zero
// Identity may do nothing.
type Identity struct {
	// Name is unique among all identities, whatever shows them; empty for
	// whoever has shown nothing.
	Name   string
	Method Method
	Scopes Scopes
	// Prefix is the path, below the root, that everything has to be below or at;
	// empty is everywhere.
	Prefix string
	// Exact tells that nothing below Prefix is meant.
	Exact bool
	// Methods are those of HTTP that it is good for, GET for HEAD too, and POST
	// for tus; nil is all.
	Methods []string
	// MaxSize bounds an upload, in bytes, and Rate all transfers together, in
	// bytes per second; 0 is no bound.
	MaxSize, Rate int64
	// Expires is when it ends; the zero time is never.
	Expires time.Time
	// Ambient tells that a browser adds the credential by itself, so that a page
	// of others could make it speak for its user.
	Ambient bool

	// Credential is the text of a link, which its answers hand on.
	Credential string

	// UsedUp tells that nothing more may be begun with it.
	UsedUp bool

	link *Link
	// secret is what a token was found by.
	secret Hash
}

// IsAnonymous reports whether nothing has been shown.
func (i Identity) IsAnonymous() bool { return i.Name == "" }

// Covers reports whether path, that of a validated name, lies where the identity
// may do something. Paths differ by every byte: another case is another path.
func (i Identity) Covers(path string) bool {
	if i.Prefix == "" {
		return true
	}
	rest, found := strings.CutPrefix(path, i.Prefix)
	return found && (rest == "" || rest[0] == '/' && !i.Exact)
}

// CanLogIn reports whether a session can be had for what was shown: a token or a
// JWT, which end it.
func (i Identity) CanLogIn() bool { return i.Method == ByToken || i.Method == ByJWT }

// Allows reports whether the identity is good for a method.
func (i Identity) Allows(method string) bool {
	return i.Methods == nil || slices.Contains(i.Methods, method)
}

func (i Identity) hasExpired(now time.Time) bool {
	return !i.Expires.IsZero() && !now.Before(i.Expires)
}

// Owns reports whether what name has begun is this identity's own.
func (i Identity) Owns(name string) bool { return i.Name == name }

// validPrefix accepts what validated names can begin with.
func validPrefix(prefix string) bool {
	return prefix == "" || prefix != "." && fs.ValidPath(prefix)
}
