package server

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"go.uber.org/zap"

	"sluice/config"
	"sluice/internal/auth"
)

// caller is a kind of caller: what its requests bring, and what they get.
type caller struct {
	name, column string
	fields       []string // whole lines
	link         string   // in the query
	proxied      bool     // comes from the trusted proxy's address
}

// world is a running server and all kinds of callers.
type world struct {
	t       *testing.T
	root    string
	addr    string
	routes  []route
	tokens  map[string]string
	keys    auth.Keys
	jwt     func(change func(c map[string]any)) string
	callers []caller
	cells   atomic.Uint32
}

const trustedProxy = "127.0.0.2"

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, root: t.TempDir(), tokens: make(map[string]string)}
	secrets := t.TempDir()
	tokens, keys, jwks := filepath.Join(secrets, "tokens"), filepath.Join(secrets, "links"), filepath.Join(secrets, "jwks")
	w.writeTokens(tokens)
	w.writeKeys(keys)
	public := w.writeJWKS(jwks)
	cfg, err := config.Load(nil, []string{
		"SLUICE_LISTEN=127.0.0.1:0", "SLUICE_ADMIN_LISTEN=", "SLUICE_ROOT=" + w.root, "SLUICE_DURABILITY=none",
		"SLUICE_TOKEN_FILE=" + tokens, "SLUICE_LINK_KEY_FILE=" + keys,
		"SLUICE_JWT_ISSUER=https://id.example", "SLUICE_JWT_AUDIENCE=files", "SLUICE_JWT_KEYS_FILE=" + jwks,
		"SLUICE_TRUSTED_PROXIES=" + trustedProxy, "SLUICE_USER_HEADER=X-Forwarded-User", "SLUICE_USER_SCOPES=read,write,delete,list,admin",
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Config: cfg, Log: zap.NewNop(), Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	w.addr, w.routes = s.Addr().String(), routes(s.app.handlers, "")
	w.revoke(tokens)
	apply, err := s.auth.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	apply()
	w.want(w.send("PUT", "/files/in/f", w.all(), []string{"Content-Length: 7"}, "content"), 201)
	w.gather(public)
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) writeTokens(path string) {
	w.t.Helper()
	for name, token := range map[string]auth.Token{
		"nothing": {}, "all": {Scopes: auth.All}, "revoked": {Scopes: auth.All},
		"expired": {Scopes: auth.All, Expires: time.Now().Add(-time.Minute)},
		"outside": {Scopes: auth.All, Prefix: "other"},
		"read":    {Scopes: auth.Read}, "write": {Scopes: auth.Write}, "delete": {Scopes: auth.Delete}, "list": {Scopes: auth.List}, "admin": {Scopes: auth.Admin},
	} {
		token.Name = name
		w.tokens[name], token.Hash = auth.NewSecret()
		w.must(auth.AddToken(path, token))
	}
}

func (w *world) revoke(path string) { w.must(auth.RevokeToken(path, "revoked")) }

func (w *world) writeKeys(path string) {
	var key [32]byte
	rand.Read(key[:])
	w.keys = auth.Keys{key[:]}
	w.must(os.WriteFile(path, []byte(base64.StdEncoding.EncodeToString(key[:])), 0o600))
}

// writeJWKS makes the issuer of JWTs, and returns what anybody may know of it.
func (w *world) writeJWKS(path string) (public []byte) {
	w.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	w.must(err)
	public, err = json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k", Use: "sig"}}})
	w.must(err)
	w.must(os.WriteFile(path, public, 0o600))
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, (&jose.SignerOptions{}).WithHeader("kid", "k"))
	w.must(err)
	w.jwt = func(change func(c map[string]any)) string {
		text, err := jwt.Signed(signer).Claims(goodClaims(change)).Serialize()
		w.must(err)
		return text
	}
	return public
}

