package local_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"sluice/internal/blocks"
	"sluice/storage"
	"sluice/storage/local"
	"sluice/storage/storagetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t testing.TB, opts local.Options) (*local.Store, *blocks.Pool) {
	t.Helper()
	pool := blocks.New(64 << 20)
	opts.Blocks = pool
	if opts.Root == "" {
		opts.Root = t.TempDir()
	}
	s, err := local.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if lent := pool.Stats().Lent; lent != 0 {
			t.Errorf("%d bytes of blocks were not given back", lent)
		}
		leftovers(t, opts.Root)
	})
	return s, pool
}

// leftovers fails for every file of a one-shot upload that is still there.
func leftovers(t testing.TB, root string) {
	t.Helper()
	for _, pattern := range []string{"*.part", "*.tmp"} {
		left, err := filepath.Glob(filepath.Join(root, ".sluice", "uploads", pattern))
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}

func TestBehaviour(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		opts local.Options
	}{
		{"auto", local.Options{}},
		{"buffered and sendfile", local.Options{IO: local.IOBuffered, Send: local.SendFile}},
		{"direct sends, one block", local.Options{Send: local.SendDirect, BlockSize: 64 << 10, BlocksPerTransfer: 1}},
		{"many blocks", local.Options{BlockSize: 1 << 20, BlocksPerTransfer: 5}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			storagetest.Run(t, func(t *testing.T) storage.Store {
				s, _ := open(t, test.opts)
				return s
			})
		})
	}
}

// A budget for one small block only: transfers take turns, none fails.
func TestSpentBudget(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, func(t *testing.T) storage.Store {
		s, err := local.Open(local.Options{Root: t.TempDir(), Blocks: blocks.New(64 << 10)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	})
}

func TestRestartRemovesLeftovers(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s, _ := open(t, local.Options{Root: root})
	name := storagetest.Name(t, "f")
	if _, err := s.Create(t.Context(), storage.UploadSpec{Name: name, Size: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	r, err := s.CreateResumable(t.Context(), storage.ResumableSpec{Name: name, Size: 3})
	if err != nil {
		t.Fatal(err)
	}
	again, _ := open(t, local.Options{Root: root})
	leftovers(t, root)
	if _, err := again.Resume(t.Context(), r.Info().ID); err != nil {
		t.Errorf("the resumable upload is gone: %v", err)
	}
}

// What another program has put under the root never blocks and never leads out.
func TestForeignFiles(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	s, _ := open(t, local.Options{Root: root})
	for link, target := range map[string]string{
		"link": outside, "dirlink": filepath.Dir(outside), "dangling": filepath.Join(root, "none"), "loop": "loop",
	} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"link", "dangling", "loop", "dirlink/secret", "fifo"} {
		if name == "fifo" {
			makeFIFO(t, filepath.Join(root, name))
		}
		if _, err := s.Open(t.Context(), storagetest.Name(t, name)); err == nil {
			t.Errorf("%s was opened", name)
		}
	}
	entries, _, err := s.List(t.Context(), storage.Name{}, 10)
	if err != nil || len(entries) != 0 {
		t.Errorf("listed %v, %v", entries, err)
	}
	// An upload replaces a link and leaves alone where it leads to.
	storagetest.Put(t, s, "link", []byte("mine"))
	if got, err := os.ReadFile(outside); err != nil || string(got) != "secret" {
		t.Errorf("the link's target now holds %q, %v", got, err)
	}
	if err := s.Check(storagetest.Name(t, "dirlink/new"), nil); err == nil {
		t.Error("an upload through a link that leads out would be taken")
	}
	up, err := s.Create(t.Context(), storage.UploadSpec{Name: storagetest.Name(t, "dirlink/new")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := up.Receive(t.Context(), strings.NewReader("")); err != nil {
		t.Fatal(err)
	}
	if _, err := up.Publish(t.Context()); err == nil {
		t.Error("an upload was published through a link that leads out")
	}
	if err := up.Abort(); err != nil {
		t.Error(err)
	}
}
