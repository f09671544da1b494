package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// sumsName is the file that sha256sum --check reads.
const sumsName = "SHA256SUMS"

// writeSums writes the sums of all files of a folder.
func writeSums(folder string) error {
	entries, err := os.ReadDir(folder) // in order
	if err != nil {
		return err
	}
	return create(filepath.Join(folder, sumsName), func(out io.Writer) error {
		for _, entry := range entries {
			if entry.Name() == sumsName {
				continue
			}
			content, err := os.ReadFile(filepath.Join(folder, entry.Name()))
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(out, "%x  %s\n", sha256.Sum256(content), entry.Name()); err != nil {
				return err
			}
		}
		return nil
	})
}
