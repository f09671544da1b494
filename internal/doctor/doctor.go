package doctor

import (
	"context"
	"net/url"
	"time"
)

// Machine is what the examination of this machine needs to know of the server's
// settings.
type Machine struct {
	Root           string
	MinFree        int64 // bytes
	MaxConnections int   // 0: no limit
	MaxTransfers   int   // 0: no limit
	BufferMemory   int64 // bytes
}

// Examine looks at this machine: it has to be the one that the server runs on,
// and the user the same.
func (m Machine) Examine() Report {
	var report Report
	for _, check := range machineChecks {
		f := &findings{check: check.name}
		check.run(m, f)
		report.Findings = append(report.Findings, f.list...)
	}
	return report
}

// machineCheck is a check of this machine.
type machineCheck struct {
	name string
	run  func(Machine, *findings)
}

// Visit is how the server is visited through its public URL.
type Visit struct {
	URL     *url.URL      // below which everything public stands
	Connect string        // host:port to connect to in place of the URL's; empty: that of the URL
	Fields  []string      // lines "Name: value" that go with each request
	Wait    time.Duration // silence that has to be endured, less than the server's --idle-timeout
	Size    int64         // bytes of the upload by which rates are compared
}

// Examine visits the server. What it stores is removed, whatever comes.
func (v Visit) Examine(ctx context.Context) Report {
	visitor, err := newVisitor(v)
	if err != nil {
		return Report{[]Finding{{"reach", Problem, err.Error(), nil}}}
	}
	defer visitor.leave()
	var report Report
	for _, check := range visitChecks {
		f := &findings{check: check.name}
		check.run(ctx, visitor, f)
		report.Findings = append(report.Findings, f.list...)
		if visitor.lost {
			break
		}
	}
	return report
}

// visitCheck is a check of what comes through the proxy.
type visitCheck struct {
	name string
	run  func(context.Context, *visitor, *findings)
}

// visitChecks are in the order in which they make sense to read: what breaks one
// may break those that follow.
var visitChecks = []visitCheck{
	{"reach", reach},
	{"clock", clock},
	{"upload", upload},
	{"body size", bodySize},
	{"request buffering", buffering},
	{"Expect", expectation},
	{"tus", tus},
	{"fields", fields},
	{"ranges", ranges},
	{"content coding", coding},
	{"addresses", addresses},
	{"origin", origin},
	{"timeouts", timeouts},
	{"HTTP/2", http2},
	{"admin listener", private},
}
