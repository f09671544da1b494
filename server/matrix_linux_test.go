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
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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

// expectations is what each route answers to each kind of caller. The first
// columns are callers by their scopes: "nothing" is known and has none, "outside"
// has all of them in another folder. "bad" is whoever shows what doesn't hold.
//
// Every route has a line, or TestAccess fails.
const expectations = `
route                             none nothing read write delete list admin all outside link bad badlink
GET    /                          302  302     302  302   302    302  302   302 302     302  302 302
HEAD   /                          302  302     302  302   302    302  302   302 302     302  302 302
GET    /files/*                   401  403     200  403   403    403  403   200 404     200  401 403
HEAD   /files/*                   401  403     200  403   403    403  403   200 404     200  401 403
GET    /assets/*                  404  404     404  404   404    404  404   404 404     404  404 404
HEAD   /assets/*                  404  404     404  404   404    404  404   404 404     404  404 404
MKCOL  /files/*                   401  403     403  201   403    403  403   201 403     403  401 403
MOVE   /files/*                   401  403     403  403   403    403  403   201 403     403  401 403
GET    /api/v1/info               200  200     200  200   200    200  200   200 200     200  401 403
HEAD   /api/v1/info               200  200     200  200   200    200  200   200 200     200  401 403
PUT    /files/*                   401  403     403  201   403    403  403   201 403     201  401 403
POST   /files/*                   401  403     403  200   403    403  403   200 403     200  401 403
DELETE /files/*                   401  403     403  403   204    403  403   204 404     204  401 403
POST   /tus/*                     401  403     403  201   403    403  403   201 403     201  401 403
PATCH  /tus/*                     401  403     403  204   403    403  403   204 404     204  401 403
HEAD   /tus/*                     401  403     403  200   403    403  403   200 404     200  401 403
DELETE /tus/*                     401  403     403  204   403    403  403   204 404     204  401 403
OPTIONS /tus/*                    200  200     200  200   200    200  200   200 200     200  200 200
GET    /tus/*                     401  403     404  403   403    403  403   200 404     200  401 403
GET    /api/v1/transfers          401  200     200  200   200    200  200   200 200     403  401 403
HEAD   /api/v1/transfers          401  200     200  200   200    200  200   200 200     403  401 403
GET    /api/v1/transfers/stream   401  200     200  200   200    200  200   200 200     403  401 403
DELETE /api/v1/transfers/:id      401  404     404  404   404    404  404   404 404     403  401 403
POST   /api/v1/session            401  201     201  201   201    201  201   201 201     403  401 403
DELETE /api/v1/session            204  204     204  204   204    204  204   204 204     204  204 204
POST   /api/v1/links              401  403     201  400   400    400  400   201 400     400  401 403
DELETE /api/v1/links/:id          401  403     403  403   403    403  204   204 204     403  401 403
`

// exceptions are what a single kind of caller gets in place of its column's.
var exceptions = map[string]int{
	"POST /api/v1/session, session":       403, // which is for whoever shows more than that
	"POST /api/v1/session, proxy trusted": 403,
	// A link that is used up goes on with what was begun, but this is another's.
	"PATCH /tus/*, link used up":  404,
	"HEAD /tus/*, link used up":   404,
	"DELETE /tus/*, link used up": 404,
}

// parseExpectations reads the table: by route, and in that by column.
func parseExpectations(t *testing.T) map[string]map[string]int {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(expectations), "\n")
	columns := strings.Fields(lines[0])[1:]
	table := make(map[string]map[string]int)
	for _, line := range lines[1:] {
		fields := strings.Fields(line)
		if len(fields) != len(columns)+2 {
			t.Fatalf("%q hasn't %d columns", line, len(columns))
		}
		row := make(map[string]int)
		for i, column := range columns {
			status, err := strconv.Atoi(fields[i+2])
			if err != nil {
				t.Fatal(err)
			}
			row[column] = status
		}
		table[fields[0]+" "+fields[1]] = row
	}
	return table
}

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

const tusField = "Tus-Resumable: 1.0.0"

// sample is a request of a route.
type sample struct {
	target string
	fields []string
	body   string
}

const formBody = "--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"g\"\r\n\r\ntext\r\n--x--\r\n"

