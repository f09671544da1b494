package arrows_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestArrows checks the packages of this module.
func TestArrows(t *testing.T) {
	t.Parallel()
	for _, system := range []string{"linux", "darwin", "windows"} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			for _, violation := range check(rooms, libraries, listPackages(t, system)) {
				t.Error(violation)
			}
		})
	}
}

// listPackages asks the go command for the packages of this module as they are built for a system. What does
// not build (-e) is the compiler's to tell.
func listPackages(t *testing.T, system string) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports", module+"/...")
	cmd.Env = append(os.Environ(), "GOOS="+system)
	out, err := cmd.Output()
	if err != nil {
		if failed, ok := errors.AsType[*exec.ExitError](err); ok {
			t.Fatalf("go list: %v\n%s", err, failed.Stderr)
		}
		t.Fatalf("go list: %v", err)
	}
	var pkgs []pkg
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		pkgs = append(pkgs, p)
	}
}

// TestCheck shows that each kind of rule can fail, on packages that do not exist.
func TestCheck(t *testing.T) {
	t.Parallel()
	rooms := []room{
		{path: "cmd", imports: []string{"store"}, reason: "the command wires."},
		{path: "store", tests: []string{"storetest"}, leaf: true, reason: "the store stands alone."},
		{path: "storetest", imports: []string{"store"}, reason: "the suite runs on any store."},
	}
	libraries := []library{
		{"example.org/web", []string{"cmd"}, "the web stays at the edge."},
		{"net/http", []string{"cmd"}, "the store knows no protocol."},
	}
	tests := []struct {
		name string
		pkg  pkg
		want string // part of the one violation; empty for none
	}{
		{"allowed arrow", pkg{ImportPath: "sluice/cmd", Imports: []string{"fmt", "sluice/store"}}, ""},
		{"wrong arrow", pkg{ImportPath: "sluice/store", Imports: []string{"sluice/cmd"}},
			"store imports cmd: the store stands alone."},
		{"arrow for tests only, in a test", pkg{ImportPath: "sluice/store", TestImports: []string{"sluice/storetest"}}, ""},
		{"arrow for tests only, in the package", pkg{ImportPath: "sluice/store", Imports: []string{"sluice/storetest"}},
			"store imports storetest: the store stands alone."},
		{"wrong arrow in a test", pkg{ImportPath: "sluice/store", TestImports: []string{"sluice/cmd"}},
			"a test of store imports cmd: the store stands alone."},
		{"wrong arrow in an external test", pkg{ImportPath: "sluice/store", XTestImports: []string{"sluice/cmd"}},
			"a test of store imports cmd: the store stands alone."},
		{"external test of the package itself", pkg{ImportPath: "sluice/store", XTestImports: []string{"sluice/store"}}, ""},
		{"package without a room", pkg{ImportPath: "sluice/attic"},
			"attic has no room in the table"},
		{"library in its room", pkg{ImportPath: "sluice/cmd", Imports: []string{"example.org/web/router"}}, ""},
		{"library in another room", pkg{ImportPath: "sluice/storetest", Imports: []string{"example.org/web/router"}},
			"storetest imports example.org/web/router: the web stays at the edge."},
		{"library with a like name", pkg{ImportPath: "sluice/storetest", Imports: []string{"example.org/website"}}, ""},
		{"library of the standard library", pkg{ImportPath: "sluice/store", XTestImports: []string{"net/http/httptest"}},
			"a test of store imports net/http/httptest: the store knows no protocol."},
		{"leaf with an allowed library", pkg{ImportPath: "sluice/store", Imports: []string{"golang.org/x/sys/unix"}}, ""},
		{"leaf with another library", pkg{ImportPath: "sluice/store", Imports: []string{"example.org/json"}},
			"store imports example.org/json: a leaf"},
		{"leaf whose test finds leaks", pkg{ImportPath: "sluice/store", XTestImports: []string{"go.uber.org/goleak"}}, ""},
		{"leaf that finds leaks", pkg{ImportPath: "sluice/store", Imports: []string{"go.uber.org/goleak"}},
			"store imports go.uber.org/goleak: a leaf"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := check(rooms, libraries, []pkg{test.pkg})
			switch {
			case test.want == "" && len(got) > 0:
				t.Errorf("got %q, want none", got)
			case test.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], test.want)):
				t.Errorf("got %q, want one that begins with %q", got, test.want)
			}
		})
	}
}