func goodClaims(change func(c map[string]any)) map[string]any {
	c := map[string]any{
		"iss": "https://id.example", "aud": "files", "sub": "alice", "exp": time.Now().Add(time.Hour).Unix(),
		"scope": "sluice:read sluice:write sluice:delete sluice:list sluice:admin",
	}
	if change != nil {
		change(c)
	}
	return c
}

// forged is a JWT with another algorithm than the issuer's.
func forged(header string, sign func(text string) []byte) string {
	claims, _ := json.Marshal(goodClaims(nil))
	text := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + base64.RawURLEncoding.EncodeToString(claims)
	return text + "." + base64.RawURLEncoding.EncodeToString(sign(text))
}

func (w *world) hs256(secret []byte) string {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: secret}, (&jose.SignerOptions{}).WithHeader("kid", "k"))
	w.must(err)
	text, err := jwt.Signed(signer).Claims(goodClaims(nil)).Serialize()
	w.must(err)
	return text
}

// sign makes a link to the folder that the requests are about.
func (w *world) sign(change func(l *auth.Link)) string {
	w.t.Helper()
	l := auth.Link{Methods: []string{"GET", "PUT", "POST", "DELETE"}, Path: "in", Folder: true, Expires: time.Now().Unix() + 3600}
	if change != nil {
		change(&l)
	}
	_, text, err := w.keys.Sign(l, time.Now().Add(-2*time.Hour)) // so that one can have expired
	w.must(err)
	return text
}

