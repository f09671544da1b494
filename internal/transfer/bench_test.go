package transfer_test

import (
	"testing"

	"sluice/internal/transfer"
)

func BenchmarkAdd(b *testing.B) {
	tr := transfer.New(transfer.Options{}).Begin(put())
	b.ReportAllocs()
	for b.Loop() {
		tr.Add(1 << 20)
	}
}

// One transfer per processor, all of one kind.
func BenchmarkAddParallel(b *testing.B) {
	r := transfer.New(transfer.Options{})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		tr := r.Begin(put())
		defer tr.End(transfer.Outcome{Result: transfer.ResultOK})
		for pb.Next() {
			tr.Add(1 << 20)
		}
	})
}

func BenchmarkBeginEnd(b *testing.B) {
	r := transfer.New(transfer.Options{})
	b.ReportAllocs()
	for b.Loop() {
		r.Begin(put()).End(transfer.Outcome{Result: transfer.ResultOK})
	}
}

func BenchmarkRunning1000(b *testing.B) {
	r := transfer.New(transfer.Options{})
	for range 1000 {
		r.Begin(put()).Add(1 << 20)
	}
	b.ReportAllocs()
	for b.Loop() {
		r.Running()
	}
}
