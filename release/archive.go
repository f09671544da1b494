package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"time"
)

// writeTar packs files into folder, all of one date and nobody's.
func writeTar(path, folder string, files []file, date time.Time) error {
	return create(path, func(out io.Writer) error {
		compressed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
		if err != nil {
			return err
		}
		archive := tar.NewWriter(compressed)
		for _, f := range files {
			if err := addToTar(archive, folder, f, date); err != nil {
				return err
			}
		}
		return errors.Join(archive.Close(), compressed.Close())
	})
}

func addToTar(archive *tar.Writer, folder string, f file, date time.Time) error {
	content, err := os.ReadFile(f.path)
	if err != nil {
		return err
	}
	header := &tar.Header{
		Typeflag: tar.TypeReg, Name: folder + "/" + f.name, Size: int64(len(content)), Mode: int64(f.mode), ModTime: date,
		Uname: "root", Gname: "root", Format: tar.FormatPAX,
	}
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err = archive.Write(content)
	return err
}

// writeZip is writeTar for systems that have no tar.
func writeZip(path, folder string, files []file, date time.Time) error {
	return create(path, func(out io.Writer) error {
		archive := zip.NewWriter(out)
		for _, f := range files {
			content, err := os.ReadFile(f.path)
			if err != nil {
				return err
			}
			header := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: date}
			header.SetMode(f.mode)
			entry, err := archive.CreateHeader(header)
			if err != nil {
				return err
			}
			if _, err := entry.Write(content); err != nil {
				return err
			}
		}
		return archive.Close()
	})
}

// create makes a file of what write writes.
func create(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}
