package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Token is what is kept of a token: who holds it and what they may do.
type Token struct {
	Name   string `json:"name"`
	Hash   Hash   `json:"hash"`
	Scopes Scopes `json:"scopes"`
	// Prefix, MaxSize and Rate are those of [Identity].
	Prefix  string    `json:"prefix,omitempty"`
	MaxSize int64     `json:"max_size,omitempty"`
	Rate    int64     `json:"rate,omitempty"`
	Created time.Time `json:"created,omitzero"`
	Expires time.Time `json:"expires,omitzero"`
}

// Hash is the SHA-256 of a token. Tokens are 256 bits of chance, which nobody
// can try out, so a slow hash, made for what people can remember, would only
// cost the server time with every request.
type Hash [sha256.Size]byte

const (
	hashPrefix = "sha256:"
	// tokenPrefix tells people and scanners for secrets what it is.
	tokenPrefix = "slc_"
	tokenBytes  = 32
	// longestName bounds the name of a token, in bytes.
	longestName = 64
)

// errToken: a token in the file isn't as it has to be.
var errToken = errors.New("invalid token")

// NewSecret makes a token, which is shown once, and its hash, which is kept.
func NewSecret() (secret string, hash Hash) {
	secret = tokenPrefix + randomText()
	return secret, hashOf(secret)
}

// randomText is 256 bits of chance, as text that is safe in fields and URLs.
func randomText() string {
	var b [tokenBytes]byte
	rand.Read(b[:]) // never fails, by its documentation
	return base64.RawURLEncoding.EncodeToString(b[:])
}

func hashOf(secret string) Hash { return sha256.Sum256([]byte(secret)) }

// MarshalText writes sha256: and the digits.
func (h Hash) MarshalText() ([]byte, error) {
	return []byte(hashPrefix + hex.EncodeToString(h[:])), nil
}

// UnmarshalText reads them. Its error tells nothing of the text, which may be a
// token in the wrong place.
func (h *Hash) UnmarshalText(text []byte) error {
	digits, found := strings.CutPrefix(string(text), hashPrefix)
	sum, err := hex.DecodeString(digits)
	if !found || err != nil || len(sum) != len(h) {
		return fmt.Errorf("%w: a hash is %s and %d hexadecimal digits", errToken, hashPrefix, 2*len(h))
	}
	copy(h[:], sum)
	return nil
}

// check tells what is wrong with a token of the file.
func (t Token) check() error {
	switch {
	case !validName(t.Name):
		return fmt.Errorf("%w: a name is 1 to %d letters, digits and -._@, and not %.80q", errToken, longestName, t.Name)
	case t.Hash == Hash{}:
		return fmt.Errorf("%w: %s has no hash", errToken, t.Name)
	case !validPrefix(t.Prefix):
		return fmt.Errorf("%w: prefix of %s: a path such as inbox/2026, without slashes around it", errToken, t.Name)
	case t.MaxSize < 0, t.Rate < 0:
		return fmt.Errorf("%w: %s has a negative limit", errToken, t.Name)
	}
	return nil
}

// validName accepts names that can't be mistaken for another kind of identity's,
// which have a colon.
func validName(name string) bool {
	return name != "" && len(name) <= longestName && !strings.ContainsFunc(name, func(r rune) bool {
		isAlphanumeric := '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		return !isAlphanumeric && !strings.ContainsRune("-._@", r)
	})
}

func (t Token) identity() Identity {
	return Identity{
		Name: t.Name, Method: ByToken, Scopes: t.Scopes, Prefix: t.Prefix,
		MaxSize: t.MaxSize, Rate: t.Rate, Expires: t.Expires, secret: t.Hash,
	}
}
