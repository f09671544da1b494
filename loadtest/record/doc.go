// Package record is the raw rows that a load test leaves, and where they go.
//
// It owns the rows ([Header], [Transfer], [Second], [Usage], [Repeat],
// [Leftover], [Metrics], [Lost]), the [Sink] that takes them as they come, and the [Meter] that
// counts while transfers run. Whatever a report tells is computed from these
// rows alone, so that a run can be read again.
//
// It knows nothing of how work is done, or of what is computed from the rows.
package record
