// Package report tells what the raw rows of a load test come to: statistics,
// tables and documents.
//
// It owns everything that is computed from rows, and the formats in which that is
// written. All of it comes from the rows of package record alone: the report of a
// run and the one made again from its records are the same. It knows nothing of
// how work is done.
package report
