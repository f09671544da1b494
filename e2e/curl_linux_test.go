package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// answer is the final answer to a request.
type answer struct {
	status  int
	header  http.Header
	body    []byte
	interim []int // statuses of the 1xx answers before it
}

// curl runs curl, which must get an answer, whatever its status.
func curl(t testing.TB, args ...string) answer {
	t.Helper()
	return curlWith(t, nil, args...)
}

// curlHead asks for the head alone.
func curlHead(t testing.TB, args ...string) answer {
	t.Helper()
	// With --head the head is also the output.
	return curl(t, append([]string{"--head", "--output", os.DevNull}, args...)...)
}

// curlWith is curl with a standard input.
func curlWith(t testing.TB, stdin io.Reader, args ...string) answer {
	t.Helper()
	a, err := runCurl(stdin, args...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// runCurl is for goroutines other than the test's.
func runCurl(stdin io.Reader, args ...string) (answer, error) {
	cmd, err := curlCommand(append([]string{"--dump-header", "-"}, args...)...)
	if err != nil {
		return answer{}, err
	}
	var complaint strings.Builder
	cmd.Stdin, cmd.Stderr = stdin, &complaint
	out, err := cmd.Output()
	if err != nil {
		return answer{}, fmt.Errorf("%s: %w: %s", cmd, err, &complaint)
	}
	return parseAnswer(out)
}

// curlCommand sends paths as they are given.
func curlCommand(args ...string) (*exec.Cmd, error) {
	path, err := tool("curl")
	if err != nil {
		return nil, err
	}
	return exec.Command(path, append([]string{"--silent", "--show-error", "--path-as-is"}, args...)...), nil
}

// parseAnswer reads heads up to the final one; the rest is its body.
func parseAnswer(raw []byte) (answer, error) {
	var a answer
	buffered := bufio.NewReader(bytes.NewReader(raw))
	for reader := textproto.NewReader(buffered); a.status < 200; {
		line, err := reader.ReadLine()
		if err != nil {
			return a, fmt.Errorf("read status line: %w", err)
		}
		if a.status, err = parseStatus(line); err != nil {
			return a, err
		}
		header, err := reader.ReadMIMEHeader()
		if err != nil {
			return a, fmt.Errorf("read header: %w", err)
		}
		a.header = http.Header(header)
		if a.status < 200 {
			a.interim = append(a.interim, a.status)
		}
	}
	var err error
	a.body, err = io.ReadAll(buffered)
	return a, err
}

func parseStatus(line string) (int, error) {
	fields := strings.Fields(line)
	if len(fields) < 2 || !strings.HasPrefix(fields[0], "HTTP/") {
		return 0, fmt.Errorf("no status line: %q", line)
	}
	return strconv.Atoi(fields[1])
}

// want fails the test unless the answer has one of the statuses.
func (a answer) want(t testing.TB, statuses ...int) answer {
	t.Helper()
	for _, status := range statuses {
		if a.status == status {
			return a
		}
	}
	t.Errorf("status %d, want %v\n%s", a.status, statuses, a.body)
	return a
}

// success reports whether the answer is a 2xx.
func (a answer) success() bool { return a.status >= 200 && a.status < 300 }

// decode reads the body as JSON.
func (a answer) decode(t testing.TB, into any) {
	t.Helper()
	if err := json.Unmarshal(a.body, into); err != nil {
		t.Fatalf("answer with status %d is no JSON of this shape: %v\n%s", a.status, err, a.body)
	}
}
