package e2e_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// finding is what the doctor has found.
type finding struct {
	Check, Level, Text string
	Remedies           []struct{ Of, Setting string }
}

// examine runs the doctor on what the proxy stands before, and returns what isn't
// well. The exit code tells whether that includes a problem.
func (p *proxy) examine(args ...string) []finding {
	p.t.Helper()
	args = append([]string{"--away", "--url", "https://" + proxyHost + "/", "--connect", p.addr, "--wait", "3s"}, args...)
	return doctor(p.t, []string{"SSL_CERT_FILE=" + p.ca}, args...)
}

func doctor(t testing.TB, environ []string, args ...string) []finding {
	t.Helper()
	cmd := exec.Command(suite.shipped, append([]string{"doctor", "--json"}, args...)...)
	cmd.Env = append(os.Environ(), environ...)
	out, err := cmd.Output()
	var report struct{ Findings []finding }
	if jsonErr := json.Unmarshal(out, &report); jsonErr != nil {
		t.Fatalf("the report is no JSON: %v, %v\n%s", jsonErr, err, out)
	}
	t.Logf("the doctor says:\n%s", out)
	isProblem := func(f finding) bool { return f.Level == "problem" }
	if exit, ok := errors.AsType[*exec.ExitError](err); ok != slices.ContainsFunc(report.Findings, isProblem) || ok && exit.ExitCode() != 3 {
		t.Errorf("the doctor ended with %v", err)
	}
	return slices.DeleteFunc(report.Findings, func(f finding) bool { return f.Level == "ok" })
}

// forProxy are the settings of a server with a proxy in front.
var forProxy = []string{"--trusted-proxies", "127.0.0.1", "--allowed-hosts", proxyHost, "--absolute-urls"}

// The doctor finds nothing on the examples, and leaves nothing behind.
func TestDoctorOfGoodProxies(t *testing.T) {
	t.Parallel()
	for _, kind := range proxyKinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			s := startShipped(t, forProxy...)
			for _, f := range s.behind(kind).examine() {
				t.Errorf("%+v", f)
			}
			s.untouched()
		})
	}
}

// untouched fails the test if there is anything that the doctor has left.
func (s *server) untouched() {
	s.t.Helper()
	if left := s.stored(); len(left) > 0 {
		s.t.Errorf("left behind: %q", left)
	}
	uploads, err := filepath.Glob(filepath.Join(s.root, ".sluice", "uploads", "*"))
	if err != nil || len(uploads) > 0 {
		s.t.Errorf("left behind: %q, %v", uploads, err)
	}
}

// The doctor finds what is wrong with a proxy, and which setting mends it.
func TestDoctorFindsFaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		kind    proxyKind
		changes []string // of the example
		check   string
		setting string
		also    []string // checks that see the same fault
	}{
		{"buffering", nginx, []string{"proxy_request_buffering off;", ""}, "request buffering", "proxy_request_buffering off", nil},
		{"body cap", nginx, []string{"client_max_body_size 0;", "client_max_body_size 1m;"}, "body size", "client_max_body_size 0", nil},
		{"body cap that counts", caddy, []string{"reverse_proxy 127", "request_body {\n\t\tmax_size 10MB\n\t}\n\treverse_proxy 127"}, "body size", "request_body max_size", nil},
		{"stripped fields of requests", nginx, []string{`Forwarded "";`, "Forwarded \"\";\nproxy_set_header Range \"\";\nproxy_set_header Upload-Checksum \"\";"}, "tus", "proxy_set_header", []string{"fields", "ranges"}},
		{"stripped fields of answers", nginx, []string{`Forwarded "";`, "Forwarded \"\";\nproxy_hide_header ETag;\nproxy_hide_header Repr-Digest;"}, "fields", "proxy_hide_header", nil},
		{"wrong scheme", nginx, []string{"X-Forwarded-Proto $scheme", "X-Forwarded-Proto http"}, "addresses", "X-Forwarded-Proto $scheme", nil},
		{"wrong host", nginx, []string{"X-Forwarded-Host $http_host", "X-Forwarded-Host inner.example"}, "addresses", "X-Forwarded-Host $http_host", []string{"origin"}},
		{"small timeouts", nginx, []string{"client_body_timeout 300s", "client_body_timeout 1s"}, "timeouts", "client_body_timeout 300s", nil},
		{"bounded duration", caddy, []string{"read_header 10s", "read_header 10s\n\t\t\tread_body 1s"}, "timeouts", "read_body", nil},
		{"compression", caddy, []string{"reverse_proxy 127", "encode {\n\t\tgzip\n\t\tmatch {\n\t\t\tstatus 200\n\t\t}\n\t}\n\treverse_proxy 127"}, "content coding", "encode", nil},
		{"admin listener", caddy, []string{"reverse_proxy 127", "reverse_proxy /metrics {admin} {\n\t\theader_up Host {upstream_hostport}\n\t}\n\treverse_proxy 127"}, "admin listener", "--admin-listen", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := startShipped(t, forProxy...)
			for i := range test.changes {
				test.changes[i] = strings.ReplaceAll(test.changes[i], "{admin}", s.admin)
			}
			found := s.behind(test.kind, test.changes...).examine()
			i := slices.IndexFunc(found, func(f finding) bool { return f.Check == test.check && f.Level == "problem" })
			if i < 0 {
				t.Fatalf("no problem with %s was found", test.check)
			}
			if !slices.ContainsFunc(found[i].Remedies, func(r struct{ Of, Setting string }) bool {
				return strings.Contains(r.Setting, test.setting)
			}) {
				t.Errorf("no remedy is %s", test.setting)
			}
			for _, f := range found {
				if f.Check != test.check && !slices.Contains(test.also, f.Check) {
					t.Errorf("beside: %+v", f)
				}
			}
			s.untouched()
		})
	}
}

// The doctor shows what lets it in, and says so where it doesn't have it.
func TestDoctorWithToken(t *testing.T) {
	t.Parallel()
	keys := newKeyring(t)
	token := keys.add("doctor", "read,write,list,delete")
	s := startShipped(t, append(forProxy, "--token-file", keys.path)...)
	p := s.behind(nginx)
	header := write(t, "header", []byte(bearer(token)+"\n"))
	for _, f := range p.examine("--header", "@"+header) {
		t.Errorf("%+v", f)
	}
	s.untouched()
	found := p.examine()
	if len(found) != 1 || found[0].Level != "problem" || !strings.Contains(found[0].Remedies[0].Setting, "--header") {
		t.Errorf("without a token: %+v", found)
	}
}

// From afar, the small windows of HTTP/2 that HAProxy has by itself make uploads
// slow.
func TestDoctorFindsSmallWindows(t *testing.T) {
	t.Parallel()
	p := startShipped(t, forProxy...).behind(haproxy, "tune.h2.initial-window-size 1048576", "tune.h2.initial-window-size 65535")
	n := badNetwork(t, p.addr)
	n.add("latency", `"latency": 50`)
	found := p.examine("--connect", n.proxy.Listen, "--wait", "0", "--size", "4MB")
	if len(found) != 1 || found[0].Check != "HTTP/2" || found[0].Level != "warning" {
		t.Errorf("found %+v", found)
	}
}
