package auth

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Errors of links.
var (
	// ErrLink: the link isn't signed by a key of ours, or has been revoked.
	ErrLink = errors.New("invalid link")
	// ErrUsedUp: it has been used as often as it may.
	ErrUsedUp = errors.New("link is used up")
	// ErrLinkSpec: a link can't be as it is asked for.
	ErrLinkSpec = errors.New("no link can be like that")
	// ErrNoKey: there is no key to sign with.
	ErrNoKey = errors.New("no key for links")
)

const (
	// maxLinkLife bounds the life of a link, and how long one that was revoked
	// is remembered.
	maxLinkLife = 366 * 24 * time.Hour
	// maxLink bounds the text of a link, in bytes.
	maxLink = 8 << 10
	// linkMark keeps the signature of a link from being one of anything else.
	linkMark  = "sluice link 1\n"
	linkIDLen = 12 // bytes
	// ownerOfLink stands before a link's id in the name of its identity.
	ownerOfLink = "link:"
)

// linkMethods are what a link can allow, and what that takes. GET stands for
// HEAD too, and POST for forms and tus.
var linkMethods = map[string]Scopes{
	"GET":    Read,
	"PUT":    Write,
	"POST":   Write,
	"DELETE": Delete,
}

// Link is what a signed link allows.
type Link struct {
	ID string `json:"id"`
	// Issuer is the name of who has had it signed; empty for the operator.
	Issuer  string   `json:"by,omitempty"`
	Methods []string `json:"do"`
	// Path is that of a file or, with Folder, of a folder with all below it.
	Path   string `json:"at"`
	Folder bool   `json:"in,omitempty"`
	// Expires is in seconds since 1970.
	Expires int64 `json:"to"`
	// MaxSize bounds each upload in bytes, MaxUses how many files may be sent
	// either way; 0 is no bound.
	MaxSize int64 `json:"size,omitempty"`
	MaxUses int   `json:"uses,omitempty"`
}

// Scopes are what the link gives away.
func (l Link) Scopes() Scopes {
	var s Scopes
	for _, method := range l.Methods {
		s |= linkMethods[method]
	}
	if l.Folder && s.Has(Read) {
		s |= List
	}
	return s
}

// check tells why there can't be such a link.
func (l Link) check(now time.Time) error {
	expires := time.Unix(l.Expires, 0)
	unknown := func(method string) bool { return linkMethods[method] == 0 }
	switch {
	case len(l.Methods) == 0 || len(l.Methods) > len(linkMethods) || slices.ContainsFunc(l.Methods, unknown):
		return fmt.Errorf("%w: methods are one or more of GET, PUT, POST and DELETE", ErrLinkSpec)
	case !validPrefix(l.Path), l.Path == "" && !l.Folder:
		return fmt.Errorf("%w: the path is none", ErrLinkSpec)
	case !expires.After(now) || expires.After(now.Add(maxLinkLife)):
		return fmt.Errorf("%w: it has to expire, within %d days", ErrLinkSpec, int(maxLinkLife.Hours())/24)
	case l.MaxSize < 0, l.MaxUses < 0:
		return fmt.Errorf("%w: a limit is negative", ErrLinkSpec)
	}
	return nil
}

func (l Link) identity() Identity {
	return Identity{
		Name: ownerOfLink + l.ID, Method: ByLink, Scopes: l.Scopes(), Prefix: l.Path, Exact: !l.Folder,
		MaxSize: l.MaxSize, Expires: time.Unix(l.Expires, 0), Methods: l.Methods, link: &l,
	}
}

// within fails where the link gives away more than its issuer has.
func (l Link) within(issuer Identity) error {
	switch {
	case !issuer.Scopes.Has(l.Scopes()), issuer.link != nil:
		return fmt.Errorf("%w: it would give away more than its issuer has", ErrLinkSpec)
	case !issuer.Covers(l.Path):
		return fmt.Errorf("%w: it would lead outside of its issuer's folder", ErrLinkSpec)
	}
	return nil
}

// Keys are those that links are signed with: the first signs, and each of them
// holds.
type Keys [][]byte

const (
	shortestKey = 32 // bytes
	maxKeys     = 16
	maxKeyFile  = 64 << 10
)

// ReadKeys reads a file of keys, one a line, each 32 bytes or more in base64.
// Lines that begin with # are comments. Its error tells nothing of any key.
func ReadKeys(path string) (Keys, error) {
	data, err := readBounded(path, maxKeyFile)
	if err != nil {
		return nil, fmt.Errorf("read keys for links: %w", err)
	}
	var keys Keys
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		key, err := base64.StdEncoding.DecodeString(line)
		if err != nil || len(key) < shortestKey {
			return nil, fmt.Errorf("read keys for links: each line of %s is %d bytes or more in base64", path, shortestKey)
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 || len(keys) > maxKeys {
		return nil, fmt.Errorf("read keys for links: %s has %d, and not 1 to %d", path, len(keys), maxKeys)
	}
	return keys, nil
}

// Sign makes the text of a new link.
func (k Keys) Sign(l Link, now time.Time) (signed Link, text string, err error) {
	if len(k) == 0 {
		return l, "", ErrNoKey
	}
	if err := l.check(now); err != nil {
		return l, "", err
	}
	var id [linkIDLen]byte
	rand.Read(id[:]) // never fails, by its documentation
	l.ID = hex.EncodeToString(id[:])
	data, err := json.Marshal(l)
	if err != nil {
		return l, "", fmt.Errorf("sign link: %w", err)
	}
	payload := base64.RawURLEncoding.EncodeToString(data)
	return l, payload + "." + signature(k[0], payload), nil
}

func signature(key []byte, payload string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(linkMark + payload))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// open reads a link that one of the keys has signed. What is signed is the text
// itself, so that there is no second way to write it.
func (k Keys) open(text string) (Link, error) {
	payload, sum, found := strings.Cut(text, ".")
	if !found || len(text) > maxLink {
		return Link{}, ErrLink
	}
	signed := false
	for _, key := range k {
		if hmac.Equal([]byte(signature(key, payload)), []byte(sum)) {
			signed = true
		}
	}
	if !signed {
		return Link{}, ErrLink
	}
	data, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil {
		return Link{}, ErrLink
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields() // which a later version might have meant as a bound
	var l Link
	if err := decoder.Decode(&l); err != nil {
		return Link{}, ErrLink
	}
	if _, err := decoder.Token(); err != io.EOF {
		return Link{}, ErrLink
	}
	return l, nil
}
