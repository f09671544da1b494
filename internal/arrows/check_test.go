package arrows_test

import (
	"fmt"
	"slices"
	"strings"
)

const module = "sluice"

// room is the place of one package of this module.
type room struct {
	path    string   // within the module
	imports []string // rooms that it may import
	tests   []string // rooms that only its tests may import
	leaf    bool     // of all other modules it may import leafLibraries alone
	reason  string
}

// library is a tree of packages that only some rooms and their tests may import.
type library struct {
	path   string
	rooms  []string
	reason string
}

// pkg is what go list tells of a package.
type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

// check returns a line for each import that breaks a rule and each package that has no room.
func check(rooms []room, libraries []library, pkgs []pkg) []string {
	var violations []string
	for _, p := range pkgs {
		path := strings.TrimPrefix(p.ImportPath, module+"/")
		at := slices.IndexFunc(rooms, func(r room) bool { return r.path == path })
		if at < 0 {
			violations = append(violations, path+" has no room in the table: place it on purpose.")
			continue
		}
		violations = append(violations, rooms[at].check(libraries, p)...)
	}
	return violations
}

func (r room) check(libraries []library, p pkg) []string {
	var violations []string
	judge := func(who string, imports, own, others []string) {
		for _, path := range imports {
			if reason := r.refuse(path, own, others, libraries); reason != "" {
				what := strings.TrimPrefix(path, module+"/")
				violations = append(violations, fmt.Sprintf("%s imports %s: %s", who, what, reason))
			}
		}
	}
	judge(r.path, p.Imports, r.imports, leafLibraries)
	own, others := slices.Concat(r.imports, r.tests, []string{r.path}), slices.Concat(leafLibraries, leafTestLibraries)
	judge("a test of "+r.path, slices.Concat(p.TestImports, p.XTestImports), own, others)
	return violations
}

// refuse is why the room may not import path, or empty: own is the rooms that it may import, others the modules
// that it may import as a leaf.
func (r room) refuse(path string, own, others []string, libraries []library) string {
	if inModule, ok := strings.CutPrefix(path, module+"/"); ok {
		if slices.Contains(own, inModule) {
			return ""
		}
		return r.reason
	}
	for _, l := range libraries {
		if below(path, l.path) && !slices.Contains(l.rooms, r.path) {
			return l.reason
		}
	}
	if r.leaf && !standard(path) && !slices.ContainsFunc(others, func(l string) bool { return below(path, l) }) {
		return "a leaf uses the standard library and little else."
	}
	return ""
}

// below tells whether path is tree or stands in it.
func below(path, tree string) bool {
	return path == tree || strings.HasPrefix(path, tree+"/")
}

// standard tells whether path is of the standard library: its first element is no host name.
func standard(path string) bool {
	host, _, _ := strings.Cut(path, "/")
	return !strings.Contains(host, ".")
}
