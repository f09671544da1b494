package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// here makes a release for this machine.
func here(t *testing.T) release {
	t.Helper()
	r := release{
		source: "..", out: t.TempDir(), version: "v1.2.3", date: time.Unix(1_700_000_000, 0).UTC(),
		targets: []target{{runtime.GOOS, runtime.GOARCH}},
	}
	if err := r.make(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// Made twice, a release is the same to the byte, and holds what it should.
func TestRelease(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("reads the archive of other systems")
	}
	r := here(t)
	if err := sameSums(r.out, here(t).out); err != nil {
		t.Error(err)
	}
	name := filepath.Join(r.out, "sluice_v1.2.3_"+r.targets[0].String())
	names := unpack(t, name+".tar.gz", r.date)
	for _, want := range []string{
		"sluice", "README.md", "CHANGELOG.md", "docs/OPERATIONS.md", "man/man1/sluice.1", "man/man1/sluice-serve.1",
		"completions/sluice.bash", "completions/sluice.zsh", "completions/sluice.fish", "completions/sluice.powershell",
		"deploy/nginx/sluice.conf", "deploy/systemd/sluice.service",
	} {
		if !slices.Contains(names, filepath.Base(name)+"/"+want) {
			t.Errorf("the archive lacks %s: %q", want, names)
		}
	}
	bill := cdx.NewBOM()
	text, err := os.Open(name + ".cdx.json")
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	if err := cdx.NewBOMDecoder(text, cdx.BOMFileFormatJSON).Decode(bill); err != nil {
		t.Fatal(err)
	}
	has := func(path string) bool {
		return slices.ContainsFunc(*bill.Components, func(c cdx.Component) bool { return c.Name == path && c.Version != "" })
	}
	if !has("github.com/gofiber/fiber/v2") || !has("std") || has("github.com/Shopify/toxiproxy/v2") || bill.Metadata.Component.Version != "v1.2.3" {
		t.Errorf("the bill is of %+v with %+v", bill.Metadata.Component, bill.Components)
	}
	sums := exec.Command("sha256sum", "--check", "--strict", sumsName)
	sums.Dir = r.out
	if out, err := sums.CombinedOutput(); err != nil || bytes.Count(out, []byte("OK")) != 2 {
		t.Errorf("%v\n%s", err, out)
	}
}

// unpack lists an archive, whose program has to run and tell its version.
func unpack(t *testing.T, path string, date time.Time) []string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	compressed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for archive := tar.NewReader(compressed); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, header.Name)
		if !header.ModTime.Equal(date) || header.Uid != 0 {
			t.Errorf("%s is of %s and user %d", header.Name, header.ModTime, header.Uid)
		}
		if !strings.HasSuffix(header.Name, "/sluice") {
			continue
		}
		program := filepath.Join(t.TempDir(), "sluice")
		content, err := io.ReadAll(archive)
		if err := errors.Join(err, os.WriteFile(program, content, header.FileInfo().Mode())); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(program, "version").CombinedOutput(); err != nil || !bytes.HasPrefix(out, []byte("sluice v1.2.3 ")) {
			t.Errorf("the program says %s, %v", out, err)
		}
	}
}

func TestZip(t *testing.T) {
	t.Parallel()
	date := time.Unix(1_700_000_000, 0).UTC()
	content := filepath.Join(t.TempDir(), "content")
	if err := os.WriteFile(content, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.zip")
	if err := writeZip(path, "folder", []file{{"sub/name.exe", content, 0o755}}, date); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	f := archive.File[0]
	if f.Name != "folder/sub/name.exe" || f.Mode() != 0o755 || !f.Modified.Equal(date) {
		t.Errorf("the file is %+v", f.FileHeader)
	}
	in, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if got, err := io.ReadAll(in); string(got) != "content" || err != nil {
		t.Errorf("the content is %q, %v", got, err)
	}
}
