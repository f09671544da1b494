package loadtest

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Weights are the shares of ways of moving files in a mix. Their text is like
// "put=3,get=5"; a way without a number has the weight 1.
type Weights []Weight

// Weight is the share of one way.
type Weight struct {
	Way    string
	Weight float64
}

// ways are the scenarios that can be parts of others.
var ways = []string{"put", "form", "tus", "get"}

// ParseWeights reads the text of weights.
func ParseWeights(text string) (Weights, error) {
	var w Weights
	for entry := range strings.SplitSeq(text, ",") {
		way, share, weighted := strings.Cut(strings.TrimSpace(entry), "=")
		weight := 1.0
		var err error
		if weighted {
			weight, err = strconv.ParseFloat(share, 64)
		}
		switch {
		case err != nil || !(weight > 0) || math.IsInf(weight, 0):
			return nil, fmt.Errorf("weights: %q has no positive weight", entry)
		case !slices.Contains(ways, way):
			return nil, fmt.Errorf("weights: %q is none of %s", way, strings.Join(ways, ", "))
		case w.Of(way) > 0:
			return nil, fmt.Errorf("weights: %s is there twice", way)
		}
		w = append(w, Weight{way, weight})
	}
	return w, nil
}

// Of returns the weight of a way, 0 if it is not in the mix.
func (w Weights) Of(way string) float64 {
	for _, part := range w {
		if part.Way == way {
			return part.Weight
		}
	}
	return 0
}

// Choose returns the way that draw, from 0 up to 1, stands for.
func (w Weights) Choose(draw float64) string {
	sum := 0.0
	for _, part := range w {
		sum += part.Weight
	}
	for _, part := range w {
		if draw -= part.Weight / sum; draw < 0 {
			return part.Way
		}
	}
	return w[len(w)-1].Way // rounding left a little
}

// String returns the text that ParseWeights reads.
func (w Weights) String() string {
	var words []string
	for _, part := range w {
		words = append(words, fmt.Sprintf("%s=%v", part.Way, part.Weight))
	}
	return strings.Join(words, ",")
}

// MarshalText implements [encoding.TextMarshaler].
func (w Weights) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (w *Weights) UnmarshalText(text []byte) (err error) {
	*w, err = ParseWeights(string(text))
	return err
}

// Set implements the values of flags.
func (w *Weights) Set(text string) error { return w.UnmarshalText([]byte(text)) }

// Type returns what stands for the value in a command's help.
func (*Weights) Type() string { return "weights" }
