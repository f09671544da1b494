package auth

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// JWTOptions say which JWTs count.
type JWTOptions struct {
	// Issuer and Audience are what has to stand in them; an empty issuer is no
	// JWTs at all.
	Issuer, Audience string
	// KeysURL is where the issuer's keys are; empty asks the issuer (OpenID
	// Connect Discovery 1.0 section 4). KeysFile holds them and is never asked
	// for anew but when it changes.
	KeysURL, KeysFile string
	// Algorithms are those of signatures, of [JWTAlgorithms].
	Algorithms []string
	// ScopesClaim holds words such as sluice:read, PrefixClaim a folder.
	ScopesClaim, PrefixClaim string
}

// JWTAlgorithms are all that can be chosen. Those with a shared secret aren't
// among them: the keys that are known here are public.
func JWTAlgorithms() []string {
	return []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
}

const (
	// clockSkew is how far clocks may be apart.
	clockSkew = time.Minute
	// scopeMark stands before the words that are meant for us: others share the
	// claim.
	scopeMark = "sluice:"
	// ownerOfJWT stands before the subject in the name of an identity.
	ownerOfJWT     = "jwt:"
	longestSubject = 255 // characters (OpenID Connect Core 1.0 section 2)
)

// jwts verifies JWTs (RFC 7519).
type jwts struct {
	options    JWTOptions
	algorithms []jose.SignatureAlgorithm
	keys       keySource
}

// keySource finds the keys that may have signed a token.
type keySource interface {
	find(kid string, now time.Time) ([]jose.JSONWebKey, error)
}

func newJWTs(o JWTOptions, reloaded func(error)) (*jwts, error) {
	j := &jwts{options: o}
	for _, name := range o.Algorithms {
		if !slices.Contains(JWTAlgorithms(), name) {
			return nil, fmt.Errorf("jwt: unknown algorithm %q", name)
		}
		j.algorithms = append(j.algorithms, jose.SignatureAlgorithm(name))
	}
	if o.KeysFile == "" {
		j.keys = newRemoteKeys(o.Issuer, o.KeysURL)
		return j, nil
	}
	file, err := openWatched(o.KeysFile, readKeySet, reloaded)
	j.keys = fileKeys{file}
	return j, err
}

// isJWT tells a JWT from a token of ours, in which no dot stands.
func isJWT(text string) bool { return strings.Count(text, ".") == 2 }

// identify verifies a JWT. No part of it counts before its signature does, but
// the id of the key, and the algorithm as far as it is a known one.
func (j *jwts) identify(text string, now time.Time) (Identity, error) {
	token, err := jwt.ParseSigned(text, j.algorithms)
	if err != nil || len(token.Headers) != 1 {
		return Identity{}, ErrUnknown
	}
	header := token.Headers[0]
	keys, err := j.keys.find(header.KeyID, now)
	if err != nil {
		return Identity{}, err
	}
	for _, key := range keys {
		if key.Algorithm != "" && key.Algorithm != header.Algorithm {
			continue
		}
		var claims jwt.Claims
		var others map[string]any
		if token.Claims(key.Key, &claims, &others) == nil {
			return j.read(claims, others, now)
		}
	}
	return Identity{}, ErrUnknown
}

// read makes an identity of claims that the issuer has signed.
func (j *jwts) read(claims jwt.Claims, others map[string]any, now time.Time) (Identity, error) {
	expected := jwt.Expected{Issuer: j.options.Issuer, AnyAudience: jwt.Audience{j.options.Audience}, Time: now}
	err := claims.ValidateWithLeeway(expected, clockSkew)
	switch {
	case errors.Is(err, jwt.ErrExpired):
		return Identity{}, ErrExpired
	case err != nil, claims.Expiry == nil, !validSubject(claims.Subject):
		return Identity{}, ErrUnknown
	}
	prefix, ok := claimText(others[j.options.PrefixClaim])
	if !ok || !validPrefix(prefix) {
		return Identity{}, ErrUnknown
	}
	return Identity{
		Name: ownerOfJWT + claims.Subject, Method: ByJWT, Scopes: scopesIn(others[j.options.ScopesClaim]), Prefix: prefix,
		Expires: claims.Expiry.Time().Add(clockSkew),
	}, nil
}

// claimText is a claim that may be left out.
func claimText(claim any) (string, bool) {
	if claim == nil {
		return "", true
	}
	text, ok := claim.(string)
	return text, ok
}

// validSubject accepts what may stand in a log.
func validSubject(subject string) bool {
	return subject != "" && len(subject) <= longestSubject && !strings.ContainsFunc(subject, func(r rune) bool { return r <= ' ' || r == 0x7f || r == 0xfffd })
}

// scopesIn takes our scopes out of a claim: words with blanks between them (RFC
// 8693 section 4.2), or a list of words.
func scopesIn(claim any) Scopes {
	var words []string
	switch claim := claim.(type) {
	case string:
		words = strings.Fields(claim)
	case []any:
		for _, item := range claim {
			if word, ok := item.(string); ok {
				words = append(words, word)
			}
		}
	}
	var s Scopes
	for _, word := range words {
		if own, found := strings.CutPrefix(word, scopeMark); found {
			s |= parseScope(own)
		}
	}
	return s
}
