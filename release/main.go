// Command release builds what is given to others: an archive for each system,
// with the program, its manual pages and completions, the examples and the
// documents; a bill of materials (CycloneDX) for each program; and the sums of
// all of these.
//
// The same sources, version and Go give the same bytes, whoever builds them and
// where: nothing of the time, the folder or the user goes in. A script of this
// size is lighter than goreleaser, whose other work (registries, announcements,
// packages of distributions) nobody does here.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// targets are the systems that releases are for.
var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

type target struct{ system, processor string }

func (t target) String() string { return t.system + "_" + t.processor }

// release is one run.
type release struct {
	source  string // the repository
	out     string // where all of it goes
	version string
	date    time.Time // of all files in archives
	env     []string  // beside the process' own
	targets []target
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("release", flag.ExitOnError)
	r := release{source: ".", targets: targets}
	flags.StringVar(&r.out, "out", "dist", "`folder` that it all goes to; what it holds is removed")
	flags.StringVar(&r.version, "version", "", "`version`; git's description of the commit where empty")
	only := flags.String("only", "", "`system_processor` to build for alone")
	again := flags.Bool("check", false, "build it all once more, in another folder and with nothing kept from before, and compare")
	_ = flags.Parse(args) // it exits
	if *only != "" {
		system, processor, _ := strings.Cut(*only, "_")
		r.targets = []target{{system, processor}}
	}
	var err error
	if r.date, err = commitDate(ctx); err != nil {
		return err
	}
	if r.version == "" {
		if r.version, err = output(ctx, "git", "describe", "--tags", "--always", "--dirty"); err != nil {
			return err
		}
	}
	if err := r.make(ctx); err != nil {
		return err
	}
	if *again {
		return r.check(ctx)
	}
	return nil
}

// commitDate is what SOURCE_DATE_EPOCH says, or the date of the commit.
func commitDate(ctx context.Context) (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		var err error
		if text, err = output(ctx, "git", "log", "-1", "--format=%ct"); err != nil {
			return time.Time{}, err
		}
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

func output(ctx context.Context, name string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, name, args...).Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// make builds everything.
func (r release) make(ctx context.Context) (err error) {
	if err := errors.Join(os.RemoveAll(r.out), os.MkdirAll(r.out, 0o777)); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "sluice-release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	common, err := r.common(ctx, scratch)
	if err != nil {
		return err
	}
	for _, t := range r.targets {
		if err := r.pack(ctx, t, scratch, common); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	return writeSums(r.out)
}

// pack builds, describes and packs the program for one system.
func (r release) pack(ctx context.Context, t target, scratch string, common []file) error {
	program := filepath.Join(scratch, t.String(), "sluice")
	if t.system == "windows" {
		program += ".exe"
	}
	if err := r.build(ctx, program, "GOOS="+t.system, "GOARCH="+t.processor); err != nil {
		return err
	}
	name := "sluice_" + r.version + "_" + t.String()
	if err := writeBill(filepath.Join(r.out, name+".cdx.json"), program, r.version); err != nil {
		return err
	}
	files := append([]file{{filepath.Base(program), program, 0o755}}, common...)
	write, ending := writeTar, ".tar.gz"
	if t.system == "windows" {
		write, ending = writeZip, ".zip"
	}
	return write(filepath.Join(r.out, name+ending), name, files, r.date)
}

// build compiles the program.
func (r release) build(ctx context.Context, program string, env ...string) error {
	return r.goCommand(ctx, append(env, "CGO_ENABLED=0"), "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -X main.version="+r.version, "-o", program, "./cmd/sluice")
}

func (r release) goCommand(ctx context.Context, env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = r.source
	cmd.Env = append(append(os.Environ(), r.env...), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", args[0], err, out)
	}
	return nil
}
