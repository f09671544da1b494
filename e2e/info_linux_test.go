package e2e_test

import (
	"slices"
	"testing"
)

// serverInfo is what a server tells of itself.
type serverInfo struct {
	Name, Version, Base string
	Limits              struct {
		UploadSize int64 `json:"upload_size"`
		FormParts  int   `json:"form_parts"`
	}
	Protocols, Digests []string
	OnConflict         string `json:"on_conflict"`
	Free               *int64
	You                struct {
		Name   *string
		Scopes []string
	}
}

func TestInfo(t *testing.T) {
	t.Parallel()
	s := start(t, "--max-upload-size", "2GB", "--quota", "1GB", "--on-conflict", "rename", "--base-path", "/up")
	var info serverInfo
	a := curl(t, s.url("/up/api/v1/info")).want(t, 200)
	a.decode(t, &info)
	if info.Name != "sluice" || info.Version == "" || info.Base != "/up" || info.Limits.UploadSize != 2e9 || info.Limits.FormParts != 1000 || info.OnConflict != "rename" {
		t.Errorf("info is %s", a.body)
	}
	if !slices.Contains(info.Protocols, "tus") || slices.Contains(info.Protocols, "ietf") || !slices.Contains(info.Digests, "crc64nvme") {
		t.Errorf("info is %s", a.body)
	}
	if info.Free == nil || *info.Free != 1e9 {
		t.Errorf("info tells no or a wrong quota: %s", a.body)
	}
	curlWith(t, nil, "-X", "PUT", "-d", "12345", s.url("/up/files/f")).want(t, 201)
	curl(t, s.url("/up/api/v1/info")).want(t, 200).decode(t, &info)
	if *info.Free != 1e9-5 {
		t.Errorf("%d bytes are free, want those of the quota without the file's", *info.Free)
	}
}
