package e2e_test

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// linkKeys makes a file of keys that links are signed with.
func linkKeys(t testing.TB) string {
	t.Helper()
	var key [32]byte
	rand.Read(key[:])
	path := filepath.Join(folder(t), "links.key")
	if err := os.WriteFile(path, []byte(base64.StdEncoding.EncodeToString(key[:])+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// sign runs "sluice sign".
func sign(t testing.TB, keys string, args ...string) string {
	t.Helper()
	out, err := exec.Command(suite.shipped, append(append([]string{"sign"}, args...), "--link-key-file", keys)...).CombinedOutput()
	if err != nil {
		t.Fatalf("sluice sign %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// Links let whoever has them do what they say: with curl, by forms, tus and
// plain URLs, and nothing else.
func TestLinks(t *testing.T) {
	t.Parallel()
	keys := linkKeys(t)
	s := start(t, "--link-key-file", keys)
	path, large := content(t, 1000), content(t, mib+1)

	drop := sign(t, keys, "inbox/", "--upload", "--max-size", "1MiB")
	query := drop[strings.IndexByte(drop, '?'):]
	at := func(path string) string { return s.url(path + query) }
	curl(t, "-T", path, at("/files/inbox/put")).want(t, 201)
	curl(t, "-F", "file=@"+path+";filename=form", at("/files/inbox/")).want(t, 200)
	for _, name := range []string{"put", "form"} {
		sameFile(t, s.file("inbox/"+name), path)
	}
	created := curl(t, "-X", "POST", "-H", tusVersion, "-H", "Upload-Length: 1000", "-H", tusName("inbox/nothing"), at("/tus/"))
	created.wantProblem(t, 403) // "filename" is no path
	meta := "Upload-Metadata: filename " + base64.StdEncoding.EncodeToString([]byte("tus")) + ",path " + base64.StdEncoding.EncodeToString([]byte("inbox"))
	created = curl(t, "-X", "POST", "-H", tusVersion, "-H", "Upload-Length: 1000", "-H", meta, at("/tus/")).want(t, 201)
	upload := created.header.Get("Location")
	if created.header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("Referrer-Policy %q", created.header.Get("Referrer-Policy"))
	}
	curlHead(t, "-H", tusVersion, s.url(strings.Split(upload, "?")[0])).want(t, 401)
	curlHead(t, "-H", tusVersion, s.url(strings.Split(upload, "?")[0]+"?"+strings.SplitN(sign(t, keys, "inbox/", "--upload"), "?", 2)[1])).want(t, 404)
	curl(t, "-X", "PATCH", "-H", tusVersion, "-H", tusType, "-H", "Upload-Offset: 0", "--data-binary", "@"+path, s.url(upload)).want(t, 204)
	sameFile(t, s.file("inbox/tus"), path)
	var parts []string
	for range 2 {
		part := curl(t, "-X", "POST", "-H", tusVersion, "-H", "Upload-Length: 5", "-H", "Upload-Concat: partial", at("/tus/")).want(t, 201).header.Get("Location")
		curl(t, "-X", "PATCH", "-H", tusVersion, "-H", tusType, "-H", "Upload-Offset: 0", "-d", "01234", s.url(part)).want(t, 204)
		parts = append(parts, part)
	}
	final := "Upload-Concat: final;" + strings.Join(parts, " ")
	curl(t, "-X", "POST", "-H", tusVersion, "-H", final, "-H", meta, at("/tus/")).want(t, 201)
	if got := string(read(t, s.file("inbox/tus"))); got != "0123401234" {
		t.Errorf("joined: %q", got)
	}
	for _, name := range []string{"put", "none"} {
		curl(t, at("/files/inbox/"+name)).wantProblem(t, 403)
		curl(t, "-X", "DELETE", at("/files/inbox/"+name)).wantProblem(t, 403)
		curl(t, "-T", path, at("/files/"+name)).wantProblem(t, 403)
	}
	curl(t, at("/files/inbox/")).wantProblem(t, 403)
	curl(t, "-T", large, at("/files/inbox/large")).wantProblem(t, 413)
	curl(t, at("/api/v1/transfers")).wantProblem(t, 403)
	curl(t, "-X", "POST", at("/api/v1/session")).wantProblem(t, 403)

	one := sign(t, keys, "inbox/put", "--max-uses", "3")
	curl(t, s.url(one)).want(t, 200)
	curlHead(t, s.url(one)).want(t, 200)
	curl(t, "-r", "0-9", s.url(one)).want(t, 206)
	curl(t, s.url(strings.Replace(one, "put?", "form?", 1))).wantProblem(t, 404)
	curl(t, s.url(one)).want(t, 200)
	curl(t, s.url(one)).wantProblem(t, 403)
	curlHead(t, s.url(one)).want(t, 403)
	curl(t, s.url(one[:len(one)-1])).wantProblem(t, 403)

	browse := sign(t, keys, "inbox/", "--methods", "GET")
	var listing struct{ Entries []struct{ URL string } }
	if err := json.Unmarshal(curl(t, "-H", "Accept: application/json", s.url(browse)).want(t, 200).body, &listing); err != nil || len(listing.Entries) != 3 {
		t.Fatalf("listing: %+v, %v", listing, err)
	}
	curl(t, s.url(listing.Entries[0].URL)).want(t, 200)
	if to := curl(t, s.url(strings.Replace(browse, "/?", "?", 1))).want(t, 301).header.Get("Location"); to != browse {
		t.Errorf("the folder without its slash leads to %q", to)
	}
	curl(t, s.url(browse+"&archive=tar")).want(t, 200)
	for _, secret := range []string{strings.SplitN(drop, "=", 2)[1], strings.SplitN(one, "=", 2)[1]} {
		if strings.Contains(s.log.String(), secret[len(secret)-20:]) {
			t.Error("the log holds a signature")
		}
	}
}

// However many come at a time, and across a restart, a link is used no more often
// than it may; uploads that come to nothing don't count.
func TestLinkUses(t *testing.T) {
	t.Parallel()
	keys := linkKeys(t)
	s := start(t, "--link-key-file", keys)
	drop := sign(t, keys, "in/", "--upload", "--max-uses", "3")
	query := drop[strings.IndexByte(drop, '?'):]
	for range 4 {
		p := dial(t, s).send(requestHead("PUT", "/files/in/broken"+query, length(1000)), "0123")
		p.conn.Close()
	}
	upload := curl(t, "-X", "POST", "-H", tusVersion, "-H", "Upload-Length: 5", "-H", "Upload-Metadata: relativePath "+base64.StdEncoding.EncodeToString([]byte("in/t")), s.url("/tus/"+query)).
		want(t, 201).header.Get("Location")
	curl(t, "-X", "DELETE", "-H", tusVersion, s.url(upload)).want(t, 204)
	eventually(t, "the server is at rest", s.atRest)
	var stored, refused atomic.Int32
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			a, err := runCurl(strings.NewReader("text"), "-T", "-", s.url("/files/in/"+string(rune('a'+i))+query))
			switch {
			case err != nil:
				t.Error(err)
			case a.status == 201:
				stored.Add(1)
			case a.status == 403:
				refused.Add(1)
			}
		})
	}
	all.Wait()
	if stored.Load() != 3 || refused.Load() != 9 {
		t.Errorf("%d stored, %d refused", stored.Load(), refused.Load())
	}
	s.terminate()
	s.wait()
	s = startIn(t, s.root, "--link-key-file", keys)
	curl(t, "-T", content(t, 1000), s.url("/files/in/z"+query)).wantProblem(t, 403)
}

// Who may do something can have a link signed that gives it away, which ends with
// their token or by its id.
func TestLinksOfTokens(t *testing.T) {
	t.Parallel()
	tokens, keys := newKeyring(t), linkKeys(t)
	alice, admin := bearer(tokens.add("alice", "read,write", "--prefix", "a", "--max-size", "2KB")), bearer(tokens.add("root", "admin"))
	s := start(t, "--token-file", tokens.path, "--link-key-file", keys, "--anonymous", "read")
	path := content(t, 1000)
	curl(t, "-H", alice, "-T", path, s.fileURL("a/f")).want(t, 201)
	ask := func(who, body string) answer {
		return curl(t, "-H", who, "-H", "Content-Type: application/json", "-d", body, s.url("/api/v1/links"))
	}
	var made struct{ ID, URL string }
	for range 2 {
		if err := json.Unmarshal(ask(alice, `{"path": "a/f", "methods": ["GET"], "expires_in": 60}`).want(t, 201).body, &made); err != nil {
			t.Fatal(err)
		}
		curl(t, s.url(made.URL)).want(t, 200)
		if made.ID != "" {
			curl(t, "-X", "DELETE", "-H", alice, s.url("/api/v1/links/"+made.ID)).wantProblem(t, 403)
		}
	}
	curl(t, "-X", "DELETE", "-H", admin, s.url("/api/v1/links/"+made.ID)).want(t, 204)
	curl(t, s.url(made.URL)).wantProblem(t, 403)
	for _, body := range []string{
		`{"path": "b/f", "methods": ["GET"], "expires_in": 60}`, `{"path": "a/f", "methods": ["DELETE"], "expires_in": 60}`,
		`{"path": "a/", "methods": ["GET"], "expires_in": 60}`, `{"path": "a/../b", "methods": ["GET"], "expires_in": 60}`,
		`{"path": "a/f", "methods": ["GET"]}`, `{"path": "a/f", "methods": ["GET"], "expires_in": 60, "scopes": ["admin"]}`, `x`, ``,
	} {
		ask(alice, body).wantProblem(t, 400)
	}
	// Whoever may read without a token gets no link that outlives that.
	ask("X-Nothing: 1", `{"path": "a/f", "methods": ["GET"], "expires_in": 60}`).wantProblem(t, 401)
	if err := json.Unmarshal(ask(alice, `{"path": "a/", "methods": ["PUT"], "expires_in": 60}`).want(t, 201).body, &made); err != nil {
		t.Fatal(err)
	}
	target := strings.Replace(made.URL, "?", "g?", 1)
	curl(t, "-T", path, s.url(target)).want(t, 201)
	curl(t, "-T", content(t, 3000), s.url(target)).wantProblem(t, 413)
	tokens.run("revoke", "alice")
	eventually(t, "the link has ended with its token", func() bool { return curl(t, "-T", path, s.url(target)).status == http.StatusForbidden })
	if names := s.stored(); !slices.Equal(names, []string{"a"}) {
		t.Errorf("stored: %q", names)
	}
}
