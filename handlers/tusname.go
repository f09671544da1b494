package handlers

import (
	"strings"

	"sluice/storage"
)

// tusName is what the metadata of an upload says its file is to be called; the
// zero Name where it says nothing.
//
// "relativePath" is the whole path of a file out of a folder that was dropped on
// a page, and counts where it is there; widgets send "null" for a single file.
// "filename" is the name alone, which "path" puts into a folder.
func tusName(metadata map[string]string) (storage.Name, error) {
	if whole := strings.TrimPrefix(metadata["relativePath"], "/"); whole != "" && whole != "null" {
		return storage.ParseName(whole)
	}
	if metadata["filename"] == "" {
		return storage.Name{}, nil
	}
	base, err := storage.ParseFileName(metadata["filename"])
	if err != nil {
		return storage.Name{}, err
	}
	folder, err := storage.ParseName(strings.TrimPrefix(metadata["path"], "/"))
	if err != nil {
		return storage.Name{}, err
	}
	return folder.Join(base)
}
