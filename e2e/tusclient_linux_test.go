package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// exchange is a request of tus-js-client and its answer.
type exchange struct {
	Method          string `json:"method"`
	Status          int    `json:"status"`
	From            int64  `json:"from"`   // Upload-Offset of the request
	Offset          int64  `json:"offset"` // Upload-Offset of the answer
	ContentLocation string `json:"contentLocation"`
}

// tusUpload uploads a file with tus-js-client in Node and returns all
// exchanges; err is the client's complaint when it gave up.
func tusUpload(t testing.TB, endpoint, file, filename string, args ...string) (exchanges []exchange, err error) {
	t.Helper()
	return runNode(t, append([]string{"clients/upload.mjs", "--endpoint", endpoint, "--file", file, "--filename", filename}, args...)...)
}

// runNode runs a program of the folder clients.
func runNode(t testing.TB, args ...string) (exchanges []exchange, err error) {
	t.Helper()
	if _, err := os.Stat(filepath.Join("clients", "node_modules", "tus-js-client")); err != nil {
		t.Fatalf("%v: run npm ci --prefix e2e/clients (npm is in Debian's package npm)", err)
	}
	cmd := toolCommand(t, "node", args...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("tus-js-client: %w: %s", err, &complaint)
	}
	for scanner := bufio.NewScanner(bytes.NewReader(out)); scanner.Scan(); {
		var e exchange
		if err := json.Unmarshal(scanner.Bytes(), &e); err != nil {
			t.Fatalf("line %q: %v", scanner.Text(), err)
		}
		exchanges = append(exchanges, e)
	}
	return exchanges, err
}

// count is how many of the exchanges have the method.
func count(exchanges []exchange, method string) int {
	n := 0
	for _, e := range exchanges {
		if e.Method == method {
			n++
		}
	}
	return n
}

func TestTusClient(t *testing.T) {
	t.Parallel()
	const size = 5*mib + 1
	path := content(t, size)
	for _, test := range []struct {
		name    string
		args    []string
		patches int
	}{
		{"one PATCH", nil, 1},
		{"chunks", []string{"--chunk-size", strconv.Itoa(mib)}, 6},
		{"all data with the creation", []string{"--data-at-creation"}, 0},
		{"first chunk with the creation", []string{"--data-at-creation", "--chunk-size", strconv.Itoa(2 * mib)}, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			const filename = "от клиента.bin"
			exchanges, err := tusUpload(t, s.url("/tus/"), path, filename, test.args...)
			if err != nil {
				t.Fatal(err)
			}
			if count(exchanges, "POST") != 1 || count(exchanges, "PATCH") != test.patches {
				t.Errorf("exchanges %+v, want 1 POST and %d PATCH", exchanges, test.patches)
			}
			sameFile(t, s.file(filename), path)
			last := exchanges[len(exchanges)-1]
			if err := download(s.url(last.ContentLocation), path); err != nil {
				t.Error(err)
			}
		})
	}
}

// The client goes on where the connection was cut: by itself, or when it is
// started again.
func TestTusResume(t *testing.T) {
	t.Parallel()
	const size, cutAfter = 20*mib + 1, 9*mib + 1234
	path := content(t, size)
	for _, test := range []struct {
		name    string
		resumes bool // by another run
		args    []string
	}{
		{"by itself", false, []string{"--retry", "--chunk-size", strconv.Itoa(4 * mib)}},
		{"by itself in one PATCH", false, []string{"--retry"}},
		{"by another run", true, []string{"--chunk-size", strconv.Itoa(4 * mib)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			endpoint := cutProxy(t, s.addr, cutAfter) + "/tus/"
			args := append(test.args, "--state", filepath.Join(folder(t), "state.json"))
			exchanges, err := tusUpload(t, endpoint, path, "resumed.bin", args...)
			if test.resumes {
				if err == nil {
					t.Fatal("the first run was not cut")
				}
				var more []exchange
				more, err = tusUpload(t, endpoint, path, "resumed.bin", args...)
				exchanges = append(exchanges, more...)
			}
			if err != nil {
				t.Fatal(err)
			}
			checkResumed(t, exchanges)
			sameFile(t, s.file("resumed.bin"), path)
		})
	}
}

// checkResumed fails the test unless the upload went on, rather than begin
// anew, where the server said after the cut.
func checkResumed(t testing.TB, exchanges []exchange) {
	t.Helper()
	if count(exchanges, "POST") != 1 || count(exchanges, "HEAD") != 1 {
		t.Fatalf("exchanges %+v, want 1 POST and 1 HEAD", exchanges)
	}
	for i, e := range exchanges {
		if e.Method != "HEAD" {
			continue
		}
		if next := exchanges[i+1]; e.Offset == 0 || next.Method != "PATCH" || next.From != e.Offset {
			t.Errorf("after %+v came %+v, want a PATCH from the offset, beyond 0", e, next)
		}
	}
}
