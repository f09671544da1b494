package handlers

import (
	"errors"
	"strconv"
	"strings"
)

// byteRange is a range of a content, in bytes.
type byteRange struct{ off, n int64 }

// contentRange is the Content-Range field of the range (RFC 9110 section 14.4).
func (r byteRange) contentRange(size int64) string {
	return "bytes " + strconv.FormatInt(r.off, 10) + "-" + strconv.FormatInt(r.off+r.n-1, 10) +
		"/" + strconv.FormatInt(size, 10)
}

// unsatisfiedRange is the Content-Range field of a 416.
func unsatisfiedRange(size int64) string { return "bytes */" + strconv.FormatInt(size, 10) }

// errNoRange: the field asks for nothing that has to be answered by a range,
// so the whole content is the answer.
var errNoRange = errors.New("no applicable range")

// parseRanges reads a Range field (RFC 9110 section 14.2) for a content of size
// bytes. The ranges come in the order of the field, cut to the content; those
// that lie behind it are left out, and none at all being left is errRange.
// Fields that are malformed or in another unit answer errNoRange: they are to
// be ignored.
func parseRanges(field string, size int64) ([]byteRange, error) {
	unit, set, found := strings.Cut(field, "=")
	if !found || !strings.EqualFold(unit, "bytes") {
		return nil, errNoRange
	}
	var ranges []byteRange
	fault := errNoRange // of a set without members
	for spec := range strings.SplitSeq(set, ",") {
		spec = strings.Trim(spec, " \t")
		if spec == "" {
			continue // lists may have empty members (section 5.6.1.2)
		}
		r, err := parseRange(spec, size)
		switch {
		case err == nil:
			ranges = append(ranges, r)
		case errors.Is(err, errRange):
			fault = err
		default:
			return nil, err
		}
	}
	if len(ranges) == 0 {
		return nil, fault
	}
	return ranges, nil
}

// parseRange reads one member of the set. One that lies behind the content is
// errRange, a malformed one errNoRange.
func parseRange(spec string, size int64) (byteRange, error) {
	first, last, found := strings.Cut(spec, "-")
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

const (
	// maxParts is how many ranges one answer holds at most.
	maxParts = 32
	// partOverhead is more than a part's delimiter and head take, in bytes.
	partOverhead = 256
)

// severable reports whether several ranges are answered as such. A server may
// send the whole content instead (RFC 9110 section 14.2), and this one does
// wherever the parts would cost more than that, or aren't what an honest client
// asks for: a few ranges in ascending order that don't overlap.
func severable(ranges []byteRange, size int64) bool {
	var end, sum int64
	for _, r := range ranges {
		if r.off < end {
			return false
		}
		end = r.off + r.n
		sum += r.n + partOverhead
	}
	return len(ranges) <= maxParts && sum < size
}
