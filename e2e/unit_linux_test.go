package e2e_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// exposure is what systemd may find at most of what a service is let do, in
// tenths; 100 is everything.
const exposure = 20

// units copies the units to a folder, with the program where it is here.
func units(t *testing.T) (service, socket string) {
	t.Helper()
	dir := folder(t)
	copied := func(name string) string {
		text := strings.ReplaceAll(string(read(t, filepath.Join("../deploy/systemd", name))), "/usr/local/bin/sluice", suite.shipped)
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return copied("sluice.service"), copied("sluice.socket")
}

// systemd takes the units without a word, and finds little that the service could
// do beyond its work.
func TestSystemdUnits(t *testing.T) {
	t.Parallel()
	service, socket := units(t)
	out, err := toolCommand(t, "systemd-analyze", "verify", "--man=no", service, socket).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
	out, err = toolCommand(t, "systemd-analyze", "security", "--no-pager", "--offline=yes", "--threshold="+strconv.Itoa(exposure), service).CombinedOutput()
	if err != nil {
		t.Errorf("systemd-analyze security: %v\n%s", err, out)
	}
	t.Logf("%s", regexp.MustCompile(`Overall exposure.*`).Find(out))
}

// doneWithout are system calls that the unit's filter doesn't let pass, and that
// the server does without: raising a limit that the unit has set.
var doneWithout = []string{"prlimit64", "setrlimit"}

// cachestat asks for what the page cache holds. systemd and strace of this age
// don't know it, and the server reads past the cache where it is refused.
var cachestat = fmt.Sprintf("syscall_%#x", unix.SYS_CACHESTAT)

// The filter of the unit lets all pass that the server needs, in each way in and
// out.
func TestSystemCallFilter(t *testing.T) {
	t.Parallel()
	service, _ := units(t)
	allowed := filtered(t, string(read(t, service)))
	path := filepath.Join(folder(t), "calls")
	strace, err := tool("strace")
	if err != nil {
		t.Fatal(err)
	}
	s := launch(t, []string{strace, "-D", "-f", "-qq", "-o", path, "-e", "signal=none", "-e", "inject=" + strings.Join(doneWithout, ",") + ":error=EPERM",
		suite.shipped}, newRoot(t), "--on-conflict", "overwrite")
	s.sendByEachWay(content(t, 3*mib))
	for _, name := range s.stored() {
		curl(t, s.fileURL(name)).want(t, 200)
		curl(t, "-r", "100000-", s.fileURL(name)).want(t, 206)
	}
	curl(t, s.url("/files/?archive=zip")).want(t, 200)
	curl(t, s.url("/files/")).want(t, 200)
	for _, name := range s.stored() {
		curl(t, "-X", "DELETE", s.fileURL(name)).want(t, 204)
	}
	if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Error(err)
	}
	s.terminate()
	s.wait()
	var calls []string
	for line := range bytes.Lines(read(t, path)) {
		if match := callName.FindSubmatch(line); match != nil && !bytes.Contains(line, []byte("(INJECTED)")) {
			calls = append(calls, string(match[1]))
		}
	}
	slices.Sort(calls)
	calls = slices.Compact(calls)
	if len(calls) < 20 || !slices.Contains(calls, "renameat2") {
		t.Fatalf("the trace holds only %q", calls)
	}
	for _, call := range calls {
		if !allowed[call] && call != cachestat {
			t.Errorf("the filter refuses %s", call)
		}
	}
}

var callName = regexp.MustCompile(`^\d+ +(\w+)\(`)

// filtered are the system calls that the lines SystemCallFilter= of a unit let
// pass.
func filtered(t *testing.T, unit string) map[string]bool {
	t.Helper()
	allowed := make(map[string]bool)
	for line := range strings.Lines(unit) {
		list, ok := strings.CutPrefix(strings.TrimSpace(line), "SystemCallFilter=")
		if !ok {
			continue
		}
		list, deny := strings.CutPrefix(list, "~")
		for name := range strings.FieldsSeq(list) {
			for _, call := range systemCalls(t, name) {
				allowed[call] = !deny
			}
		}
	}
	return allowed
}

// systemCalls are those of a group of systemd's, whose members may be groups.
func systemCalls(t *testing.T, name string) []string {
	t.Helper()
	if !strings.HasPrefix(name, "@") {
		return []string{name}
	}
	out, err := toolCommand(t, "systemd-analyze", "syscall-filter", "--no-pager", name).Output()
	if err != nil {
		t.Fatalf("systemd-analyze syscall-filter %s: %v", name, err)
	}
	var calls []string
	for line := range strings.Lines(string(out)) {
		if member := strings.TrimSpace(line); member != "" && member != name && !strings.HasPrefix(member, "#") {
			calls = append(calls, systemCalls(t, member)...)
		}
	}
	return calls
}
