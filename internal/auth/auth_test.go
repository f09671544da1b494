package auth_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/internal/auth"
)

// tokens makes a file of one token for each of the descriptions, by its name, and
// an authenticator that reads it.
func tokens(t *testing.T, list ...auth.Token) (secrets map[string]string, path string, a *auth.Authenticator) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "tokens.json")
	secrets = make(map[string]string)
	for _, token := range list {
		secrets[token.Name], token.Hash = auth.NewSecret()
		if err := auth.AddToken(path, token); err != nil {
			t.Fatal(err)
		}
	}
	a, err := auth.New(auth.Options{TokenFile: path})
	if err != nil {
		t.Fatal(err)
	}
	return secrets, path, a
}

func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

func TestIdentify(t *testing.T) {
	t.Parallel()
	secrets, _, a := tokens(t,
		auth.Token{Name: "alice", Scopes: auth.Read | auth.List, Prefix: "a/b", MaxSize: 5, Rate: 7},
		auth.Token{Name: "late", Scopes: auth.All, Expires: time.Now().Add(-time.Second)},
	)
	alice, late := secrets["alice"], secrets["late"]
	for name, test := range map[string]struct {
		lines []string
		who   string
		err   error
	}{
		"nothing":           {nil, "", nil},
		"bearer":            {[]string{"Bearer " + alice}, "alice", nil},
		"any case":          {[]string{"bEARER  " + alice}, "alice", nil},
		"basic":             {[]string{basic("anything", alice)}, "alice", nil},
		"basic, no user":    {[]string{basic("", alice)}, "alice", nil},
		"expired":           {[]string{"Bearer " + late}, "", auth.ErrExpired},
		"wrong":             {[]string{"Bearer " + alice[:len(alice)-1]}, "", auth.ErrUnknown},
		"empty":             {[]string{"Bearer "}, "", auth.ErrUnknown},
		"empty field":       {[]string{""}, "", auth.ErrUnknown},
		"name alone":        {[]string{basic("alice", "")}, "", auth.ErrUnknown},
		"no base64":         {[]string{"Basic " + alice}, "", auth.ErrUnknown},
		"no password":       {[]string{"Basic " + base64.StdEncoding.EncodeToString([]byte(alice))}, "", auth.ErrUnknown},
		"other scheme":      {[]string{"Digest " + alice}, "", auth.ErrUnknown},
		"two fields":        {[]string{"Bearer " + alice, "Bearer " + alice}, "", auth.ErrUnknown},
		"hash of the token": {[]string{"Bearer sha256:" + strings.Repeat("0", 64)}, "", auth.ErrUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			who, err := a.Identify(auth.Request{Authorization: test.lines})
			if !errors.Is(err, test.err) || who.Name != test.who {
				t.Errorf("%+v, %v, want %q, %v", who, err, test.who, test.err)
			}
			if err != nil && who.Scopes != 0 {
				t.Errorf("%v with an error", who.Scopes)
			}
			if test.who == "alice" && (who.Scopes != auth.Read|auth.List || who.Prefix != "a/b" || who.MaxSize != 5 || who.Rate != 7) {
				t.Errorf("%+v", who)
			}
		})
	}
}

// A change of the file counts within a second or so, what is wrong with it
// leaves what was there, and a token that is gone takes its sessions along.
func TestTokensReload(t *testing.T) {
	t.Parallel()
	secrets, path, a := tokens(t, auth.Token{Name: "alice", Scopes: auth.Read}, auth.Token{Name: "bob", Scopes: auth.Read})
	who := func(r auth.Request) string {
		who, _ := a.Identify(r)
		return who.Name
	}
	alice := auth.Request{Authorization: []string{"Bearer " + secrets["alice"]}}
	identity, err := a.Identify(alice)
	if err != nil {
		t.Fatal(err)
	}
	cookie, _ := a.OpenSession(identity)
	if who(auth.Request{Session: cookie}) != "alice" {
		t.Fatal("no session")
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Prepare(); err == nil || who(alice) != "alice" {
		t.Errorf("half a file: %v", err)
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := auth.RevokeToken(path, "alice"); err != nil {
		t.Fatal(err)
	}
	apply, err := a.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	apply()
	if who(alice) != "" || who(auth.Request{Session: cookie}) != "" || who(auth.Request{Authorization: []string{"Bearer " + secrets["bob"]}}) != "bob" {
		t.Error("alice is still known, or bob is not")
	}
}

// Without being told, too.
func TestTokensReloadByThemselves(t *testing.T) {
	t.Parallel()
	secrets, path, a := tokens(t, auth.Token{Name: "alice", Scopes: auth.Read})
	if err := auth.RevokeToken(path, "alice"); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		_, err := a.Identify(auth.Request{Authorization: []string{"Bearer " + secrets["alice"]}})
		if err != nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the token is still known")
		}
	}
}

