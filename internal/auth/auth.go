package auth

import (
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net/netip"
	"strings"
	"time"
)

// The errors of credentials. None tells which part of one was wrong.
var (
	// ErrUnknown: the credential is none, or not ours.
	ErrUnknown = errors.New("unknown credential")
	// ErrExpired: it was one.
	ErrExpired = errors.New("credential has expired")
	// ErrThrottled: the client has failed too often; see [ThrottledError].
	ErrThrottled = errors.New("too many failed attempts")
)

// ThrottledError tells when the client may try again.
type ThrottledError struct{ Wait time.Duration }

func (*ThrottledError) Error() string { return ErrThrottled.Error() }

// Is makes it an ErrThrottled.
func (*ThrottledError) Is(target error) bool { return target == ErrThrottled }

// Result is what became of a credential.
type Result string

// The results.
const (
	Accepted  Result = "accepted"
	Rejected  Result = "rejected"
	Expired   Result = "expired"
	Throttled Result = "throttled"
	// Undecided: the keys to check it with couldn't be had.
	Undecided Result = "undecided"
)

// Results returns all results.
func Results() []Result { return []Result{Accepted, Rejected, Expired, Throttled, Undecided} }

// Methods returns the methods by which something is shown.
func Methods() []Method { return []Method{ByToken, BySession, ByLink, ByJWT, ByProxy} }

// Options set up an [Authenticator].
type Options struct {
	// Anonymous is what may be done by whoever shows nothing.
	Anonymous Scopes
	// TokenFile holds the tokens; empty is none.
	TokenFile string
	// LinkKeyFile holds the keys of links, and Links what is remembered of them;
	// empty is no links.
	LinkKeyFile string
	Links       Folder
	// JWT says which JWTs count.
	JWT JWTOptions
	// Proxied is what those may do whom a proxy names.
	Proxied Scopes
	// Report is told what became of each credential. Nil means no call.
	Report func(Method, Result)
	// Reloaded is told of each attempt to read a file again that has changed.
	// Nil means no call.
	Reloaded func(error)
}

// Authenticator tells who a request is from. It may be used by any number of
// goroutines.
type Authenticator struct {
	anonymous Scopes
	proxied   Scopes
	report    func(Method, Result)
	tokens    *watchedFile[table] // nil for none
	links     *links              // nil for none
	jwts      *jwts               // nil for none
	sessions  *sessions
	attempts  *attempts
}

