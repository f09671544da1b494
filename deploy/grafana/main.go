// Command grafana writes the dashboard that stands beside it, from the table of
// its rows. A test holds that the file is up to date:
//
//	go run . > dashboards/sluice.json
//
// It is a module of its own, so that the server depends neither on Grafana's SDK
// nor on Prometheus.
package main

import (
	"fmt"
	"os"
)

func main() {
	text, err := render()
	if err == nil {
		_, err = os.Stdout.Write(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "grafana:", err)
		os.Exit(1)
	}
}
