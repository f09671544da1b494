package local_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"sluice/storage"
	"sluice/storage/local"
	"sluice/storage/storagetest"
)

// A digest is told only as long as the file is the one that the store took in.
func TestStamp(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s, _ := open(t, local.Options{Root: root})
	name := storagetest.Name(t, "f")
	path := filepath.Join(root, "f")
	info := func() storage.Info {
		t.Helper()
		object, err := s.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		defer object.Close()
		return object.Info()
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	published := storagetest.Put(t, s, "f", []byte("content"))
	stamped := info()
	if stamped.Digest != published.Digest || stamped.Digest.IsZero() {
		t.Fatalf("digest %q, published as %q", stamped.Digest, published.Digest)
	}

	check(os.Rename(path, path+"2"))
	check(os.Rename(path+"2", path))
	if got := info(); got != stamped {
		t.Errorf("renamed twice: %+v, was %+v", got, stamped)
	}
	for what, change := range map[string]func(){
		"written in place": func() { check(os.WriteFile(path, []byte("CONTENT"), 0o666)) },
		"grown":            func() { check(os.Truncate(path, 100)) },
		"touched":          func() { check(os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour))) },
		"stamped by another program": func() {
			check(unix.Setxattr(path, "user.sluice", []byte("1 zzz -1 4"), 0))
		},
		"stripped": func() { check(unix.Removexattr(path, "user.sluice")) },
	} {
		storagetest.Put(t, s, "f", []byte("content"))
		change()
		if got := info(); !got.Digest.IsZero() || got.Version == stamped.Version {
			t.Errorf("%s: digest %q, version %s", what, got.Digest, got.Version)
		}
	}
}
