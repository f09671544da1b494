package auth

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// memory is a Folder that lasts as long as the test.
type memory struct {
	mu    sync.Mutex
	files map[string][]byte
	fails bool
}

func newMemory() *memory { return &memory{files: make(map[string][]byte)} }

type named struct {
	fs.FileInfo
	name string
}

func (n named) Name() string { return n.name }

func (m *memory) List() ([]fs.FileInfo, error) {
	var list []fs.FileInfo
	for _, name := range slices.Sorted(maps.Keys(m.files)) {
		list = append(list, named{name: name})
	}
	return list, nil
}
func (m *memory) Read(name string) ([]byte, error) { return m.files[name], nil }
func (m *memory) Remove(name string) error         { delete(m.files, name); return nil }
func (m *memory) Write(name string, data []byte, durable bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fails || !durable {
		return errors.New("not written")
	}
	m.files[name] = data
	return nil
}

func keyFile(t testing.TB, keys ...byte) string {
	t.Helper()
	var lines strings.Builder
	lines.WriteString("# keys\n")
	for _, key := range keys {
		lines.WriteString(base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{key}, shortestKey)) + "\n")
	}
	path := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// signer is an authenticator of links that the keys have signed.
func signer(t testing.TB, folder Folder, keys ...byte) *Authenticator {
	t.Helper()
	a, err := New(Options{LinkKeyFile: keyFile(t, keys...), Links: folder})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

var operator = Identity{Name: "proxy:operator", Scopes: All}

func inAnHour() int64 { return time.Now().Add(time.Hour).Unix() }

func (a *Authenticator) by(text string) (Identity, error) {
	return a.Identify(Request{Links: []string{text}})
}

func TestLink(t *testing.T) {
	t.Parallel()
	a := signer(t, newMemory(), 1)
	l, text, err := a.SignLink(Link{Methods: []string{"GET"}, Path: "a/b", Folder: true, Expires: inAnHour(), MaxSize: 7}, operator)
	if err != nil {
		t.Fatal(err)
	}
	who, err := a.by(text)
	if err != nil || who.Name != "link:"+l.ID || who.Scopes != Read|List || who.Prefix != "a/b" || who.MaxSize != 7 ||
		!who.Allows("GET") || who.Allows("PUT") || who.Covers("a") || !who.Covers("a/b/c") || who.Ambient || who.Credential != text {
		t.Errorf("%+v, %v", who, err)
	}
	for i := range text {
		changed := []byte(text)
		changed[i] ^= 1
		if who, err := a.by(string(changed)); !errors.Is(err, ErrLink) && !errors.Is(err, ErrThrottled) || who.Scopes != 0 {
			t.Fatalf("changed at %d: %+v, %v", i, who, err)
		}
		a.attempts = newAttempts()
	}
	for name, texts := range map[string][]string{
		"empty": {""}, "dot": {"."}, "cut": {text[:len(text)-1]}, "longer": {text + "A"}, "padded": {text + "="}, "line": {text + "\n"},
		"twice": {text, text}, "no signature": {strings.Split(text, ".")[0] + "."}, "signature alone": {"." + strings.Split(text, ".")[1]},
	} {
		if who, err := a.Identify(Request{Links: texts}); !errors.Is(err, ErrLink) || who.Scopes != 0 {
			t.Errorf("%s: %+v, %v", name, who, err)
		}
	}
	if _, err := signer(t, newMemory(), 2).by(text); !errors.Is(err, ErrLink) {
		t.Errorf("by another key: %v", err)
	}
	if _, err := signer(t, newMemory(), 2, 1).by(text); err != nil {
		t.Errorf("by an older key: %v", err)
	}
	file := Link{Methods: []string{"PUT"}, Path: "f", Expires: inAnHour()}.identity()
	if !file.Covers("f") || file.Covers("f/g") || file.Covers("") {
		t.Error("a link to a file leads elsewhere")
	}
	late := Link{Methods: []string{"GET"}, Path: "f", Expires: time.Now().Unix() + 1}
	_, text, err = a.SignLink(late, operator)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.link([]string{text}, time.Now().Add(2*time.Second)); !errors.Is(err, ErrExpired) || !errors.Is(err, ErrLink) {
		t.Errorf("expired: %v", err)
	}
}

func TestLinkSpec(t *testing.T) {
	t.Parallel()
	a := signer(t, newMemory(), 1)
	good := Link{Methods: []string{"GET"}, Path: "a", Expires: inAnHour()}
	for name, change := range map[string]func(l *Link, issuer *Identity){
		"no method":      func(l *Link, _ *Identity) { l.Methods = nil },
		"other method":   func(l *Link, _ *Identity) { l.Methods = []string{"PATCH"} },
		"no path":        func(l *Link, _ *Identity) { l.Path = "" },
		"dots":           func(l *Link, _ *Identity) { l.Path = "../a" },
		"expired":        func(l *Link, _ *Identity) { l.Expires = 1 },
		"forever":        func(l *Link, _ *Identity) { l.Expires = 1 << 40 },
		"negative":       func(l *Link, _ *Identity) { l.MaxUses = -1 },
		"scope":          func(_ *Link, issuer *Identity) { issuer.Scopes = Write },
		"list of folder": func(l *Link, issuer *Identity) { l.Folder, issuer.Scopes = true, Read },
		"folder":         func(_ *Link, issuer *Identity) { issuer.Prefix = "b" },
		"nobody":         func(_ *Link, issuer *Identity) { issuer.Name = "" },
		"link by a link": func(_ *Link, issuer *Identity) { issuer.link = &Link{} },
	} {
		l, issuer := good, operator
		change(&l, &issuer)
		if _, _, err := a.SignLink(l, issuer); !errors.Is(err, ErrLinkSpec) {
			t.Errorf("%s: %v", name, err)
		}
	}
	l, _, err := a.SignLink(good, Identity{Name: "proxy:reader", Scopes: Read, Prefix: "a", MaxSize: 5, Expires: time.Unix(inAnHour()-60, 0)})
	if err != nil || l.MaxSize != 5 || l.Expires != inAnHour()-60 {
		t.Errorf("cut down: %+v, %v", l, err)
	}
}

// Uses are counted before they begin, however many do at a time, and a restart
// remembers them.
func TestLinkUses(t *testing.T) {
	t.Parallel()
	folder := newMemory()
	a := signer(t, folder, 1)
	l, text, err := a.SignLink(Link{Methods: []string{"GET"}, Path: "a", Expires: inAnHour(), MaxUses: 3}, operator)
	if err != nil {
		t.Fatal(err)
	}
	who, err := a.by(text)
	if err != nil {
		t.Fatal(err)
	}
	results := make(chan error, 20)
	undos := make(chan func() error, 20)
	for range cap(results) {
		go func() {
			undo, err := a.Use(who)
			if err == nil {
				undos <- undo
			}
			results <- err
		}()
	}
	for range cap(results) {
		if err := <-results; err != nil && !errors.Is(err, ErrUsedUp) {
			t.Error(err)
		}
	}
	if len(undos) != 3 {
		t.Fatalf("used %d times", len(undos))
	}
	if who, err := a.by(text); err != nil || !who.UsedUp {
		t.Errorf("used up: %+v, %v", who, err)
	}
	undo := <-undos
	if err := errors.Join(undo(), undo()); err != nil {
		t.Fatal(err)
	}
	again := signer(t, folder, 1)
	if _, err := again.Use(who); err != nil {
		t.Errorf("after one was given back: %v", err)
	}
	if _, err := again.Use(who); !errors.Is(err, ErrUsedUp) {
		t.Errorf("after a restart: %v", err)
	}
	if err := again.Unuse("link:" + l.ID); err != nil {
		t.Fatal(err)
	}
	folder.fails = true
	if _, err := again.Use(who); err == nil || errors.Is(err, ErrUsedUp) {
		t.Errorf("a use that can't be written down: %v", err)
	}
	folder.fails = false
	if err := again.RevokeLink(l.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := again.by(text); !errors.Is(err, ErrLink) {
		t.Errorf("revoked: %v", err)
	}
	for _, id := range []string{"", "..", l.ID + "0", strings.ToUpper(l.ID[:20]) + "ABCD"} {
		if err := again.RevokeLink(id); !errors.Is(err, ErrLink) {
			t.Errorf("revoke %q: %v", id, err)
		}
	}
}

// What has expired is forgotten, and what is damaged counts as used up.
func TestLinkUsesSwept(t *testing.T) {
	t.Parallel()
	folder := newMemory()
	now := time.Now()
	folder.files["damaged"] = []byte("{")
	u, err := openUses(folder, now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := u.check(Link{ID: "damaged"}); !errors.Is(err, ErrLink) {
		t.Errorf("damaged: %v", err)
	}
	for i := range maxUsed - 1 {
		if _, err := u.claim(Link{ID: string(rune('A' + i)), MaxUses: 1, Expires: now.Unix() + 10}, now); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := u.claim(Link{ID: "more", MaxUses: 1, Expires: now.Unix() + 99}, now); !errors.Is(err, ErrTooManyLinks) {
		t.Errorf("one too many: %v", err)
	}
	if _, err := u.claim(Link{ID: "more", MaxUses: 1, Expires: now.Unix() + 99}, now.Add(time.Minute)); err != nil || len(folder.files) != 2 {
		t.Errorf("after the others have expired: %v, %d remembered", err, len(folder.files))
	}
}

// A link ends with the token that it was signed by, and never allows more.
func TestLinkOfToken(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tokens")
	secret, hash := NewSecret()
	if err := AddToken(path, Token{Name: "alice", Hash: hash, Scopes: Read | Write, MaxSize: 100, Rate: 9}); err != nil {
		t.Fatal(err)
	}
	a, err := New(Options{TokenFile: path, LinkKeyFile: keyFile(t, 1), Links: newMemory()})
	if err != nil {
		t.Fatal(err)
	}
	alice, err := a.Identify(Request{Authorization: []string{"Bearer " + secret}})
	if err != nil {
		t.Fatal(err)
	}
	_, text, err := a.SignLink(Link{Methods: []string{"PUT"}, Path: "in", Folder: true, Expires: inAnHour()}, alice)
	if err != nil {
		t.Fatal(err)
	}
	reload := func() (Identity, error) {
		apply, err := a.Prepare()
		if err != nil {
			t.Fatal(err)
		}
		apply()
		return a.by(text)
	}
	if who, err := reload(); err != nil || who.MaxSize != 100 || who.Rate != 9 {
		t.Errorf("%+v, %v", who, err)
	}
	replace := func(token Token) {
		if err := RevokeToken(path, "alice"); err != nil {
			t.Fatal(err)
		}
		if err := AddToken(path, token); err != nil {
			t.Fatal(err)
		}
	}
	replace(Token{Name: "alice", Hash: hash, Scopes: Write, MaxSize: 50})
	if who, err := reload(); err != nil || who.MaxSize != 50 {
		t.Errorf("smaller: %+v, %v", who, err)
	}
	for name, token := range map[string]Token{
		"scope":   {Scopes: Read},
		"folder":  {Scopes: Write, Prefix: "other"},
		"expired": {Scopes: Write, Expires: time.Now().Add(-time.Second)},
	} {
		token.Name, token.Hash = "alice", hash
		replace(token)
		if _, err := reload(); !errors.Is(err, ErrLink) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := RevokeToken(path, "alice"); err != nil {
		t.Fatal(err)
	}
	if _, err := reload(); !errors.Is(err, ErrLink) {
		t.Errorf("revoked: %v", err)
	}
}

// No text lets anybody in that wasn't signed as it is.
func FuzzLink(f *testing.F) {
	a := signer(f, newMemory(), 1)
	_, text, err := a.SignLink(Link{Methods: []string{"GET"}, Path: "a", Expires: inAnHour()}, operator)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text[:len(text)-1])
	f.Add(strings.Replace(text, ".", "..", 1))
	f.Add("eyJkbyI6WyJHRVQiXX0." + signature(bytes.Repeat([]byte{2}, shortestKey), "eyJkbyI6WyJHRVQiXX0"))
	f.Fuzz(func(t *testing.T, other string) {
		if who, err := a.link([]string{other}, time.Now()); other != text && (err == nil || who.Scopes != 0) {
			t.Errorf("%q lets %+v in", other, who)
		}
	})
}
