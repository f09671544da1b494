package handlers

import (
	"errors"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestParseRanges(t *testing.T) {
	t.Parallel()
	const max = "9223372036854775807"
	for _, test := range []struct {
		field string
		size  int64
		want  []byteRange
		err   error
	}{
		{"bytes=0-4", 10, []byteRange{{0, 5}}, nil},
		{"bytes=5-", 10, []byteRange{{5, 5}}, nil},
		{"bytes=5-999", 10, []byteRange{{5, 5}}, nil},
		{"bytes=9-9", 10, []byteRange{{9, 1}}, nil},
		{"bytes=-3", 10, []byteRange{{7, 3}}, nil},
		{"bytes=-999", 10, []byteRange{{0, 10}}, nil},
		{"Bytes=0-0", 10, []byteRange{{0, 1}}, nil},
		{"bytes= 0-0 ", 10, []byteRange{{0, 1}}, nil},
		{"bytes=0-99999999999999999999", 10, []byteRange{{0, 10}}, nil},
		{"bytes=0-" + max, 10, []byteRange{{0, 10}}, nil},
		{"bytes=-99999999999999999999", 10, []byteRange{{0, 10}}, nil},
		{"bytes=4294967295-4294967297", 1 << 33, []byteRange{{4294967295, 3}}, nil},
		{"bytes=0-1,8-9", 10, []byteRange{{0, 2}, {8, 2}}, nil},
		{"bytes=-1 ,\t0-0,, 20-", 10, []byteRange{{9, 1}, {0, 1}}, nil},
		{"bytes=10-", 10, nil, errRange},
		{"bytes=-0", 10, nil, errRange},
		{"bytes=10-,-0", 10, nil, errRange},
		{"bytes=18446744073709551615-", 10, nil, errRange},
		{"bytes=0-", 0, nil, errRange},
		{"bytes=-5", 0, nil, errRange},
		{"bytes=5-2", 10, nil, errNoRange},
		{"bytes=0-1,5-2", 10, nil, errNoRange},
		{"bytes=10-,abc", 10, nil, errNoRange},
		{"bytes=abc", 10, nil, errNoRange},
		{"bytes=", 10, nil, errNoRange},
		{"bytes=,", 10, nil, errNoRange},
		{"bytes=-", 10, nil, errNoRange},
		{"bytes=--5", 10, nil, errNoRange},
		{"bytes=+1-2", 10, nil, errNoRange},
		{"bytes=1 - 2", 10, nil, errNoRange},
		{"bytes=1-2-3", 10, nil, errNoRange},
		{"bytes =0-4", 10, nil, errNoRange},
		{"bytes 0-4", 10, nil, errNoRange},
		{"items=0-4", 10, nil, errNoRange},
		{"", 10, nil, errNoRange},
	} {
		got, err := parseRanges(test.field, test.size)
		if !slices.Equal(got, test.want) || !errors.Is(err, test.err) {
			t.Errorf("parseRanges(%q, %d) = %v, %v; want %v, %v", test.field, test.size, got, err, test.want, test.err)
		}
	}
}

func TestSeverable(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	every := func(n int, step, length int64) (ranges []byteRange) {
		for i := range int64(n) {
			ranges = append(ranges, byteRange{i * step, length})
		}
		return ranges
	}
	for _, test := range []struct {
		name   string
		ranges []byteRange
		size   int64
		want   bool
	}{
		{"two", []byteRange{{0, 1}, {size - 1, 1}}, size, true},
		{"adjacent", []byteRange{{0, 10}, {10, 10}}, size, true},
		{"as many as may be", every(maxParts, 100, 1), size, true},
		{"one too many", every(maxParts+1, 100, 1), size, false},
		{"flood", every(5000, 0, size), size, false},
		{"overlapping", []byteRange{{0, 10}, {9, 10}}, size, false},
		{"same twice", []byteRange{{5, 5}, {5, 5}}, size, false},
		{"descending", []byteRange{{size - 1, 1}, {0, 1}}, size, false},
		{"all of it in pieces", []byteRange{{0, size / 2}, {size / 2, size / 2}}, size, false},
		{"dearer than all of it", []byteRange{{0, 1}, {9, 1}}, 10, false},
	} {
		if got := severable(test.ranges, test.size); got != test.want {
			t.Errorf("%s: severable %t, want %t", test.name, got, test.want)
		}
	}
}

var (
	rangeSet  = regexp.MustCompile(`^(?i:bytes)=[ \t,]*(\d+-\d*|-\d+)([ \t]*,[ \t]*(\d+-\d*|-\d+)?)*[ \t,]*$`)
	rangeSpec = regexp.MustCompile(`(\d*)-(\d*)`)
)

// readRanges is parseRanges by the grammar of RFC 9110 section 14.1.1, in
// numbers of any size. It is nil for a field to be ignored.
func readRanges(field string, size int64) (ranges []byteRange, valid bool) {
	if !rangeSet.MatchString(field) {
		return nil, false
	}
	number := func(digits string) *big.Int {
		n, _ := new(big.Int).SetString(digits, 10) // the expression admits digits alone
		return n
	}
	end := big.NewInt(size)
	for _, spec := range rangeSpec.FindAllStringSubmatch(field, -1) {
		var first, behind *big.Int
		switch {
		case spec[1] == "":
			first, behind = new(big.Int).Sub(end, number(spec[2])), end
		case spec[2] == "":
			first, behind = number(spec[1]), end
		default:
			first, behind = number(spec[1]), new(big.Int).Add(number(spec[2]), big.NewInt(1))
			if first.Cmp(behind) >= 0 {
				return nil, false
			}
		}
		if first.Sign() < 0 {
			first = new(big.Int)
		}
		if behind.Cmp(end) > 0 {
			behind = end
		}
		if n := new(big.Int).Sub(behind, first); n.Sign() > 0 {
			ranges = append(ranges, byteRange{first.Int64(), n.Int64()})
		}
	}
	return ranges, true
}

// FuzzParseRanges compares every field with what its grammar says.
func FuzzParseRanges(f *testing.F) {
	f.Fuzz(func(t *testing.T, field string, size uint32) {
		if strings.ContainsAny(field, "\r\n") {
			return // no field can hold them
		}
		got, err := parseRanges(field, int64(size))
		want, valid := readRanges(field, int64(size))
		switch {
		case !valid && !errors.Is(err, errNoRange),
			valid && len(want) == 0 && !errors.Is(err, errRange),
			len(want) > 0 && err != nil, !slices.Equal(got, want):
			t.Errorf("parseRanges(%q, %d) = %v, %v; want %v, valid %t", field, size, got, err, want, valid)
		}
	})
}
