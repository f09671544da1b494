package e2e_test

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// keyring is a file of tokens, kept by the program itself.
type keyring struct {
	t    testing.TB
	path string
}

func newKeyring(t testing.TB) keyring {
	t.Helper()
	return keyring{t, filepath.Join(folder(t), "tokens.json")}
}

// run runs "sluice token".
func (k keyring) run(args ...string) string {
	k.t.Helper()
	out, err := exec.Command(suite.shipped, append(append([]string{"token"}, args...), "--token-file", k.path)...).CombinedOutput()
	if err != nil {
		k.t.Fatalf("sluice token %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// add makes a token.
func (k keyring) add(name, scopes string, flags ...string) string {
	k.t.Helper()
	return k.run(append([]string{"add", name, "--scopes", scopes}, flags...)...)
}

func bearer(token string) string { return "Authorization: Bearer " + token }

// Tokens open what they are for, as bearers and as passwords, and nothing else
// does; a revoked one ends.
func TestTokens(t *testing.T) {
	t.Parallel()
	keys := newKeyring(t)
	alice := keys.add("alice", "read,write,list")
	press := keys.add("press", "write", "--prefix", "inbox/press", "--max-size", "1MiB")
	s := start(t, "--token-file", keys.path)
	path, large := content(t, 1000), content(t, mib+1)

	curl(t, "-T", path, s.fileURL("f")).wantProblem(t, 401)
	curl(t, "-u", "alice:"+alice, "-T", path, s.fileURL("f")).want(t, 201)
	curl(t, "-H", bearer(alice), s.fileURL("f")).want(t, 200)
	curl(t, "-u", "alice:wrong", s.fileURL("f")).wantProblem(t, 401)
	curl(t, "-u", alice+":", s.fileURL("f")).wantProblem(t, 401)
	curl(t, "-H", bearer(alice), "-X", "DELETE", s.fileURL("f")).wantProblem(t, 403)

	curl(t, "-H", bearer(press), "-T", path, s.fileURL("inbox/press/f")).want(t, 201)
	curl(t, "-H", bearer(press), "-F", "file=@"+path+";filename=../../../g", s.url("/files/inbox/press/")).want(t, 200)
	sameFile(t, s.file("inbox/press/g"), path)
	for _, outside := range []string{"/files/g", "/files/inbox/g", "/files/inbox/pressed", "/files/inbox/Press/g", "/files/inbox%2fother%2fg", "/files/inbox/press%2f..%2fg"} {
		a := curl(t, "--path-as-is", "-H", bearer(press), "-T", path, s.url(outside))
		if a.status != 403 && a.status != 400 {
			t.Errorf("PUT of %s: %d", outside, a.status)
		}
	}
	curl(t, "-H", bearer(press), "-T", large, s.fileURL("inbox/press/large")).wantProblem(t, 413)
	curl(t, "-H", bearer(press), "-H", chunked, "-T", large, s.fileURL("inbox/press/large")).wantProblem(t, 413)
	curl(t, "-H", bearer(press), "-F", "file=@"+large, s.url("/files/inbox/press/")).wantProblem(t, 413)
	curl(t, "-H", bearer(press), "-X", "POST", "-H", tusVersion, "-H", "Upload-Length: 1048577", "-H", tusName("inbox/press/l"), s.url("/tus/")).wantProblem(t, 403)
	for _, name := range []string{"f", "inbox/press/f", "none"} {
		curl(t, "-H", bearer(press), s.fileURL(name)).wantProblem(t, 403)
		curl(t, s.fileURL(name)).wantProblem(t, 401)
	}

	keys.run("revoke", "press")
	eventually(t, "the token has ended", func() bool {
		return curl(t, "-H", bearer(press), "-T", path, s.fileURL("inbox/press/h")).status == 401
	})
	if list := keys.run("list"); !strings.Contains(list, "alice") || strings.Contains(list, "press") || strings.Contains(list, alice) {
		t.Errorf("list: %s", list)
	}
	if strings.Contains(s.log.String(), alice) || strings.Contains(s.log.String(), press) {
		t.Error("the log holds a token")
	}
}

// A tus upload is its creator's alone, also after a restart, but for admins.
func TestUploadOwner(t *testing.T) {
	t.Parallel()
	keys := newKeyring(t)
	alice, bob, admin := bearer(keys.add("alice", "read,write")), bearer(keys.add("bob", "read,write,delete,list")), bearer(keys.add("root", "write,admin"))
	s := start(t, "--token-file", keys.path, "--ietf-uploads")
	create := func(fields ...string) string {
		args := []string{"-X", "POST", "-H", alice, "-H", tusVersion}
		for _, field := range fields {
			args = append(args, "-H", field)
		}
		return curl(t, append(args, s.url("/tus/"))...).want(t, 201).header.Get("Location")
	}
	whole, part := create("Upload-Length: 10", tusName("f")), create("Upload-Length: 5", "Upload-Concat: partial")
	draft := curl(t, "-X", "POST", "-H", alice, "-H", "Upload-Draft-Interop-Version: 6", "-H", "Upload-Complete: ?0", "-H", "Upload-Length: 10", s.url("/tus/")).
		want(t, 201).header.Get("Location")
	patch := func(s *server, who, path, text string) answer {
		return curlWith(t, strings.NewReader(text), "-X", "PATCH", "-H", who, "-H", tusVersion, "-H", tusType, "-H", "Upload-Offset: 0", "--data-binary", "@-", s.url(path))
	}
	foreign := func(s *server) {
		t.Helper()
		for _, path := range []string{whole, part, draft} {
			curl(t, "-X", "DELETE", "-H", bob, "-H", tusVersion, s.url(path)).want(t, 404)
			curlHead(t, "-H", bob, "-H", tusVersion, s.url(path)).want(t, 404)
			curlHead(t, "-H", admin, "-H", tusVersion, s.url(path)).want(t, 200)
			curl(t, "-H", bob, s.url(path)).want(t, 404)
			patch(s, bob, path, "01234").want(t, 404)
			curlHead(t, "-H", tusVersion, s.url(path)).want(t, 401)
		}
		curl(t, "-X", "POST", "-H", bob, "-H", tusVersion, "-H", "Upload-Concat: final;"+part, "-H", tusName("joined"), s.url("/tus/")).want(t, 404)
	}
	patch(s, alice, part, "01234").want(t, 204)
	foreign(s)
	s.terminate()
	s.wait()
	s = startIn(t, s.root, "--token-file", keys.path, "--ietf-uploads")
	foreign(s)
	patch(s, alice, whole, "0123456789").want(t, 204)
	curl(t, "-X", "POST", "-H", alice, "-H", tusVersion, "-H", "Upload-Concat: final;"+part, "-H", tusName("joined"), s.url("/tus/")).want(t, 201)
	curl(t, "-H", bob, s.fileURL("joined")).want(t, 200)
	curl(t, "-X", "DELETE", "-H", admin, "-H", tusVersion, s.url(draft)).want(t, 204)

	var seen struct {
		Recent []struct{ User string } `json:"recent"`
	}
	for who, want := range map[string]bool{alice: true, bob: false, admin: true} {
		a := curl(t, "-H", who, s.url("/api/v1/transfers")).want(t, 200)
		seen.Recent = nil
		if err := json.Unmarshal(a.body, &seen); err != nil {
			t.Fatal(err)
		}
		sees := false
		for _, r := range seen.Recent {
			sees = sees || r.User == "alice"
		}
		if sees != want {
			t.Errorf("%s sees alice's transfers: %t\n%s", who, sees, a.body)
		}
	}
}

// A token can be traded for a cookie, with which a page needs no field.
func TestSession(t *testing.T) {
	t.Parallel()
	keys := newKeyring(t)
	alice := keys.add("alice", "read,write,list")
	s := start(t, "--token-file", keys.path, "--cors-origins", "*")
	s.putAs(bearer(alice), "f", "text")
	a := curl(t, "-X", "POST", "-H", bearer(alice), s.url("/api/v1/session")).want(t, 201)
	cookie, err := http.ParseSetCookie(a.header.Get("Set-Cookie"))
	if err != nil {
		t.Fatal(err)
	}
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" || cookie.Expires.IsZero() || cookie.Secure {
		t.Errorf("cookie %s", cookie)
	}
	var login struct {
		You struct {
			Name   string
			Scopes []string
		}
	}
	if err := json.Unmarshal(a.body, &login); err != nil || login.You.Name != "alice" || len(login.You.Scopes) != 3 {
		t.Errorf("%s: %v", a.body, err)
	}
	by := "Cookie: " + cookie.Name + "=" + cookie.Value
	curl(t, "-H", by, s.fileURL("f")).want(t, 200)
	curl(t, "-H", by, "-H", "Origin: https://evil.example", "-X", "POST", "-F", "file=x;filename=g", s.url("/files/")).wantProblem(t, 403)
	curl(t, "-u", "alice:"+alice, "-H", "Sec-Fetch-Site: cross-site", "-X", "POST", "-F", "file=x;filename=g", s.url("/files/")).wantProblem(t, 403)
	curl(t, "-H", by, "-H", "Origin: "+s.url(""), "-F", "file=x;filename=g", s.url("/files/")).want(t, 200)
	curl(t, "-H", bearer(alice), "-H", "Origin: https://good.example", "-F", "file=x;filename=h", s.url("/files/")).want(t, 200)
	curl(t, "-H", by, "-X", "DELETE", s.url("/api/v1/session")).want(t, 204)
	curl(t, "-H", by, s.fileURL("f")).wantProblem(t, 401)
	curl(t, "-X", "POST", s.url("/api/v1/session")).wantProblem(t, 401)
	for mode, want := range map[string]int{"cors": 1, "navigate": 2} {
		if got := curl(t, "-H", "Sec-Fetch-Mode: "+mode, s.fileURL("f")).want(t, 401).header.Values("WWW-Authenticate"); len(got) != want {
			t.Errorf("%s: challenges %q", mode, got)
		}
	}
}

// putAs is put by somebody.
func (s *server) putAs(field, name, text string) answer {
	s.t.Helper()
	return curlWith(s.t, strings.NewReader(text), "-H", field, "-T", "-", s.fileURL(name)).want(s.t, 200, 201)
}
