package e2e_test

import (
	"os"
	"path/filepath"
	"testing"
)

// Each upload path reads the socket straight into the memory that is written
// to the disk, and asks for much at a time.
func TestStraightIntoTheBlock(t *testing.T) {
	t.Parallel()
	const size = 64 * mib
	data := read(t, content(t, size))
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			strace, err := tool("strace")
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(folder(t), "trace")
			s := launch(t, straceCommand(strace, path, suite.shipped), newRoot(t))
			u := w.begin(s, "straight.bin", size)
			for at := 0; at < size; at += mib {
				u.send(data[at : at+mib])
			}
			u.succeed()
			s.terminate()
			s.wait() // and with it for strace, which holds the log

			j := journeyOf(t, path)
			t.Log(j)
			if share := float64(j.straight) / size; share < 0.95 {
				t.Errorf("%.1f %% of the file were written from where the socket was read to, want at least 95 %%", 100*share)
			}
			if share := float64(j.large) / size; share < 0.9 {
				t.Errorf("%.1f %% of the file came by reads of %d bytes or more, want at least 90 %%", 100*share, largeRead)
			}
		})
	}
}

func journeyOf(t *testing.T, path string) journey {
	t.Helper()
	trace, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	j, err := analyze(trace)
	if err != nil {
		t.Fatal(err)
	}
	return j
}
