package loadtest

import (
	"errors"
	"os"
	"path"
	"path/filepath"

	"sluice/loadtest/record"
)

// syncStored makes the file of a job durable that a server of this machine has
// stored in a folder, and its place there, as a server would that answers no
// earlier.
func syncStored(j *job, folder string) error {
	for _, name := range []string{filepath.Join(folder, path.Base(j.url().Path)), folder} {
		file, err := os.Open(name)
		if err == nil {
			err = errors.Join(file.Sync(), file.Close())
		}
		if err != nil {
			return failure(record.KindSync, err, "sync %s", name)
		}
	}
	return nil
}
