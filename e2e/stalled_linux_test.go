package e2e_test

import "testing"

// Clients that ask for much and take nothing hold on to the memory that they
// have been given. Others go on with what is left for them.
func TestStalledDownloadsStarveNobody(t *testing.T) {
	t.Parallel()
	const stalled, budget = 44, 16 * mib
	s := start(t, "--idle-timeout", "10m", "--send", "direct", "--buffer-memory", "16MiB")
	large, small := content(t, 64*mib), content(t, mib)
	curl(t, "-T", large, s.fileURL("large")).want(t, 201)
	for range stalled {
		dial(t, s).send(requestHead("GET", "/files/large"))
	}
	eventually(t, "the stalled ones hold what they may", func() bool {
		m := s.scrape()
		return m.sum(inFlight, "protocol=get") == stalled && m.sum(bufferBytes) >= budget*3/4
	})
	for range 3 {
		curl(t, "-m", "20", "-T", small, s.fileURL("small")).want(t, 200, 201)
		curl(t, "-m", "20", "-r", "0-2000000", s.fileURL("large")).want(t, 206)
	}
	sameFile(t, s.file("small"), small)
	s.forced = true // nobody waits for them to take the rest
	_ = s.cmd.Process.Kill()
}

// Many clients that take a file out of the page cache cost no more memory than a
// few, also where they take it slowly.
func TestStalledDownloadsOfCachedFile(t *testing.T) {
	t.Parallel()
	const stalled = 60
	s := startShipped(t, "--idle-timeout", "10m")
	path := content(t, 32*mib)
	curl(t, "-T", path, s.fileURL("large")).want(t, 201)
	sameFile(t, s.file("large"), path) // which reads it into the page cache
	for range stalled {
		dial(t, s).send(requestHead("GET", "/files/large"))
	}
	eventually(t, "all are being served", func() bool {
		return s.scrape().sum(inFlight, "protocol=get") == stalled
	})
	if err := download(s.fileURL("large"), path); err != nil {
		t.Error(err)
	}
	s.staysBelow(160 * mib)
	s.forced = true // nobody waits for them to take the rest
	_ = s.cmd.Process.Kill()
}
