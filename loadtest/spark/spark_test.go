package spark_test

import (
	"testing"

	"sluice/loadtest/spark"
)

func TestLine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		values []float64
		width  int
		want   string
	}{
		{nil, 5, ""},
		{[]float64{0, 0}, 5, "▁▁"},
		{[]float64{0, 1, 2, 3, 4, 5, 6, 7, 8}, 9, "▁▂▃▄▅▆▇██"},
		{[]float64{4, 4, 8, 8, 0, 0}, 3, "▅█▁"},
		{[]float64{-1, 1}, 5, "▁█"},
		{[]float64{1, 1, 1}, 0, ""},
	} {
		if got := spark.Line(test.values, test.width); got != test.want {
			t.Errorf("%v in %d: %s, want %s", test.values, test.width, got, test.want)
		}
	}
}
