package handlers

import (
	"errors"
	"strconv"
	"strings"
)

// byteRange is a range of a content, in bytes.
type byteRange struct{ off, n int64 }

// errNoRange: the field asks for nothing that has to be answered by a range,
// so the whole content is the answer.
var errNoRange = errors.New("no applicable range")

// parseRange reads a Range field (RFC 9110 section 14.2) for a content of size
// bytes. Fields that are malformed, in another unit or ask for several ranges
// answer errNoRange; a server may ignore them. A well-formed range that begins
// behind the content is errRange.
func parseRange(field string, size int64) (byteRange, error) {
	unit, spec, found := strings.Cut(field, "=")
	if !found || !strings.EqualFold(strings.TrimSpace(unit), "bytes") || strings.Contains(spec, ",") {
		return byteRange{}, errNoRange
	}
	first, last, found := strings.Cut(strings.Trim(spec, " \t"), "-")
	if !found {
		return byteRange{}, errNoRange
	}
	if first == "" {
		return suffixRange(last, size)
	}
	off, err := position(first)
	if err != nil {
		return byteRange{}, err
	}
	end := size - 1
	if last != "" {
		if end, err = position(last); err != nil {
			return byteRange{}, err
		}
		if end < off {
			return byteRange{}, errNoRange
		}
	}
	if off >= size {
		return byteRange{}, errRange
	}
	return byteRange{off, min(end, size-1) - off + 1}, nil
}

// suffixRange is the last n bytes.
func suffixRange(n string, size int64) (byteRange, error) {
	length, err := position(n)
	if err != nil {
		return byteRange{}, err
	}
	if length == 0 || size == 0 {
		return byteRange{}, errRange
	}
	length = min(length, size)
	return byteRange{size - length, length}, nil
}

// position parses 1*DIGIT. A number that is too large for any file is as good
// as the largest one.
func position(s string) (int64, error) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, errNoRange
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, errNoRange
	}
	return n, nil // ParseInt gives the largest int64 with ErrRange
}
