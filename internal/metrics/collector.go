package metrics

import "github.com/prometheus/client_golang/prometheus"

// collector makes the samples of its metrics anew at each scrape.
type collector struct {
	families map[string]family // by the metric's name
	collect  func(emit)
}

// emit makes a sample of a metric, with the values of its labels in their order.
type emit func(d Definition, value float64, labels ...string)

// newCollector returns a collector of the metrics, for which collect makes the
// samples.
func newCollector(collect func(emit), metrics ...Definition) prometheus.Collector {
	c := &collector{make(map[string]family, len(metrics)), collect}
	for _, d := range metrics {
		c.families[d.Name] = d.family()
	}
	return c
}

// Describe implements [prometheus.Collector].
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, f := range c.families {
		ch <- f.desc
	}
}

// Collect implements [prometheus.Collector].
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	c.collect(func(d Definition, value float64, labels ...string) {
		ch <- c.families[d.Name].sample(value, labels...)
	})
}
