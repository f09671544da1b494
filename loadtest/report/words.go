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
	switch {
	case mbps > 0 && mbps < 0.1:
		return fmt.Sprintf("%.5f", mbps)
	case mbps < 10:
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
