package e2e_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// image is what the Dockerfile makes.
type image struct {
	root       string   // folder that holds its files
	env        []string // NAME=value
	volumes    []string
	user       string
	entrypoint []string
	cmd        []string
	health     []string
}

// instruction is one of a Dockerfile.
type instruction struct{ name, rest string }

// instructions reads a Dockerfile. Comments are lines of their own there.
func instructions(text string) []instruction {
	text = regexp.MustCompile(`(?m)^\s*#.*\n`).ReplaceAllString(text, "")
	text = regexp.MustCompile(`\\\n\s*`).ReplaceAllString(text, "")
	var list []instruction
	for line := range strings.Lines(text) {
		if name, rest, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			list = append(list, instruction{name, strings.TrimSpace(rest)})
		}
	}
	return list
}

// builder does what the instructions say, one by one, with this machine for the
// base of each stage.
type builder struct {
	t      *testing.T
	stages map[string]*stage
	stage  *stage
	args   map[string]string
	image  image
}

// stage is a folder that stands for the root of one.
type stage struct {
	root    string
	workdir string
	paths   []string // what stands in it, as its instructions name it
}

// buildImage builds the Dockerfile's image from what it takes of this repository.
func buildImage(t *testing.T) image {
	t.Helper()
	b := &builder{t: t, stages: make(map[string]*stage), args: make(map[string]string)}
	for _, in := range instructions(string(read(t, "../Dockerfile"))) {
		b.do(in)
	}
	b.image.root = b.stage.root
	return b.image
}

func (b *builder) do(in instruction) {
	b.t.Helper()
	rest := os.Expand(in.rest, func(name string) string { return b.args[name] })
	switch in.name {
	case "FROM":
		b.stage = &stage{root: folder(b.t), workdir: "/"}
		if err := os.Chmod(b.stage.root, 0o755); err != nil {
			b.t.Fatal(err)
		}
		base, name, _ := strings.Cut(rest, " AS ")
		if name != "" {
			b.stages[name] = b.stage
		}
		if base != "scratch" && !pinned.MatchString(base) {
			b.t.Errorf("the base %s isn't pinned", base)
		}
	case "ARG":
		name, value, _ := strings.Cut(rest, "=")
		b.args[name] = value
	case "WORKDIR":
		b.stage.workdir = rest
		b.stage.paths = append(b.stage.paths, rest)
	case "COPY":
		b.copy(strings.Fields(rest))
	case "RUN":
		b.run(in.rest)
	case "ENV":
		b.image.env = append(b.image.env, regexp.MustCompile(`\s+`).Split(rest, -1)...)
	case "VOLUME":
		b.image.volumes = append(b.image.volumes, rest)
	case "USER":
		b.image.user = rest
	case "ENTRYPOINT":
		b.image.entrypoint = b.list(rest)
	case "CMD":
		b.image.cmd = b.list(rest)
	case "HEALTHCHECK":
		_, command, _ := strings.Cut(rest, "CMD ")
		b.image.health = b.list(command)
	case "LABEL", "EXPOSE", "STOPSIGNAL":
	default:
		b.t.Fatalf("the test doesn't know %s", in.name)
	}
}

// pinned are bases with a version to the last number.
var pinned = regexp.MustCompile(`^[a-z/]+:\d+\.\d+\.\d+-[a-z]+(@sha256:[0-9a-f]{64})?$`)

func (b *builder) list(text string) []string {
	b.t.Helper()
	var list []string
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		b.t.Fatalf("%s is no list: %v", text, err)
	}
	return list
}

// copy takes what is to be copied from the repository or another stage.
func (b *builder) copy(words []string) {
	b.t.Helper()
	from, owner := "", ""
	for strings.HasPrefix(words[0], "--") {
		name, value, _ := strings.Cut(words[0], "=")
		switch name {
		case "--from":
			from = value
		case "--chown":
			owner = value
		default:
			b.t.Fatalf("the test doesn't know COPY %s", name)
		}
		words = words[1:]
	}
	last := len(words) - 1
	target := b.stage.at(words[last])
	if strings.HasSuffix(words[last], "/") || last > 1 {
		target += "/"
	}
	for _, source := range words[:last] {
		if from == "" {
			b.copyRepository(source, target)
			continue
		}
		path := b.stages[from].at(source)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			path = source // the base brings it, and this machine is the base
		}
		info, err := os.Stat(path)
		if err != nil {
			b.t.Fatal(err)
		}
		b.place(path, target, owner, info.IsDir())
	}
}