// samples make the request of each route that isn't about nothing but its path.
// Every one is a success for whoever may do everything.
func (w *world) sample(route string, who caller) sample {
	w.t.Helper()
	_, path, _ := strings.Cut(route, " ")
	switch route {
	case "GET /files/*", "HEAD /files/*":
		return sample{target: "/files/in/f"}
	case "PUT /files/*":
		return sample{fmt.Sprintf("/files/in/put-%d", w.cells.Load()), nil, "text"}
	case "POST /files/*":
		return sample{"/files/in/", []string{"Content-Type: multipart/form-data; boundary=x"}, formBody}
	case "DELETE /files/*":
		name := fmt.Sprintf("in/gone-%d", w.cells.Load())
		w.must(os.WriteFile(filepath.Join(w.root, name), nil, 0o600))
		return sample{target: "/files/" + name}
	case "MKCOL /files/*":
		return sample{target: fmt.Sprintf("/files/in/made-%d", w.cells.Load())}
	case "MOVE /files/*":
		name := fmt.Sprintf("in/moved-%d", w.cells.Load())
		w.must(os.WriteFile(filepath.Join(w.root, name), nil, 0o600))
		return sample{target: "/files/" + name, fields: []string{"Destination: /files/" + name + "-to"}}
	case "POST /tus/*":
		return sample{"/tus/", []string{tusField, "Upload-Length: 5", "Upload-Metadata: relativePath " + base64.StdEncoding.EncodeToString([]byte("in/tus"))}, ""}
	case "PATCH /tus/*":
		return sample{w.upload(who), []string{tusField, "Upload-Offset: 0", "Content-Type: application/offset+octet-stream"}, "hello"}
	case "HEAD /tus/*", "DELETE /tus/*":
		return sample{target: w.upload(who), fields: []string{tusField}}
	case "GET /tus/*":
		target := w.upload(who)
		patch := []string{tusField, "Upload-Offset: 0", "Content-Type: application/offset+octet-stream", "Content-Length: 5"}
		if w.send("PATCH", target, who, patch, "hello").status != 204 {
			w.want(w.send("PATCH", target, w.all(), patch, "hello"), 204)
		}
		return sample{target: target}
	case "OPTIONS /tus/*":
		return sample{target: "/tus/"}
	case "POST /api/v1/links":
		return sample{path, []string{"Content-Type: application/json"}, `{"path": "in/f", "methods": ["GET"], "expires_in": 60}`}
	case "DELETE /api/v1/links/:id":
		return sample{target: "/api/v1/links/0123456789abcdef01234567"}
	}
	return sample{target: strings.ReplaceAll(path, ":id", "none")}
}

// upload makes a tus upload of the caller's own, or of another's where that one
// may not.
func (w *world) upload(who caller) string {
	w.t.Helper()
	s := w.sample("POST /tus/*", who)
	fields := append(s.fields, "Content-Length: 0")
	a := w.send("POST", s.target, who, fields)
	if a.status != 201 {
		a = w.send("POST", s.target, w.all(), fields)
		w.want(a, 201)
	}
	target, _, _ := strings.Cut(a.header.Get("Location"), "?")
	return target
}

// expected is what the caller gets from the route.
func expected(route string, row map[string]int, who caller) int {
	if status, found := exceptions[route+", "+who.name]; found {
		return status
	}
	_, path, _ := strings.Cut(route, " ")
	isNamed := strings.HasPrefix(path, "/files/") || strings.HasPrefix(path, "/tus/")
	switch {
	case who.column == "linkout" && isNamed:
		return row["outside"]
	case who.column == "linkout":
		return row["link"]
	case who.column == "linkmethod":
		return row["badlink"]
	}
	return row[who.column]
}

// otherMethod is a link to the folder that is good for all but the route.
func (w *world) otherMethod(route string) string {
	method, path, _ := strings.Cut(route, " ")
	switch {
	case method == "HEAD" && !strings.HasPrefix(path, "/tus/"):
		method = "GET"
	case strings.HasPrefix(path, "/tus/") && method != "GET":
		method = "POST"
	}
	return w.sign(func(l *auth.Link) {
		l.Methods = slices.DeleteFunc(l.Methods, func(m string) bool { return m == method })
	})
}

