package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// issuer signs JWTs.
type issuer struct {
	t   testing.TB
	key crypto.Signer
	kid string
	alg jose.SignatureAlgorithm
}

func newIssuer(t testing.TB, kid string) issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return issuer{t, key, kid, jose.ES256}
}

const (
	issuerURL = "https://id.example"
	audience  = "files"
)

// claims are good ones, as changed.
func claims(change func(c map[string]any)) map[string]any {
	c := map[string]any{
		"iss": issuerURL, "aud": audience, "sub": "alice", "exp": time.Now().Add(time.Hour).Unix(), "scope": "openid sluice:read sluice:list",
	}
	if change != nil {
		change(c)
	}
	return c
}

func (i issuer) sign(c map[string]any) string {
	i.t.Helper()
	options := (&jose.SignerOptions{}).WithType("JWT")
	if i.kid != "" {
		options = options.WithHeader("kid", i.kid)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: i.alg, Key: i.key}, options)
	if err != nil {
		i.t.Fatal(err)
	}
	text, err := jwt.Signed(signer).Claims(c).Serialize()
	if err != nil {
		i.t.Fatal(err)
	}
	return text
}

func (i issuer) public() jose.JSONWebKey {
	return jose.JSONWebKey{Key: i.key.Public(), KeyID: i.kid, Algorithm: string(i.alg), Use: "sig"}
}

