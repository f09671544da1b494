package e2e_test

import (
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"
)

const (
	// soakRounds and soakSeed are variables of the environment: how often the
	// server is killed, and what chance depends on.
	soakRounds = "SOAK_ROUNDS"
	soakSeed   = "SOAK_SEED"
	// longestRound bounds how long a server lives.
	longestRound = 1500 * time.Millisecond
)

// number is a variable of the environment, or otherwise.
func number(t testing.TB, name string, otherwise uint64) uint64 {
	t.Helper()
	text, ok := os.LookupEnv(name)
	if !ok {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// A server that is killed at any moment has lost nothing that it acknowledged
// when it starts again, and shows nothing that did not come whole. Each tus
// upload goes on from where it was.
func TestKilledUnderLoad(t *testing.T) {
	t.Parallel()
	rounds := number(t, soakRounds, 5)
	seed := number(t, soakSeed, uint64(time.Now().UnixNano()))
	t.Logf("%d rounds, %s=%d", rounds, soakSeed, seed)
	rnd := chance(seed, 0)
	root, l := newRoot(t), newLedger()
	for round := range rounds {
		t.Run(strconv.FormatUint(round, 10), func(t *testing.T) {
			durability := []string{"commit", "none", "every=1MiB"}[round%3]
			s := startIn(t, root, "--durability", durability)
			l.check(s)
			m := runMixed(s, l, seed+round)
			time.Sleep(time.Duration(rnd.Int64N(int64(longestRound))))
			s.kill()
			m.wait()
			t.Logf("killed after %d contents with durability %s", m.made.Load(), durability)
		})
	}
	l.check(startIn(t, root))
}

// kill ends the server without a warning.
func (s *server) kill() {
	s.t.Helper()
	s.forced = true
	if err := s.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		s.t.Error(err)
	}
	s.wait()
}

// A server that is asked to stop under load and started again has lost nothing
// either, and leaves nothing to be cleaned up.
func TestStoppedUnderLoad(t *testing.T) {
	t.Parallel()
	seed := number(t, soakSeed, uint64(time.Now().UnixNano()))
	t.Logf("%s=%d", soakSeed, seed)
	rnd := chance(seed, 0)
	root, l := newRoot(t), newLedger()
	for round, grace := range []string{"0s", "300ms", "10s"} {
		t.Run("grace "+grace, func(t *testing.T) {
			s := startIn(t, root, "--shutdown-grace", grace, "--keep-alive-timeout", "10m")
			l.check(s)
			idle := idleConnection(t, s)
			m := runMixed(s, l, seed+uint64(round))
			time.Sleep(time.Duration(rnd.Int64N(int64(longestRound))))
			m.ending.Store(true)
			s.terminate()
			if code := s.wait(); code != 0 {
				t.Errorf("exit code %d, want 0", code)
			}
			m.wait()
			idle.rest()
			if left := s.temporary(); len(left) > 0 {
				t.Errorf("the server has left %q", left)
			}
		})
	}
	l.check(startIn(t, root))
}
