package e2e_test

import (
	"os"
	"strconv"
	"testing"
)

// Forms spill nothing into the folder for temporary files, which may be small
// or in memory, whatever becomes of them.
//
// https://github.com/valyala/fasthttp/pull/1441
// https://github.com/golang/go/issues/20253
// https://github.com/mostlygeek/llama-swap/issues/937
func TestFormsLeaveNoTemporaryFiles(t *testing.T) {
	t.Parallel()
	const size, limit, times = 10 * mib, 15 * mib, 3
	good, over := content(t, size), content(t, limit+2*mib)
	temporary := mountTmpfs(t, "size=64k")
	s := launch(t, []string{"/usr/bin/env", "TMPDIR=" + temporary.dir, suite.race}, newRoot(t), "--max-upload-size", strconv.Itoa(limit))
	want := s.scrape().endings("form")
	for i := range times {
		curl(t, "-F", "file=@"+good+";filename="+strconv.Itoa(i), s.url("/files/")).want(t, 200)
		curl(t, "-F", "wrong=@"+good+";filename=wrong"+strconv.Itoa(i), s.url("/files/")).want(t, 200)
		curl(t, "-F", "file=@"+over+";filename=over", s.url("/files/")).want(t, 413)
		curl(t, "-H", chunked, "-F", "file=@"+over+";filename=over", s.url("/files/")).want(t, 413)
		curl(t, "-F", "file=@"+good+";filename=..", s.url("/files/")).want(t, 400)
		u := wayForm.beginHalf(s, "aborted", make([]byte, mib))
		u.peer.rst()
		want.aborted++
	}
	want.ok += 2 * times
	want.refused += times
	s.ends("form", want)
	if got := s.stored(); len(got) != 2*times {
		t.Errorf("the disk holds %q", got)
	}
	if left, err := os.ReadDir(temporary.dir); len(left) > 0 || err != nil {
		t.Errorf("the folder for temporary files holds %v (%v)", left, err)
	}
}