// keySet is a set of keys as an issuer publishes it.
func keySet(t testing.TB, keys ...jose.JSONWebKey) []byte {
	t.Helper()
	data, err := json.Marshal(jose.JSONWebKeySet{Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func keySetFile(t testing.TB, keys ...jose.JSONWebKey) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "jwks")
	if err := os.WriteFile(path, keySet(t, keys...), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// takes is an authenticator of JWTs.
func takes(t testing.TB, o JWTOptions) *Authenticator {
	t.Helper()
	o.Issuer, o.Audience, o.ScopesClaim, o.PrefixClaim = issuerURL, audience, "scope", "folder"
	if o.Algorithms == nil {
		o.Algorithms = JWTAlgorithms()
	}
	a, err := New(Options{JWT: o})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (a *Authenticator) bearing(text string) (Identity, error) {
	return a.Identify(Request{Authorization: []string{"Bearer " + text}})
}

// unsigned is a JWT whose header and claims are as given, with any signature.
func unsigned(t testing.TB, header map[string]any, c map[string]any, sign func(text string) []byte) string {
	t.Helper()
	h, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	text := base64.RawURLEncoding.EncodeToString(h) + "." + base64.RawURLEncoding.EncodeToString(body)
	return text + "." + base64.RawURLEncoding.EncodeToString(sign(text))
}

func TestJWT(t *testing.T) {
	t.Parallel()
	known, other := newIssuer(t, "k1"), newIssuer(t, "k1")
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	byRSA := issuer{t, rsaKey, "r", jose.RS256}
	path := keySetFile(t, known.public(), byRSA.public())
	a := takes(t, JWTOptions{KeysFile: path})
	good := known.sign(claims(nil))
	with := func(key string, value any) string {
		return known.sign(claims(func(c map[string]any) { c[key] = value }))
	}
	without := func(key string) string {
		return known.sign(claims(func(c map[string]any) { delete(c, key) }))
	}
	at := func(d time.Duration) int64 { return time.Now().Add(d).Unix() }
	parts := strings.Split(good, ".")
	public, err := known.public().MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	hs256 := func(secret []byte) string {
		return unsigned(t, map[string]any{"alg": "HS256", "kid": "k1"}, claims(nil), func(text string) []byte {
			signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: secret}, nil)
			if err != nil {
				t.Fatal(err)
			}
			signed, err := signer.Sign([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			return signed.Signatures[0].Signature
		})
	}
	own := func(field string, value any) string {
		return unsigned(t, map[string]any{"alg": "ES256", "kid": "x", field: value}, claims(nil), func(string) []byte { return make([]byte, 64) })
	}
	for name, test := range map[string]struct {
		text string
		err  error
	}{
		"good":                     {good, nil},
		"list of audiences":        {with("aud", []string{"x", audience}), nil},
		"RSA":                      {byRSA.sign(claims(nil)), nil},
		"just over, clocks differ": {with("exp", at(-30*time.Second)), nil},
		"expired":                  {with("exp", at(-2*time.Minute)), ErrExpired},
		"no expiry":                {without("exp"), ErrUnknown},
		"expiry as text":           {with("exp", "tomorrow"), ErrUnknown},
		"not yet":                  {with("nbf", at(2*time.Minute)), ErrUnknown},
		"of the future":            {with("iat", at(2*time.Minute)), ErrUnknown},
		"other issuer":             {with("iss", issuerURL+"/"), ErrUnknown},
		"no issuer":                {without("iss"), ErrUnknown},
		"other audience":           {with("aud", "files2"), ErrUnknown},
		"no audience":              {without("aud"), ErrUnknown},
		"no subject":               {without("sub"), ErrUnknown},
		"subject of lines":         {with("sub", "a\nb"), ErrUnknown},
		"folder of dots":           {with("folder", "../x"), ErrUnknown},
		"folder as number":         {with("folder", 1), ErrUnknown},
		"another's signature":      {other.sign(claims(nil)), ErrUnknown},
		"unknown key":              {newIssuer(t, "k2").sign(claims(nil)), ErrUnknown},
		"no key":                   {issuer{t, known.key, "", jose.ES256}.sign(claims(nil)), ErrUnknown},
		"key of another algorithm": {issuer{t, rsaKey, "r", jose.PS256}.sign(claims(nil)), ErrUnknown},
		"no signature":             {parts[0] + "." + parts[1] + ".", ErrUnknown},
		"other claims":             {parts[0] + "." + strings.Split(with("sub", "root"), ".")[1] + "." + parts[2], ErrUnknown},
		"none":                     {unsigned(t, map[string]any{"alg": "none"}, claims(nil), func(string) []byte { return nil }), ErrUnknown},
		"None":                     {unsigned(t, map[string]any{"alg": "None", "kid": "k1"}, claims(nil), func(string) []byte { return nil }), ErrUnknown},
		"HS256 with the key":       {hs256(public), ErrUnknown},
		"HS256 with the set":       {hs256(keySet(t, known.public())), ErrUnknown},
		"its own key":              {own("jwk", other.public()), ErrUnknown},
		"its own URL":              {own("jku", "http://127.0.0.1:1/"), ErrUnknown},
		"critical field":           {own("crit", []string{"x"}), ErrUnknown},
		"encrypted":                {"a.b.c.d.e", ErrUnknown},
		"dots":                     {"..", ErrUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			a := *a // with failures of its own
			a.attempts = newAttempts()
			who, err := a.bearing(test.text)
			if !errors.Is(err, test.err) || err == nil && (who.Name != "jwt:alice" || who.Scopes != Read|List || who.Expires.IsZero()) || err != nil && who.Scopes != 0 {
				t.Errorf("%+v, %v, want %v", who, err, test.err)
			}
		})
	}
	only := takes(t, JWTOptions{KeysFile: path, Algorithms: []string{"RS256"}})
	if _, err := only.bearing(good); !errors.Is(err, ErrUnknown) {
		t.Errorf("an algorithm that isn't taken: %v", err)
	}
	if _, err := New(Options{JWT: JWTOptions{Issuer: issuerURL, KeysFile: path, Algorithms: []string{"HS256"}}}); err == nil {
		t.Error("HS256 can be chosen")
	}
}

func TestJWTClaims(t *testing.T) {
	t.Parallel()
	known := newIssuer(t, "")
	a := takes(t, JWTOptions{KeysFile: keySetFile(t, known.public())})
	for name, test := range map[string]struct {
		scope, folder any
		want          Scopes
	}{
		"list":       {[]string{"sluice:write", "read", "sluice:"}, "inbox", Write},
		"bare words": {"read write admin", "inbox", 0},
		"none":       {nil, "inbox", 0},
		"number":     {5, "inbox", 0},
	} {
		who, err := a.bearing(known.sign(claims(func(c map[string]any) { c["scope"], c["folder"] = test.scope, test.folder })))
		if err != nil || who.Scopes != test.want || who.Prefix != "inbox" {
			t.Errorf("%s: %+v, %v", name, who, err)
		}
	}
}

// Shared secrets, private keys and keys for other uses don't count.
func TestKeySet(t *testing.T) {
	t.Parallel()
	known := newIssuer(t, "k")
	good := known.public()
	encryption := good
	encryption.Use = "enc"
	for name, keys := range map[string][]jose.JSONWebKey{
		"none":    nil,
		"secret":  {{Key: []byte("0123456789abcdef0123456789abcdef"), KeyID: "k"}},
		"private": {{Key: known.key, KeyID: "k"}},
		"enc":     {encryption},
	} {
		if keys, err := parseKeySet(keySet(t, keys...)); err == nil {
			t.Errorf("%s: %v", name, keys)
		}
		kept, err := parseKeySet(keySet(t, append(keys, good)...))
		if err != nil || len(kept) != 1 || !kept[0].IsPublic() {
			t.Errorf("%s and a good one: %v, %v", name, kept, err)
		}
	}
	if _, err := parseKeySet([]byte("[]")); err == nil {
		t.Error("a list is a set")
	}
}

// The issuer is asked once for a new key, seldom for unknown ones, and its outage
// takes away no key that is known.
func TestRemoteKeys(t *testing.T) {
	t.Parallel()
	first, second := newIssuer(t, "k1"), newIssuer(t, "k2")
	var asked atomic.Int32
	var published atomic.Pointer[[]byte]
	publish := func(data []byte) { published.Store(&data) }
	publish(nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/.well-known/openid-configuration" {
			fmt.Fprintf(w, `{"issuer": "http://%s", "jwks_uri": "http://%s/keys"}`, r.Host, r.Host)
			return
		}
		asked.Add(1)
		if data := *published.Load(); data != nil {
			w.Write(data)
			return
		}
		w.WriteHeader(http.StatusInternalServerError)
	}))
	defer server.Close()
	for name, keys := range map[string]*remoteKeys{"told": newRemoteKeys(issuerURL, server.URL), "discovered": newRemoteKeys(server.URL, "")} {
		asked.Store(0)
		publish(nil)
		now := time.Now()
		want := func(what, kid string, found int, err error, times int32) {
			t.Helper()
			got, gotErr := keys.find(kid, now)
			if len(got) != found || !errors.Is(gotErr, err) || asked.Load() != times {
				t.Errorf("%s, %s: %d keys, %v, asked %d times; want %d, %v, %d", name, what, len(got), gotErr, asked.Load(), found, err, times)
			}
		}
		want("outage at the start", "k1", 0, ErrUnavailable, 1)
		want("soon after", "k1", 0, ErrUnavailable, 1)
		now = now.Add(keysGap)
		publish(keySet(t, first.public()))
		want("back again", "k1", 1, nil, 2)
		want("known", "k1", 1, nil, 2)
		for range 10 {
			want("unknown", "k2", 0, nil, 2)
		}
		now = now.Add(keysGap)
		publish(keySet(t, first.public(), second.public()))
		want("new key", "k2", 1, nil, 3)
		publish(nil)
		now = now.Add(keysGap + 2*keysLife)
		keys.find("k1", now)
		for keys.isBusy() {
			time.Sleep(time.Millisecond)
		}
		want("outage", "k1", 1, nil, 4)
		publish([]byte(`{"keys":[` + strings.Repeat(" ", maxKeySet) + `]}`))
		now = now.Add(keysGap)
		want("too much", "k3", 0, nil, 5)
		want("after that", "k2", 1, nil, 5)
	}
	if _, err := newRemoteKeys("http://other.example", "").discover(t.Context()); err == nil {
		t.Error("discovered nothing")
	}
}

func (r *remoteKeys) isBusy() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.running != nil
}

// No text passes that the issuer hasn't signed.
func FuzzJWT(f *testing.F) {
	known := newIssuer(f, "k1")
	a := takes(f, JWTOptions{KeysFile: keySetFile(f, known.public())})
	good := known.sign(claims(nil))
	parts := strings.Split(good, ".")
	f.Add(good[:len(good)-2])
	f.Add(base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + parts[1] + ".")
	f.Add(parts[0] + "." + parts[1] + "." + parts[1])
	f.Fuzz(func(t *testing.T, text string) {
		who, err := a.jwts.identify(text, time.Now())
		if own := strings.Split(text, "."); err == nil && (len(own) != 3 || own[1] != parts[1]) || err != nil && who.Scopes != 0 {
			t.Errorf("%q lets %+v in", text, who)
		}
	})
}
