package report

import (
	"fmt"
	"strings"
)

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }

// duration shows seconds that may be few or many.
func duration(s float64) string {
	switch {
	case s >= 100:
		return fmt.Sprintf("%.1f", s)
	case s >= 1 || s == 0:
		return fmt.Sprintf("%.3f", s)
	default:
		return fmt.Sprintf("%.6f", s)
	}
}

func rate(mbps float64) string {
	if mbps < 10 {
		return fmt.Sprintf("%.2f", mbps)
	}
	return fmt.Sprintf("%.0f", mbps)
}

// cost shows 0 as unknown: /proc counts in hundredths, and no transfer worth
// measuring costs less.
func cost(perGB float64) string {
	if perGB == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", perGB)
}

func peak(bytes int64) string {
	if bytes == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", float64(bytes)/1e6)
}

func factor(f float64) string {
	if f == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", f)
}

func rates(mbps []float64) string {
	shown := make([]string, len(mbps))
	for i, r := range mbps {
		shown[i] = rate(r)
	}
	return strings.Join(shown, "  ")
}

// words joins some words, and only counts those past ten.
func words(all []string) string {
	const most = 10
	if len(all) <= most {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:most], ", "), len(all)-most)
}

// sparkline draws values as a line of bars, at most so many, from 0 to the
// largest.
func sparkline(values []float64, width int) string {
	const levels = "▁▂▃▄▅▆▇█"
	bars := []rune(levels)
	if len(values) > width {
		values = squeeze(values, width)
	}
	top := 0.0
	for _, v := range values {
		top = max(top, v)
	}
	line := make([]rune, len(values))
	for i, v := range values {
		line[i] = bars[min(int(ratio(v, top)*float64(len(bars))), len(bars)-1)]
	}
	return string(line)
}

// squeeze returns the means of as many stretches of values as width says.
func squeeze(values []float64, width int) []float64 {
	squeezed := make([]float64, width)
	for i := range squeezed {
		from, to := i*len(values)/width, (i+1)*len(values)/width
		for _, v := range values[from:to] {
			squeezed[i] += v / float64(to-from)
		}
	}
	return squeezed
}
