package local_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/storage"
	"sluice/storage/local"
	"sluice/storage/storagetest"
)

// A crash while parts are being joined: the next call goes on, and the space is
// counted once.
func TestJoinAfterCrash(t *testing.T) {
	t.Parallel()
	for name, crash := range map[string]func(t *testing.T, uploads, whole string, parts []string){
		"before it began": func(*testing.T, string, string, []string) {},
		"with the first part taken over": func(t *testing.T, uploads, whole string, parts []string) {
			if err := os.Rename(filepath.Join(uploads, parts[0]), filepath.Join(uploads, whole)); err != nil {
				t.Fatal(err)
			}
		},
		"with that written down": func(t *testing.T, uploads, whole string, parts []string) {
			if err := os.Rename(filepath.Join(uploads, parts[0]), filepath.Join(uploads, whole)); err != nil {
				t.Fatal(err)
			}
			info := filepath.Join(uploads, whole+".info")
			text, err := os.ReadFile(filepath.Join(uploads, parts[0]+".info"))
			if err != nil {
				t.Fatal(err)
			}
			_, crc, _ := strings.Cut(string(text), `"crc64nvme":"`)
			crc, _, _ = strings.Cut(crc, `"`)
			edit(t, info, `"offset":0,"crc64nvme":"0"`, `"offset":3,"crc64nvme":"`+crc+`"`)
		},
		"with a step copied in part": func(t *testing.T, uploads, whole string, parts []string) {
			if err := os.Rename(filepath.Join(uploads, parts[0]), filepath.Join(uploads, whole)); err != nil {
				t.Fatal(err)
			}
			file, err := os.OpenFile(filepath.Join(uploads, whole), os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := file.WriteString("de"); err != nil {
				t.Fatal(err)
			}
			if err := file.Close(); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := local.Options{Root: t.TempDir(), Space: local.SpaceBounds{Quota: 1000}}
			s, _ := open(t, opts)
			spec := storage.ResumableSpec{Name: storagetest.Name(t, "f")}
			for _, content := range []string{"abc", "defg", "hi"} {
				r, err := s.CreateResumable(t.Context(), storage.ResumableSpec{Size: int64(len(content)), Part: true})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := r.Append(t.Context(), storage.Piece{}, strings.NewReader(content)); err != nil {
					t.Fatal(err)
				}
				spec.Parts = append(spec.Parts, r.Info().ID)
			}
			r, err := s.CreateResumable(t.Context(), spec)
			if err != nil {
				t.Fatal(err)
			}
			crash(t, filepath.Join(opts.Root, ".sluice", "uploads"), r.Info().ID, spec.Parts)

			again, _ := open(t, opts)
			if damaged := again.Damaged(); len(damaged) != 0 {
				t.Fatalf("set aside: %v", damaged)
			}
			if r, err = again.CreateResumable(t.Context(), spec); err != nil {
				t.Fatal(err)
			}
			published, err := r.Join(t.Context())
			if err != nil || published.Size != 9 || published.Digest.IsZero() {
				t.Fatalf("join: %+v, %v", published, err)
			}
			if got := storagetest.Get(t, again, "f"); string(got) != "abcdefghi" {
				t.Errorf("the file holds %q", got)
			}
			wantSpace(t, again, "joined", 9, 0)
			if same := storagetest.Put(t, again, "g", []byte("abcdefghi")); same.Digest != published.Digest {
				t.Errorf("digest %s, want %s", published.Digest, same.Digest)
			}
		})
	}
}