// Every route answers every kind of caller as the table has it, and what it
// refuses it refuses before the body: in place of the 100 that the client has
// asked for, of a body of a gigabyte of which not one byte is there.
func TestAccess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	table := parseExpectations(t)
	left := maps.Clone(table)
	for _, r := range w.routes {
		for _, method := range r.methods {
			route := method + " " + r.path
			row, found := table[route]
			if !found {
				t.Errorf("%s has no line in the table of expected answers", route)
				continue
			}
			delete(left, route)
			for _, who := range w.callers {
				w.checkCell(route, row, who)
			}
		}
	}
	for route := range left {
		t.Errorf("there is no route %s", route)
	}
	t.Logf("%d kinds of callers, %d requests", len(w.callers), w.cells.Load())
}

func (w *world) checkCell(route string, row map[string]int, who caller) {
	w.t.Helper()
	method, _, _ := strings.Cut(route, " ")
	switch who.name {
	case "link empty":
		who.fields = nil
	case "session":
		who.fields = []string{w.login()} // the one before may have logged out
	case "link of another method":
		who.link = w.otherMethod(route)
	}
	want := expected(route, row, who)
	s := w.sample(route, who)
	if who.name == "link empty" {
		s.target += "?link="
	}
	got := w.send(method, s.target, who, append(s.fields, fmt.Sprintf("Content-Length: %d", len(s.body))), s.body)
	if got.status != want {
		w.t.Errorf("%s as %s: status %d, want %d", route, who.name, got.status, want)
	}
	if challenged := got.header.Get("WWW-Authenticate") != ""; challenged != (got.status == 401) {
		w.t.Errorf("%s as %s: status %d with a challenge: %t", route, who.name, got.status, challenged)
	}
	if !isEarly(route, want, who) {
		return
	}
	for _, fields := range [][]string{{"Content-Length: 1073741824"}, {"Content-Length: 1073741824", "Expect: 100-continue"}, {"Transfer-Encoding: chunked", "Expect: 100-continue"}} {
		if got := w.send(method, s.target, who, append(slices.Clone(s.fields), fields...)); got.status != want {
			w.t.Errorf("%s as %s, %q: status %d, want %d", route, who.name, fields, got.status, want)
		}
	}
}

// What a path allows everybody may ask, as browsers do before they send any
// credential, and whatever else they bring.
func TestOptionsForEverybody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, r := range w.routes {
		for _, who := range w.callers {
			target := strings.NewReplacer("*", "in/f", ":id", "x").Replace(r.path)
			got := w.send("OPTIONS", target, who, []string{"Origin: https://app.example", "Access-Control-Request-Method: PUT"})
			if got.status != 200 && got.status != 204 || got.header.Get("Allow") == "" {
				t.Errorf("%s as %s: status %d, Allow %q", target, who.name, got.status, got.header.Get("Allow"))
			}
		}
	}
}

// Pages of others change nothing, whoever is known to the browser that shows them,
// and are refused before a body.
func TestForeignPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, r := range w.routes {
		for _, method := range r.methods {
			if method == "GET" || method == "HEAD" || method == "OPTIONS" {
				continue
			}
			for _, who := range w.callers {
				s := w.sample(method+" "+r.path, who)
				for _, foreign := range []string{"Sec-Fetch-Site: cross-site", "Origin: https://evil.example", "Origin: null"} {
					got := w.send(method, s.target, who, append(slices.Clone(s.fields), foreign, "Content-Length: 1073741824"))
					if got.status != 403 {
						t.Errorf("%s %s as %s with %s: status %d", method, r.path, who.name, foreign, got.status)
					}
				}
			}
		}
	}
}

// isEarly reports whether the head alone decides: not where it takes a look at
// what is there, for a request whose body has no meaning.
func isEarly(route string, want int, who caller) bool {
	method, path, _ := strings.Cut(route, " ")
	switch {
	case want == 404:
		return path == "/files/*" || method == "PATCH"
	case who.column == "list" && path == "/files/*":
		return method != "GET" && method != "HEAD"
	}
	return want == 401 || want == 403
}