func TestTokenFile(t *testing.T) {
	t.Parallel()
	_, path, _ := tokens(t, auth.Token{Name: "alice", Scopes: auth.Read})
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	_, hash := auth.NewSecret()
	for name, err := range map[string]error{
		"twice":   auth.AddToken(path, auth.Token{Name: "alice", Hash: hash}),
		"no hash": auth.AddToken(path, auth.Token{Name: "b"}),
		"colon":   auth.AddToken(path, auth.Token{Name: "jwt:b", Hash: hash}),
		"no name": auth.AddToken(path, auth.Token{Hash: hash}),
		"prefix":  auth.AddToken(path, auth.Token{Name: "b", Hash: hash, Prefix: "../x"}),
		"limit":   auth.AddToken(path, auth.Token{Name: "b", Hash: hash, Rate: -1}),
		"nobody":  auth.RevokeToken(path, "carol"),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	ended := make(chan error, 20)
	for i := range cap(ended) {
		go func() {
			_, hash := auth.NewSecret()
			ended <- auth.AddToken(path, auth.Token{Name: fmt.Sprint("t", i), Hash: hash})
		}()
	}
	for range cap(ended) {
		if err := <-ended; err != nil && !strings.Contains(err.Error(), "nobody else is at work") {
			t.Error(err)
		}
	}
	list, err := auth.ReadTokens(path)
	if err != nil || len(list) != cap(ended)+1 {
		t.Errorf("%d tokens, %v", len(list), err)
	}
	left, err := filepath.Glob(path + ".*")
	if err != nil || !slices.Equal(left, []string{path + ".lock"}) {
		t.Errorf("left are %q, %v", left, err)
	}
}

// Who fails too often has to wait, whatever they show then; others don't.
func TestAttempts(t *testing.T) {
	t.Parallel()
	secrets, _, a := tokens(t, auth.Token{Name: "alice", Scopes: auth.Read})
	attempt := func(client, secret string) error {
		_, err := a.Identify(auth.Request{Authorization: []string{"Bearer " + secret}, Client: netip.MustParseAddr(client)})
		return err
	}
	wrong := func(client string) (failures int) {
		for failures < 1000 && errors.Is(attempt(client, "wrong"), auth.ErrUnknown) {
			failures++
		}
		return failures
	}
	if n := wrong("192.0.2.1"); n < 10 || n > 100 {
		t.Errorf("throttled after %d failures", n)
	}
	var throttled *auth.ThrottledError
	if err := attempt("::ffff:192.0.2.1", secrets["alice"]); !errors.As(err, &throttled) || throttled.Wait <= 0 {
		t.Errorf("the same client with the right token: %v", err)
	}
	if err := attempt("192.0.2.2", secrets["alice"]); err != nil {
		t.Errorf("another client: %v", err)
	}
	if _, err := a.Identify(auth.Request{Client: netip.MustParseAddr("192.0.2.1")}); err != nil {
		t.Errorf("the same client with nothing: %v", err)
	}
	wrong("2001:db8:0:1::1")
	if err := attempt("2001:db8:0:1:ffff::2", "wrong"); !errors.Is(err, auth.ErrThrottled) {
		t.Errorf("another address of the same network: %v", err)
	}
	if err := attempt("2001:db8:0:2::1", "wrong"); !errors.Is(err, auth.ErrUnknown) {
		t.Errorf("another network: %v", err)
	}
}

func TestCovers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		prefix, path string
		want         bool
	}{
		{"", "", true}, {"", "a/b", true},
		{"a", "a", true}, {"a", "a/b", true}, {"a", "a/b/c", true},
		{"a", "", false}, {"a", "ab", false}, {"a", "A", false}, {"a", "b/a", false}, {"a/b", "a", false}, {"a/b", "a/bc", false},
	} {
		if got := (auth.Identity{Prefix: test.prefix}).Covers(test.path); got != test.want {
			t.Errorf("%q covers %q: %t", test.prefix, test.path, got)
		}
	}
}

// Neither a field nor a cookie that nobody has made lets anybody in.
func FuzzIdentify(f *testing.F) {
	secret, hash := auth.NewSecret()
	path := filepath.Join(f.TempDir(), "tokens.json")
	if err := auth.AddToken(path, auth.Token{Name: "alice", Hash: hash, Scopes: auth.All}); err != nil {
		f.Fatal(err)
	}
	f.Add("Bearer "+secret[:20], "x", "alice")
	f.Add(basic("alice", secret[1:]), "", "")
	f.Fuzz(func(t *testing.T, field, cookie, user string) {
		a, err := auth.New(auth.Options{TokenFile: path})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []auth.Request{{Authorization: []string{field}}, {Session: cookie}, {Authorization: []string{basic(user, field)}}} {
			if who, err := a.Identify(r); who.Scopes != 0 || who.Name != "" || len(r.Authorization) > 0 && err == nil {
				t.Errorf("%+v lets %+v in", r, who)
			}
		}
	})
}
