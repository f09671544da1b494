package auth

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

const (
	// maxTokens and maxTokenFile bound the file of tokens, the latter in bytes.
	maxTokens    = 10000
	maxTokenFile = 8 << 20
)

// Errors of changes to the file of tokens.
var (
	// ErrTokenExists: there is a token of this name.
	ErrTokenExists = errors.New("there is a token of this name")
	// ErrNoToken: there is none.
	ErrNoToken = errors.New("there is no token of this name")
)

// tokenFile is what the file holds, as JSON.
type tokenFile struct {
	Tokens []Token `json:"tokens"`
}

// ReadTokens reads the file of tokens. It has to be there and right to the last
// token: what can't be read might be what should be denied.
func ReadTokens(path string) ([]Token, error) {
	data, err := readBounded(path, maxTokenFile)
	if err != nil {
		return nil, fmt.Errorf("read tokens: %w", err)
	}
	tokens, err := parseTokens(data)
	if err != nil {
		return nil, fmt.Errorf("read tokens of %s: %w", path, err)
	}
	return tokens, nil
}

// readBounded reads a file of at most limit bytes.
func readBounded(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%s has more than %d bytes", path, limit)
	}
	return data, nil
}

func parseTokens(data []byte) ([]Token, error) {
	var file tokenFile
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("%w: something stands behind the list", errToken)
	}
	if len(file.Tokens) > maxTokens {
		return nil, fmt.Errorf("%w: more than %d", errToken, maxTokens)
	}
	names, hashes := make(map[string]bool), make(map[Hash]bool)
	for _, t := range file.Tokens {
		if err := t.check(); err != nil {
			return nil, err
		}
		if names[t.Name] || hashes[t.Hash] {
			return nil, fmt.Errorf("%w: %s stands there twice", errToken, t.Name)
		}
		names[t.Name], hashes[t.Hash] = true, true
	}
	return file.Tokens, nil
}

// AddToken adds a token to the file, which it makes if there is none.
func AddToken(path string, t Token) error {
	if err := t.check(); err != nil {
		return err
	}
	return changeTokens(path, func(tokens []Token) ([]Token, error) {
		if slices.ContainsFunc(tokens, func(o Token) bool { return o.Name == t.Name }) {
			return nil, fmt.Errorf("%w: %s", ErrTokenExists, t.Name)
		}
		return append(tokens, t), nil
	})
}

// RevokeToken takes a token off the file.
func RevokeToken(path, name string) error {
	return changeTokens(path, func(tokens []Token) ([]Token, error) {
		left := slices.DeleteFunc(slices.Clone(tokens), func(t Token) bool { return t.Name == name })
		if len(left) == len(tokens) {
			return nil, fmt.Errorf("%w: %s", ErrNoToken, name)
		}
		return left, nil
	})
}

// changeTokens replaces the file in one step, and one change at a time.
func changeTokens(path string, change func([]Token) ([]Token, error)) error {
	unlock, err := lockFile(path + ".lock")
	if err != nil {
		return fmt.Errorf("lock tokens: %w", err)
	}
	defer unlock()
	tokens, err := ReadTokens(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if tokens, err = change(tokens); err != nil {
		return err
	}
	data, err := json.MarshalIndent(tokenFile{tokens}, "", "  ")
	if err != nil {
		return fmt.Errorf("write tokens: %w", err)
	}
	if err := replaceFile(path, append(data, '\n')); err != nil {
		return fmt.Errorf("write tokens: %w", err)
	}
	return nil
}

// replaceFile puts data under path in one step that survives a loss of power.
// Nobody else may read it: that is how [os.CreateTemp] makes files.
func replaceFile(path string, data []byte) (err error) {
	folder := filepath.Dir(path)
	temp, err := os.CreateTemp(folder, filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp.Name()))
		}
	}()
	_, err = temp.Write(data)
	if err := errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}
	return syncFolder(folder)
}