// gather makes all kinds of callers.
func (w *world) gather(public []byte) {
	bearer := func(text string) []string { return []string{"Authorization: Bearer " + text} }
	basic := func(user, password string) []string {
		return []string{"Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))}
	}
	add := func(name, column string, fields []string) {
		w.callers = append(w.callers, caller{name: name, column: column, fields: fields})
	}
	add("anonymous", "none", nil)
	for _, scope := range []string{"nothing", "read", "write", "delete", "list", "admin", "all", "outside"} {
		add("token "+scope, scope, bearer(w.tokens[scope]))
	}
	add("basic", "all", basic("anybody", w.tokens["all"]))
	for name, fields := range map[string][]string{
		"expired": bearer(w.tokens["expired"]), "revoked": bearer(w.tokens["revoked"]), "wrong": bearer("slc_" + strings.Repeat("A", 43)),
		"cut": bearer(w.tokens["all"][:20]), "empty": bearer(""), "basic wrong": basic("all", "wrong"), "basic user": basic(w.tokens["all"], ""),
		"no scheme": {"Authorization: " + w.tokens["all"]}, "twice": append(bearer(w.tokens["all"]), bearer(w.tokens["all"])...),
	} {
		add("token "+name, "bad", fields)
	}
	add("session", "all", []string{w.login()})
	add("session unknown", "none", []string{w.login() + "x"})

	add("jwt", "all", bearer(w.jwt(nil)))
	add("jwt without scopes", "nothing", bearer(w.jwt(func(c map[string]any) { delete(c, "scope") })))
	add("jwt of a folder", "outside", bearer(w.jwt(func(c map[string]any) { c["sluice_prefix"] = "other" })))
	good := w.jwt(nil)
	for name, text := range map[string]string{
		"signature":              good[:len(good)-4] + "AAAA",
		"audience":               w.jwt(func(c map[string]any) { c["aud"] = "others" }),
		"issuer":                 w.jwt(func(c map[string]any) { c["iss"] = "https://evil.example" }),
		"expired":                w.jwt(func(c map[string]any) { c["exp"] = time.Now().Add(-time.Hour).Unix() }),
		"without expiry":         w.jwt(func(c map[string]any) { delete(c, "exp") }),
		"alg none":               forged(`{"alg":"none"}`, func(string) []byte { return nil }),
		"HS256 by the key":       w.hs256(public),
		"alg none with a key id": forged(`{"alg":"none","kid":"k"}`, func(string) []byte { return nil }),
	} {
		add("jwt "+name, "bad", bearer(text))
	}

	w.callers = append(w.callers,
		caller{name: "proxy trusted", column: "all", fields: []string{"X-Forwarded-User: bob"}, proxied: true},
		caller{name: "proxy without user", column: "none", proxied: true},
		caller{name: "proxy untrusted", column: "none", fields: []string{"X-Forwarded-User: bob"}},
		caller{name: "proxy untrusted, forwarded", column: "none", fields: []string{"X-Forwarded-User: bob", "X-Forwarded-For: " + trustedProxy}},
	)
	link := func(name, column, text string) {
		w.callers = append(w.callers, caller{name: "link " + name, column: column, link: text})
	}
	whole := w.sign(nil)
	link("good", "link", whole)
	link("tampered", "badlink", strings.Replace(whole, ".", "A.", 1))
	link("cut", "badlink", whole[:len(whole)-1])
	link("empty", "badlink", "")
	link("expired", "badlink", w.sign(func(l *auth.Link) { l.Expires = time.Now().Unix() - 1 }))
	_, other, err := auth.Keys{make([]byte, 32)}.Sign(auth.Link{Methods: []string{"GET"}, Path: "in", Folder: true, Expires: time.Now().Unix() + 60}, time.Now())
	w.must(err)
	link("by another key", "badlink", other)
	link("elsewhere", "linkout", w.sign(func(l *auth.Link) { l.Path = "other" }))
	link("of another method", "linkmethod", "") // made for each route
	used := w.sign(func(l *auth.Link) { l.MaxUses = 1 })
	w.want(w.send("GET", "/files/in/f?link="+used, caller{}, nil), 200)
	link("used up", "badlink", used)
	revoked := w.sign(nil)
	w.want(w.send("DELETE", "/api/v1/links/"+linkID(revoked), w.all(), nil), 204)
	link("revoked", "badlink", revoked)
}

// linkID reads the id of a link.
func linkID(text string) string {
	data, _ := base64.RawURLEncoding.DecodeString(strings.Split(text, ".")[0])
	var l auth.Link
	_ = json.Unmarshal(data, &l)
	return l.ID
}

func (w *world) all() caller {
	return caller{fields: []string{"Authorization: Bearer " + w.tokens["all"]}}
}

func (w *world) login() string {
	w.t.Helper()
	a := w.send("POST", "/api/v1/session", w.all(), []string{"Content-Length: 0"})
	w.want(a, 201)
	cookie, err := http.ParseSetCookie(a.header.Get("Set-Cookie"))
	w.must(err)
	return "Cookie: " + cookie.Name + "=" + cookie.Value
}

func (w *world) want(a reply, status int) {
	w.t.Helper()
	if a.status != status {
		w.t.Fatalf("status %d, want %d", a.status, status)
	}
}

// reply is an answer's head.
type reply struct {
	status int
	header http.Header
}

// send sends a request on a connection of its own and returns the first answer,
// interim ones too. Each comes from an address of its own, so that failures of
// one cell are not held against another.
func (w *world) send(method, target string, who caller, fields []string, body ...string) reply {
	w.t.Helper()
	n := w.cells.Add(1)
	from := net.IPv4(127, 1, byte(n>>8), byte(n))
	if who.proxied {
		from = net.ParseIP(trustedProxy)
	}
	if who.link != "" {
		target += "?link=" + who.link
	}
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: from}}
	c, err := dialer.Dial("tcp", w.addr)
	w.must(err)
	defer c.Close()
	head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n", method, target)
	for _, field := range slices.Concat(who.fields, fields) {
		head += field + "\r\n"
	}
	_, err = io.WriteString(c, head+"\r\n"+strings.Join(body, ""))
	w.must(err)
	w.must(c.SetReadDeadline(time.Now().Add(time.Minute)))
	response, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	if err != nil {
		w.t.Fatalf("%s %s as %s: %v", method, target, who.name, err)
	}
	return reply{response.StatusCode, response.Header}
}
