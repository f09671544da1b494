package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
)

// forgetPeak lets the peak of a server's memory begin anew, so that it is that of
// the series: proc_pid_clear_refs(5).
func forgetPeak(s *server) error {
	var faults []error
	for _, pid := range s.pids {
		faults = append(faults, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5\n"), 0))
	}
	return errors.Join(faults...)
}

// writeRandom makes a file of random bytes.
func writeRandom(name string, size int64) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = io.CopyN(file, rand.NewChaCha8([32]byte{}), size)
	return errors.Join(err, file.Sync(), file.Close())
}