// copyRepository copies what .dockerignore leaves of a file or folder.
func (b *builder) copyRepository(source, target string) {
	b.t.Helper()
	ignored := strings.Fields(string(read(b.t, "../.dockerignore")))
	top := filepath.Join("..", source)
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel("..", path) // both are relative
		for _, pattern := range ignored {
			anywhere, base := strings.CutPrefix(pattern, "**/")
			match, err := filepath.Match(anywhere, entry.Name())
			switch {
			case err != nil:
				return err
			case !(base && match) && pattern != name:
			case entry.IsDir():
				return fs.SkipDir
			default:
				return nil
			}
		}
		if entry.IsDir() {
			return nil
		}
		to := target
		if inside, err := filepath.Rel(top, path); err == nil && inside != "." {
			to = filepath.Join(target, inside)
		}
		b.place(path, to, "", false)
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

// place copies a file, or the content of a folder, as cp does.
func (b *builder) place(from, to, owner string, content bool) {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if content {
		from += "/."
	}
	before, _ := os.ReadDir(to) // it may not be there
	do(b.t, "cp", "-RL", "--", from, to)
	if owner == "" {
		return
	}
	after, err := os.ReadDir(to)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, entry := range after {
		if !slices.ContainsFunc(before, func(e fs.DirEntry) bool { return e.Name() == entry.Name() }) {
			do(b.t, "chown", "-R", owner, filepath.Join(to, entry.Name()))
		}
	}
}

// at is where a path of the stage is here.
func (s *stage) at(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.workdir, path)
	}
	return filepath.Join(s.root, path)
}

// run runs a command of the stage, with the folders that instructions name where
// they are here.
func (b *builder) run(command string) {
	b.t.Helper()
	for _, path := range append(b.stage.paths, "/out") {
		command = regexp.MustCompile(`(^|[\s="'])`+regexp.QuoteMeta(path)+`(/|\s|$)`).ReplaceAllString(command, "${1}"+b.stage.at(path)+"${2}")
	}
	cmd := exec.Command("/bin/sh", "-ec", command)
	cmd.Dir = b.stage.at(b.stage.workdir)
	cmd.Env = os.Environ()
	for name, value := range b.args {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Fatalf("RUN %s: %v\n%s", command, err, out)
	}
}

// ids are the numbers of USER.
func (i image) ids(t *testing.T) (uid, gid int) {
	t.Helper()
	if _, err := fmt.Sscanf(i.user, "%d:%d", &uid, &gid); err != nil || uid == 0 || gid == 0 {
		t.Fatalf("USER is %s (%v), want numbers that aren't root's", i.user, err)
	}
	return uid, gid
}

// start runs the image's program in it, as its user, with nothing to write to but
// its volumes.
func (i image) start(t *testing.T, flags ...string) (s *server, inside func(command []string, env ...string) *exec.Cmd) {
	t.Helper()
	uid, gid := i.ids(t)
	jail := bindReadOnly(t, i.root, i.volumes)
	inside = func(command []string, env ...string) *exec.Cmd {
		cmd := toolCommand(t, "chroot", append([]string{"--userspec=" + strconv.Itoa(uid) + ":" + strconv.Itoa(gid), jail}, command...)...)
		cmd.Env = append(slices.Clone(i.env), env...)
		return cmd
	}
	if !slices.Equal(i.cmd, []string{"serve"}) {
		t.Fatalf("CMD is %q", i.cmd)
	}
	command := inside(i.entrypoint)
	s = launchWith(t, func(cmd *exec.Cmd) { cmd.Env = command.Env }, command.Args, i.volumes[0], flags...)
	s.root = filepath.Join(jail, i.volumes[0])
	return s, inside
}
