package payload

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// Sizes is a distribution of the lengths of files. Its text is one of
//
//	2GB                          all of that length
//	uniform:1KB-64MB             any length from the one to the other is as likely
//	lognormal:64KB,1.5           the logarithms are normal: median, standard deviation of the logarithm
//	lognormal:64KB,1.5,1GB       the same, cut off at a largest length
//	list:4KB=70,1MB=25,1GB=5     each with its weight, 1 where it has none
//
// with lengths as "4096", "4KiB" or "4KB" (1000 bytes). The zero value is a
// length of 0.
type Sizes struct {
	text  string
	steps []step  // lengths and the draws up to which they hold
	curve curve   // nil if steps decide
	mean  float64 // of many files
	most  int64
}

// step is one length of a list: for draws below up to, and not below that of the
// step before.
type step struct {
	size   int64
	weight float64
	upTo   float64
}

// curve is the quantile function of a distribution.
type curve func(draw float64) float64

// Fixed returns the distribution of files that are all size bytes long.
func Fixed(size int64) Sizes {
	return Sizes{text: FormatSize(size), steps: []step{{size: size, weight: 1, upTo: 1}}, mean: float64(size), most: size}
}

// ParseSizes reads the text of a distribution.
func ParseSizes(text string) (Sizes, error) {
	kind, rest, found := strings.Cut(text, ":")
	if !found {
		size, err := ParseSize(text)
		return Fixed(size), err
	}
	parse, found := map[string]func(string) (Sizes, error){
		"uniform": parseUniform, "lognormal": parseLogNormal, "list": parseList,
	}[kind]
	if !found {
		return Sizes{}, fmt.Errorf("%q is no distribution of sizes: uniform, lognormal and list are", kind)
	}
	s, err := parse(rest)
	if err != nil {
		return Sizes{}, fmt.Errorf("%s: %w", kind, err)
	}
	s.text = text
	return s, nil
}

func parseUniform(text string) (Sizes, error) {
	from, to, _ := strings.Cut(text, "-")
	low, err := ParseSize(from)
	high, errHigh := ParseSize(to)
	if err := errors.Join(err, errHigh); err != nil {
		return Sizes{}, err
	}
	if low > high {
		return Sizes{}, fmt.Errorf("%s is more than %s", from, to)
	}
	return Sizes{
		curve: func(draw float64) float64 { return float64(low) + draw*float64(high-low+1) },
		mean:  (float64(low) + float64(high)) / 2, most: high,
	}, nil
}

func parseLogNormal(text string) (Sizes, error) {
	fields := strings.Split(text, ",")
	if len(fields) < 2 || len(fields) > 3 {
		return Sizes{}, fmt.Errorf("%q is not of the form median,sigma or median,sigma,largest", text)
	}
	median, err := ParseSize(fields[0])
	sigma, errSigma := strconv.ParseFloat(fields[1], 64)
	most := int64(math.MaxInt64)
	var errMost error
	if len(fields) == 3 {
		most, errMost = ParseSize(fields[2])
	}
	if err := errors.Join(err, errSigma, errMost); err != nil {
		return Sizes{}, err
	}
	if !(sigma >= 0 && sigma <= 10) {
		return Sizes{}, fmt.Errorf("sigma: %v is not from 0 to 10", sigma)
	}
	return Sizes{
		curve: func(draw float64) float64 {
			return float64(median) * math.Exp(sigma*math.Sqrt2*math.Erfinv(2*draw-1))
		},
		mean: min(float64(median)*math.Exp(sigma*sigma/2), float64(most)), most: most,
	}, nil
}

func parseList(text string) (s Sizes, err error) {
	total := 0.0
	for entry := range strings.SplitSeq(text, ",") {
		length, share, weighted := strings.Cut(entry, "=")
		weight := 1.0
		size, err := ParseSize(length)
		if weighted && err == nil {
			weight, err = strconv.ParseFloat(share, 64)
		}
		if err != nil {
			return Sizes{}, err
		}
		if !(weight > 0) || math.IsInf(weight, 0) {
			return Sizes{}, fmt.Errorf("%q has no positive weight", entry)
		}
		total += weight
		s.steps = append(s.steps, step{size: size, weight: weight})
	}
	sum := 0.0
	for i := range s.steps {
		sum += s.steps[i].weight
		s.steps[i].upTo = sum / total
		s.mean += float64(s.steps[i].size) * s.steps[i].weight / total
		s.most = max(s.most, s.steps[i].size)
	}
	return s, nil
}

// Of returns the length that draw, from 0 up to 1, stands for; the larger, the
// longer, unless a list has another order.
func (s Sizes) Of(draw float64) int64 {
	if s.curve != nil {
		size := s.curve(draw)
		if size >= float64(s.most) {
			return s.most
		}
		return max(0, int64(size))
	}
	if len(s.steps) == 0 {
		return 0
	}
	i := slices.IndexFunc(s.steps, func(s step) bool { return draw < s.upTo })
	if i < 0 {
		i = len(s.steps) - 1 // rounding left a little below 1
	}
	return s.steps[i].size
}

// Mean returns the mean length in bytes of many files.
func (s Sizes) Mean() float64 { return s.mean }

// Max returns the length in bytes that none passes, [math.MaxInt64] if there is
// none.
func (s Sizes) Max() int64 { return s.most }

// String returns the text that ParseSizes reads.
func (s Sizes) String() string { return cmp.Or(s.text, "0B") }

// MarshalText implements [encoding.TextMarshaler].
func (s Sizes) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *Sizes) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSizes(string(text))
	return err
}

// Set implements the values of flags.
func (s *Sizes) Set(text string) error { return s.UnmarshalText([]byte(text)) }

// Type returns what stands for the value in a command's help.
func (*Sizes) Type() string { return "sizes" }

// ParseSize reads a number of bytes with or without a unit: "2GB" is 2e9, "2GiB"
// is 2<<30.
func ParseSize(text string) (int64, error) {
	n, err := humanize.ParseBytes(text)
	if err != nil {
		return 0, fmt.Errorf("%q is no size: %w", text, err)
	}
	if n > math.MaxInt64 {
		return 0, fmt.Errorf("%q is too large", text)
	}
	return int64(n), nil
}

// units are those that sizes are written in.
var units = []struct {
	size int64
	name string
}{{1e9, "GB"}, {1 << 30, "GiB"}, {1e6, "MB"}, {1 << 20, "MiB"}, {1e3, "kB"}, {1 << 10, "KiB"}, {1, "B"}}

// FormatSize writes a number of bytes in the largest unit of which it is a whole
// number, so that ParseSize reads the same.
func FormatSize(n int64) string {
	for _, unit := range units {
		if n >= unit.size && n%unit.size == 0 {
			return strconv.FormatInt(n/unit.size, 10) + unit.name
		}
	}
	return "0B"
}
