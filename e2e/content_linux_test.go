package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/minio/crc64nvme"
)

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
)

// chunk is how much content is held in memory at a time, in bytes.
const chunk = mib

// contents are the files that content has made.
var contents struct {
	sync.Mutex
	paths map[int64]string
}

// content is a file of size random bytes, always the same ones. It is made
// once and shared: nobody may change it.
func content(t testing.TB, size int64) string {
	t.Helper()
	contents.Lock()
	defer contents.Unlock()
	if path, ok := contents.paths[size]; ok {
		return path
	}
	path := filepath.Join(suite.scratch, fmt.Sprintf("content-%d", size))
	makeContent(t, path, size)
	if contents.paths == nil {
		contents.paths = make(map[int64]string)
	}
	contents.paths[size] = path
	return path
}

// makeContent writes a file of size random bytes that depend on nothing but
// size.
func makeContent(t testing.TB, path string, size int64) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	var seed [32]byte
	binary.BigEndian.PutUint64(seed[:], uint64(size))
	out := bufio.NewWriterSize(file, chunk)
	_, err = io.CopyN(out, rand.NewChaCha8(seed), size)
	if err := errors.Join(err, out.Flush(), file.Close()); err != nil {
		t.Fatal(err)
	}
}

// read is the whole of a small file.
func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// write makes a small file in a folder of the test's own.
func write(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(folder(t), name)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// compare reads both to their ends and tells where they differ.
func compare(got, want io.Reader) error {
	a, b := make([]byte, chunk), make([]byte, chunk)
	for at := int64(0); ; {
		n, errGot := io.ReadFull(got, a)
		m, errWant := io.ReadFull(want, b)
		if !bytes.Equal(a[:n], b[:m]) {
			return fmt.Errorf("content differs between byte %d and %d: %d bytes there, want %d", at, at+chunk, n, m)
		}
		at += int64(n)
		if err := errors.Join(ignoreEnd(errGot), ignoreEnd(errWant)); err != nil {
			return fmt.Errorf("read at byte %d: %w", at, err)
		}
		if errGot != nil || errWant != nil {
			return nil // equal lengths here, so both have ended
		}
	}
}

func ignoreEnd(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil
	}
	return err
}

// sameFile fails the test unless the file got holds what the file want does.
func sameFile(t testing.TB, got, want string) {
	t.Helper()
	a, err := os.Open(got)
	if err != nil {
		t.Error(err)
		return
	}
	defer a.Close()
	b, err := os.Open(want)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := compare(a, b); err != nil {
		t.Errorf("%s: %v", got, err)
	}
}

// download gets url by curl and compares the body with the file want as it
// arrives.
func download(url, want string, args ...string) error {
	file, err := os.Open(want)
	if err != nil {
		return err
	}
	defer file.Close()
	return downloadAs(url, file, args...)
}

// downloadRange gets n bytes at off by curl and compares them with the file
// want.
func downloadRange(url, want string, off, n int64) error {
	file, err := os.Open(want)
	if err != nil {
		return err
	}
	defer file.Close()
	asked := strconv.FormatInt(off, 10) + "-" + strconv.FormatInt(off+n-1, 10)
	return downloadAs(url, io.NewSectionReader(file, off, n), "--range", asked)
}

func downloadAs(url string, want io.Reader, args ...string) error {
	cmd, err := curlCommand(append(args, "--fail", url)...)
	if err != nil {
		return err
	}
	body, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	if err := cmd.Start(); err != nil {
		return err
	}
	different := compare(body, want)
	_ = body.Close() // a curl that has more to say must not wait
	if err := cmd.Wait(); err != nil && different == nil {
		different = fmt.Errorf("%w: %s", err, &complaint)
	}
	if different != nil {
		return fmt.Errorf("%s: %w", cmd, different)
	}
	return nil
}

// digestOf is the digest of a file as the server writes it.
func digestOf(t testing.TB, path string) string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	sum := crc64nvme.New()
	if _, err := io.Copy(sum, file); err != nil {
		t.Fatal(err)
	}
	return "crc64nvme=:" + base64.StdEncoding.EncodeToString(sum.Sum(nil)) + ":"
}