// Whoever may neither read nor list can't tell what is there from what isn't.
func TestExistenceHidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(os.MkdirAll(filepath.Join(w.root, "in", "folder"), 0o700))
	for _, who := range w.callers {
		if slices.Contains([]string{"all", "link", "list", "read"}, who.column) || who.column == "linkmethod" {
			continue
		}
		for _, method := range []string{"GET", "HEAD"} {
			var statuses []int
			for _, target := range []string{"/files/in/f", "/files/in/none", "/files/in/folder", "/files/in/folder/", "/files/in/none/", "/files/in/f/", "/files/none/none", "/files/in", "/files/"} {
				statuses = append(statuses, w.send(method, target, who, nil).status)
			}
			if len(slices.Compact(statuses)) != 1 {
				t.Errorf("%s as %s: statuses %v", method, who.name, statuses)
			}
		}
	}
	read := caller{fields: []string{"Authorization: Bearer " + w.tokens["read"]}}
	for _, target := range []string{"/files/in/folder", "/files/in/folder/", "/files/in/none", "/files/", "/files/in/folder/?archive=zip"} {
		w.want(w.send("GET", target, read, nil), 404)
	}
}

// No way of writing a name leads out of a caller's folder.
func TestFolderHolds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	outside := caller{name: "outside", fields: []string{"Authorization: Bearer " + w.tokens["outside"]}}
	w.must(os.MkdirAll(filepath.Join(w.root, "others"), 0o700))
	w.must(os.WriteFile(filepath.Join(w.root, "others", "f"), nil, 0o600))
	var targets []string
	for _, path := range []string{
		"in/f", "in%2ff", "other/../in/f", "other%2f..%2fin%2ff", "other/%2e%2e/in/f", "./in/f", "//in/f", "other/..%2fin/f", "%2fin/f", "OTHER/f", "others/f", "other%00/../in/f",
		"oth%65r/../in/f", "other%5c..%5cin%5cf", "other;/../in/f", "other/./../in/f", "other%252f..%252fin%252ff", "",
	} {
		targets = append(targets, "/files/"+path)
	}
	for _, target := range targets {
		for _, method := range []string{"GET", "HEAD", "PUT", "DELETE", "POST"} {
			fields := []string{"Content-Length: 0"}
			if method == "POST" {
				fields = []string{"Content-Type: multipart/form-data; boundary=x", fmt.Sprintf("Content-Length: %d", len(formBody))}
			}
			if got := w.send(method, target, outside, fields, formBody[:len(formBody)*len(fields[1:])]); got.status < 400 && !isWithin(target) {
				t.Errorf("%s %s: status %d", method, target, got.status)
			}
		}
	}
	for _, pair := range [][2]string{
		{"relativePath", "in/x"}, {"relativePath", "/in/x"}, {"relativePath", "other/../in/x"}, {"relativePath", "null"}, {"filename", "x"}, {"filename", "other/x"},
		{"filename", `other\x`}, {"path", "other"}, {"name", "other/x"}, {"relativePath", "others/x"}, {"relativePath", "other"},
	} {
		metadata := "Upload-Metadata: " + pair[0] + " " + base64.StdEncoding.EncodeToString([]byte(pair[1]))
		got := w.send("POST", "/tus/", outside, []string{tusField, "Upload-Length: 5", metadata, "Content-Length: 0"})
		if got.status < 400 && pair[1] != "other" {
			t.Errorf("tus upload with %q: status %d", pair, got.status)
		}
	}
	draft := []string{"Upload-Draft-Interop-Version: 6", "Upload-Complete: ?1", `Content-Disposition: attachment; filename="x"`, "Content-Length: 5"}
	if got := w.send("POST", "/tus/", outside, draft, "hello"); got.status < 400 {
		t.Errorf("draft: status %d", got.status)
	}
	for _, name := range []string{"in/f", "others/f"} {
		if _, err := os.Stat(filepath.Join(w.root, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	entries, err := os.ReadDir(w.root)
	w.must(err)
	for _, entry := range entries {
		if !slices.Contains([]string{".sluice", "in", "others", "other"}, entry.Name()) {
			t.Errorf("%s has come from somewhere", entry.Name())
		}
	}
	for name, count := range map[string]int{"in": 1, "others": 1} {
		entries, err := os.ReadDir(filepath.Join(w.root, name))
		if err != nil || len(entries) != count {
			t.Errorf("%s holds %v, %v", name, entries, err)
		}
	}
}

// isWithin reports whether a strange path means a file of the folder after all.
func isWithin(target string) bool { return strings.HasPrefix(target, "/files/other%252f") }