// New makes an authenticator. What it reads has to be right.
func New(o Options) (*Authenticator, error) {
	a := &Authenticator{anonymous: o.Anonymous, proxied: o.Proxied, report: o.Report, sessions: newSessions(), attempts: newAttempts()}
	if a.report == nil {
		a.report = func(Method, Result) {}
	}
	if o.TokenFile != "" {
		var err error
		if a.tokens, err = openWatched(o.TokenFile, readTable, o.Reloaded); err != nil {
			return nil, err
		}
	}
	if o.LinkKeyFile != "" {
		keys, err := openWatched(o.LinkKeyFile, ReadKeys, o.Reloaded)
		if err != nil {
			return nil, err
		}
		uses, err := openUses(o.Links, time.Now())
		if err != nil {
			return nil, err
		}
		a.links = &links{keys, uses}
	}
	if o.JWT.Issuer != "" {
		var err error
		if a.jwts, err = newJWTs(o.JWT, o.Reloaded); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// table is the tokens as they are looked for.
type table struct {
	byHash map[Hash]Token
	byName map[string]Token
}

func readTable(path string) (table, error) {
	tokens, err := ReadTokens(path)
	if err != nil {
		return table{}, err
	}
	t := table{make(map[Hash]Token, len(tokens)), make(map[string]Token, len(tokens))}
	for _, token := range tokens {
		t.byHash[token.Hash], t.byName[token.Name] = token, token
	}
	return t, nil
}

// Prepare reads all files anew. Nothing changes before apply, which can't fail.
func (a *Authenticator) Prepare() (apply func(), err error) {
	var steps []func()
	var faults []error
	prepare := func(part func() (func(), error)) {
		apply, err := part()
		steps, faults = append(steps, apply), append(faults, err)
	}
	if a.tokens != nil {
		prepare(a.tokens.prepare)
	}
	if a.jwts != nil {
		if keys, isFile := a.jwts.keys.(fileKeys); isFile {
			prepare(keys.file.prepare)
		}
	}
	if a.links != nil {
		prepare(a.links.keys.prepare)
	}
	return func() {
		for _, apply := range steps {
			apply()
		}
	}, errors.Join(faults...)
}

// Request is what a request brings to tell whom it is from.
type Request struct {
	// Authorization is the lines of that field.
	Authorization []string
	// Session is the cookie of a session; empty for none.
	Session string
	// Links is what the URL says of links.
	Links []string
	// User is the lines of the field in which a trusted proxy names who it is;
	// nil where the request hasn't come from one.
	User []string
	// Client is whose failures are counted together.
	Client netip.Addr
}

// Identify tells whom the request is from. What is shown has to hold: nobody
// with a wrong credential passes for one who has shown none. A session that has
// ended is the exception, for browsers go on sending its cookie by themselves.
func (a *Authenticator) Identify(r Request) (Identity, error) {
	now := time.Now()
	method, check := a.checkOf(r, now)
	if check == nil {
		return a.nobody(), nil
	}
	if wait := a.attempts.wait(r.Client, now); wait > 0 {
		a.report(method, Throttled)
		return Identity{}, &ThrottledError{wait}
	}
	who, err := check()
	if err == nil && who.hasExpired(now) {
		err = ErrExpired
	}
	switch {
	case err != nil && method == BySession:
		a.report(method, Expired)
		return a.nobody(), nil
	case err != nil:
		return Identity{}, a.refuse(r, method, err, now)
	}
	a.report(who.Method, Accepted)
	return who, nil
}

func (a *Authenticator) nobody() Identity { return Identity{Method: ByNothing, Scopes: a.anonymous} }

// refuse notes that a credential didn't hold. One that did once is no guess.
func (a *Authenticator) refuse(r Request, method Method, err error, now time.Time) error {
	switch {
	case errors.Is(err, ErrExpired):
		a.report(method, Expired)
		return err
	case errors.Is(err, ErrUnavailable):
		a.report(method, Undecided)
		return err
	}
	a.attempts.fail(r.Client, now)
	a.report(method, Rejected)
	return err
}

// checkOf chooses what the request is judged by; nil where it shows nothing.
// What is meant for this request alone comes before what a browser adds.
func (a *Authenticator) checkOf(r Request, now time.Time) (Method, func() (Identity, error)) {
	switch {
	case len(r.Links) > 0:
		return ByLink, func() (Identity, error) { return a.link(r.Links, now) }
	case len(r.Authorization) > 0:
		return a.methodOf(r.Authorization[0]), func() (Identity, error) { return a.authorization(r.Authorization, now) }
	case r.Session != "":
		return BySession, func() (Identity, error) { return a.session(r.Session, now) }
	case len(r.User) > 0:
		return ByProxy, func() (Identity, error) { return a.proxy(r.User) }
	}
	return ByNothing, nil
}

// methodOf tells JWTs from tokens, for what is reported.
func (a *Authenticator) methodOf(field string) Method {
	if a.jwts != nil && isJWT(field) {
		return ByJWT
	}
	return ByToken
}

// proxy takes the word of a proxy for who somebody is.
func (a *Authenticator) proxy(lines []string) (Identity, error) {
	if len(lines) != 1 || !validSubject(lines[0]) {
		return Identity{}, ErrUnknown
	}
	// What lets somebody pass at the proxy, their browser adds by itself.
	return Identity{Name: ownerOfProxied + lines[0], Method: ByProxy, Scopes: a.proxied, Ambient: true}, nil
}

// ownerOfProxied stands before a user in the name of an identity.
const ownerOfProxied = "proxy:"

// authorization reads Authorization (RFC 9110 section 11.6.2).
func (a *Authenticator) authorization(lines []string, now time.Time) (Identity, error) {
	if len(lines) != 1 {
		return Identity{}, ErrUnknown
	}
	scheme, rest, _ := strings.Cut(lines[0], " ")
	rest = strings.Trim(rest, " ")
	switch strings.ToLower(scheme) {
	case "bearer":
		return a.bearer(rest, now)
	case "basic":
		who, err := a.basic(rest, now)
		who.Ambient = true // browsers keep it, and add it to what they send
		return who, err
	}
	return Identity{}, ErrUnknown
}

// basic takes the token as the password (RFC 7617). The user is up to the
// client: the token tells who it is.
func (a *Authenticator) basic(encoded string, now time.Time) (Identity, error) {
	pair, err := base64.StdEncoding.DecodeString(encoded)
	_, password, found := strings.Cut(string(pair), ":")
	if err != nil || !found {
		return Identity{}, ErrUnknown
	}
	return a.bearer(password, now)
}

// bearer takes a token (RFC 6750 section 2.1), ours or a JWT.
func (a *Authenticator) bearer(secret string, now time.Time) (Identity, error) {
	if a.jwts != nil && isJWT(secret) {
		return a.jwts.identify(secret, now)
	}
	return a.token(hashOf(secret), now)
}

// token finds a token by its hash. The table is asked by the hash of what has
// been sent, of which nobody can choose the beginning, so the time tells nothing
// of any token, and is the same for one that was never there.
func (a *Authenticator) token(hash Hash, now time.Time) (Identity, error) {
	if a.tokens == nil {
		return Identity{}, ErrUnknown
	}
	t := a.tokens.get(now).byHash[hash]
	if subtle.ConstantTimeCompare(t.Hash[:], hash[:]) != 1 {
		return Identity{}, ErrUnknown
	}
	return t.identity(), nil
}

// session finds whose session it is, and what that one may do by now: a token
// that is gone ends its sessions.
func (a *Authenticator) session(cookie string, now time.Time) (Identity, error) {
	who, err := a.sessions.of(cookie, now)
	if err != nil {
		return Identity{}, err
	}
	if who.secret != (Hash{}) {
		if who, err = a.token(who.secret, now); err != nil {
			a.sessions.close(cookie)
			return Identity{}, ErrExpired
		}
	}
	who.Ambient, who.Method = true, BySession
	return who, nil
}

// OpenSession begins a session of somebody who can log in, and returns its cookie
// and when it ends.
func (a *Authenticator) OpenSession(who Identity) (cookie string, expires time.Time) {
	return a.sessions.open(who, time.Now())
}

// CloseSession ends a session, if it is one.
func (a *Authenticator) CloseSession(cookie string) { a.sessions.close(cookie) }
