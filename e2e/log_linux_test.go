package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// logLine is what the tests look at in a line of the log.
type logLine struct {
	Msg       string
	RequestID string `json:"request_id"`
	Method    string
	Path      string
	Status    int
	Bytes     int64
	Seconds   float64
	Client    string
	UserAgent string `json:"user_agent"`
	Error     string
}

// logLines are the lines with a message.
func (s *server) logLines(msg string) []logLine {
	s.t.Helper()
	var found []logLine
	for line := range strings.Lines(s.log.String()) {
		var l logLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			s.t.Errorf("no JSON: %s", line)
		}
		if l.Msg == msg {
			found = append(found, l)
		}
	}
	return found
}

// Every request has one line: a transfer its own, all else that of a request.
func TestAccessLog(t *testing.T) {
	t.Parallel()
	s := start(t)
	agent := strings.Repeat("a", 1000)
	s.put("file", "content")
	curl(t, "-H", "Expect: 100-continue", "-T", os.Args[0], s.fileURL("asked")).want(t, 201)
	curlHead(t, s.fileURL("file")).want(t, 200)
	curl(t, "-A", agent, s.url("/files/")).want(t, 200)
	curl(t, s.fileURL("none")).want(t, 404)
	eventually(t, "all is logged", func() bool {
		return len(s.logLines("request")) == 2 && len(s.logLines("request failed")) == 1 && len(s.logLines("transfer")) == 2
	})
	head, list, failed := s.logLines("request")[0], s.logLines("request")[1], s.logLines("request failed")[0]
	if head.Method != "HEAD" || head.Path != "/files/file" || head.Status != 200 || head.Bytes != 0 || head.RequestID == "" || head.Client != "127.0.0.1" {
		t.Errorf("HEAD is logged as %+v", head)
	}
	if list.Bytes == 0 || list.Seconds <= 0 || list.UserAgent != agent[:256]+"…" {
		t.Errorf("the list is logged as %+v", list)
	}
	if failed.Status != 404 || failed.Bytes == 0 || failed.Error == "" || failed.RequestID == "" {
		t.Errorf("the failure is logged as %+v", failed)
	}

	quiet := start(t, "--access-log=false")
	curl(t, quiet.url("/files/")).want(t, 200)
	curl(t, quiet.fileURL("none")).want(t, 404)
	eventually(t, "failures are logged", func() bool { return len(quiet.logLines("request failed")) == 1 })
	if lines := quiet.logLines("request"); len(lines) > 0 {
		t.Errorf("without the access log there is %+v", lines)
	}
}

// Nothing that is secret stands in any line, whatever goes wrong with it.
func TestLogKeepsSecrets(t *testing.T) {
	t.Parallel()
	const secret = "S3CR3T"
	file := filepath.Join(folder(t), "secret")
	if err := os.WriteFile(file, []byte("whsec_"+secret+"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, "--log-level", "debug", "--webhook-url", "http://127.0.0.1:9/?key="+secret, "--webhook-veto-url", "http://127.0.0.1:9/?key="+secret,
		"--webhook-veto-failure", "open", "--webhook-secret-file", file)
	for _, args := range [][]string{
		{"-H", "Authorization: Bearer " + secret}, {"-u", "user:" + secret}, {"-H", "Cookie: session=" + secret + "; sluice=" + secret},
		{"-H", "Authorization: " + secret + " " + secret}, {"-H", "Proxy-Authorization: " + secret},
	} {
		for _, path := range []string{"/files/", "/files/none?token=" + secret + "&signature=" + secret, "/tus/" + strings.Repeat("0", 32) + "?access_token=" + secret} {
			curl(t, append(args, s.url(path))...)
			curl(t, append(args, "-T", os.Args[0], s.url("/files/x"+path[6:]))...)
			curl(t, append(args, "-X", "POST", "-H", tusVersion, s.url(path))...)
		}
	}
	for _, raw := range []string{
		"GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + secret + "\r\nContent-Length: x\r\n\r\n",
		"GET / HTTP/1.1\r\nAuthorization : " + secret + "\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\nCookie " + secret + "\r\n\r\n",
		"GET /?" + secret + " HTTP/1.1 x\r\n\r\n",
	} {
		dial(t, s).send(raw).fin().rest()
	}
	curl(t, "http://"+s.admin+"/api/v1/transfers/x?token="+secret, "-X", "DELETE")
	s.hangup()
	eventually(t, "the reload is logged", func() bool { return len(s.logLines("settings reloaded")) == 1 })
	s.terminate()
	s.wait()
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(line, secret) {
			t.Errorf("a secret stands in the log: %s", line)
		}
	}
	if !strings.Contains(s.log.String(), `"logger":"tusd"`) {
		t.Error("what tusd says is missing")
	}
}
