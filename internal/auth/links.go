package auth

import (
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// links are the signed links: their keys, and what is remembered of them.
type links struct {
	keys *watchedFile[Keys]
	uses *uses
}

// link tells what a link allows. One that somebody has had signed by a token
// ends with the token, and never allows more than that does by now.
func (a *Authenticator) link(texts []string, now time.Time) (Identity, error) {
	if a.links == nil || len(texts) != 1 {
		return Identity{}, ErrLink
	}
	l, err := a.links.keys.get(now).open(texts[0])
	if err != nil {
		return Identity{}, err
	}
	if now.Unix() >= l.Expires {
		return Identity{}, fmt.Errorf("%w: %w", ErrLink, ErrExpired)
	}
	usedUp, err := a.links.uses.check(l)
	if err != nil {
		return Identity{}, err
	}
	who := l.identity()
	who.UsedUp = usedUp
	who.Credential = texts[0]
	return a.under(who, now)
}

// under keeps a link within what the token has by which it was signed.
func (a *Authenticator) under(who Identity, now time.Time) (Identity, error) {
	l := *who.link
	if l.Issuer == "" || strings.Contains(l.Issuer, ":") {
		return who, nil // the operator, or somebody whose credentials end elsewhere
	}
	if a.tokens == nil {
		return Identity{}, ErrLink
	}
	t, found := a.tokens.get(now).byName[l.Issuer]
	issuer := t.identity()
	if !found || issuer.hasExpired(now) || l.within(issuer) != nil {
		return Identity{}, ErrLink
	}
	who.Rate = issuer.Rate
	if issuer.MaxSize > 0 && (who.MaxSize == 0 || issuer.MaxSize < who.MaxSize) {
		who.MaxSize = issuer.MaxSize
	}
	return who, nil
}

// CanSign reports whether somebody can have links signed. Who has shown nothing
// can't: a link in nobody's name is the operator's, and would outlive the rights
// that everybody has.
func (a *Authenticator) CanSign(who Identity) bool {
	return a.links != nil && who.link == nil && !who.IsAnonymous() && who.Scopes.HasAny(All)
}

// SignLink makes a link in the name of issuer, who can't give away more than
// they have. Its life, limits and rights are cut down to the issuer's.
func (a *Authenticator) SignLink(l Link, issuer Identity) (signed Link, text string, err error) {
	now := time.Now()
	if a.links == nil {
		return l, "", ErrNoKey
	}
	if !a.CanSign(issuer) {
		return l, "", fmt.Errorf("%w: its issuer can have none signed", ErrLinkSpec)
	}
	if err := l.within(issuer); err != nil {
		return l, "", err
	}
	l.Issuer = issuer.Name
	if !issuer.Expires.IsZero() && issuer.Expires.Unix() < l.Expires {
		l.Expires = issuer.Expires.Unix()
	}
	if issuer.MaxSize > 0 && (l.MaxSize == 0 || l.MaxSize > issuer.MaxSize) {
		l.MaxSize = issuer.MaxSize
	}
	return a.links.keys.get(now).Sign(l, now)
}

// RevokeLink ends a link by its id.
func (a *Authenticator) RevokeLink(id string) error {
	if raw, err := hex.DecodeString(id); a.links == nil || err != nil || len(raw) != linkIDLen || id != strings.ToLower(id) {
		return ErrLink
	}
	return a.links.uses.revoke(id, time.Now())
}

// Use counts that somebody begins to send or get a file, where their credential
// bounds how many. Undo takes it back for what has come to nothing.
func (a *Authenticator) Use(who Identity) (undo func() error, err error) {
	if who.link == nil {
		return func() error { return nil }, nil
	}
	return a.links.uses.claim(*who.link, time.Now())
}

// Unuse is undo for a use that was counted before, perhaps by an earlier process.
func (a *Authenticator) Unuse(name string) error {
	id, found := strings.CutPrefix(name, ownerOfLink)
	if !found || a.links == nil {
		return nil
	}
	return a.links.uses.giveBack(id)
}
