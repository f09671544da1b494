package transfer_test

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"
	"time"
	"unsafe"

	"sluice/internal/transfer"
)

func TestLifeOfATransfer(t *testing.T) {
	t.Parallel()
	c := newClock()
	var ended []transfer.Record
	r := transfer.New(transfer.Options{Now: c.Now, OnEnd: func(rec transfer.Record) { ended = append(ended, rec) }})
	start := c.Now()
	tr := r.Begin(transfer.Spec{
		Direction: transfer.Upload, Protocol: transfer.ProtocolForm,
		Client: "192.0.2.1", RequestID: "r1", Total: -7,
	})
	tr.SetName("a/b.bin")
	tr.SetTotal(4000)
	c.Advance(2 * time.Second)
	tr.Add(1000)
	tr.Add(0)
	tr.Add(-1)

	want := transfer.Snapshot{
		ID: tr.ID(), Direction: transfer.Upload, Protocol: transfer.ProtocolForm, Name: "a/b.bin",
		Client: "192.0.2.1", RequestID: "r1", Phase: transfer.PhaseReceiving, Bytes: 1000, Total: 4000,
		Start: start, Elapsed: 2 * time.Second, Rate: 500, MeanRate: 500,
	}
	if got := r.Running(); len(got) != 1 || got[0] != want {
		t.Errorf("Running() = %+v, want one %+v", got, want)
	}

	tr.SetPhase(transfer.PhasePublishing)
	if got := r.Running(); got[0].Phase != transfer.PhasePublishing {
		t.Errorf("the phase is %q", got[0].Phase)
	}

	cause := errors.New("disk on fire")
	rec := tr.End(transfer.Outcome{Result: transfer.ResultFailed, Status: 500, Reason: "Sorry.", Err: cause})
	want.Phase = ""
	wantRecord := transfer.Record{Snapshot: want, Result: transfer.ResultFailed, Status: 500, Reason: "Sorry.", Err: cause, End: c.Now()}
	if rec != wantRecord {
		t.Errorf("End() = %+v, want %+v", rec, wantRecord)
	}
	if len(ended) != 1 || ended[0] != rec {
		t.Errorf("OnEnd got %+v, want one %+v", ended, rec)
	}
	if got := r.Running(); len(got) != 0 {
		t.Errorf("Running() after the end = %+v, want none", got)
	}
	if got := r.Recent(); len(got) != 1 || got[0] != rec {
		t.Errorf("Recent() = %+v, want one %+v", got, rec)
	}
}

// A stop reaches the transfer that it means as long as it runs.
func TestStop(t *testing.T) {
	t.Parallel()
	r := transfer.New(transfer.Options{})
	var stopped []string
	begin := func(name string) *transfer.Transfer {
		return r.Begin(transfer.Spec{Name: name, Stop: func() { stopped = append(stopped, name) }})
	}
	a, b := begin("a"), begin("b")
	unstoppable := r.Begin(transfer.Spec{})
	if r.Find(b.ID()) != b || r.Find("b") != nil {
		t.Error("Find doesn't say what there is")
	}
	b.Stop()
	unstoppable.Stop()
	a.End(transfer.Outcome{})
	if r.Find(a.ID()) != nil {
		t.Error("what has ended is found")
	}
	if !slices.Equal(stopped, []string{"b"}) {
		t.Errorf("stopped %q, want b", stopped)
	}
}

func TestFirstEndWins(t *testing.T) {
	t.Parallel()
	calls := 0
	r := transfer.New(transfer.Options{OnEnd: func(transfer.Record) { calls++ }})
	tr := r.Begin(put())
	tr.Add(5)
	first := tr.End(transfer.Outcome{Result: transfer.ResultTimeout, Status: 408})
	tr.Add(7)
	tr.SetName("too late")
	second := tr.End(transfer.Outcome{Result: transfer.ResultOK, Status: 201})
	if first != second || second.Result != transfer.ResultTimeout || second.Bytes != 5 {
		t.Errorf("second End() = %+v, want the first's %+v", second, first)
	}
	if calls != 1 || len(r.Recent()) != 1 {
		t.Errorf("OnEnd ran %d times, Recent has %d, want 1 and 1", calls, len(r.Recent()))
	}
	got := countsOf(t, r, transfer.Kind{Direction: transfer.Upload, Protocol: transfer.ProtocolPUT})
	if got.Bytes != 12 || got.Finished[transfer.ResultTimeout] != 1 || got.Finished[transfer.ResultOK] != 0 {
		t.Errorf("Totals() = %+v, want 12 bytes and one timeout", got)
	}
}

func TestTotalsHaveEveryKindAndResultFromTheStart(t *testing.T) {
	t.Parallel()
	totals := transfer.New(transfer.Options{}).Totals()
	kinds := transfer.Kinds()
	if len(totals) != len(kinds) {
		t.Fatalf("Totals() has %d kinds, want %d", len(totals), len(kinds))
	}
	for i, c := range totals {
		if c.Kind != kinds[i] || c.Started != 0 || c.InFlight != 0 || c.Bytes != 0 {
			t.Errorf("Totals()[%d] = %+v, want %v with zeros", i, c, kinds[i])
		}
		for _, result := range transfer.Results() {
			if n, ok := c.Finished[result]; !ok || n != 0 {
				t.Errorf("%v finished %q = %d, %t, want 0, true", c.Kind, result, n, ok)
			}
		}
	}
}

func TestTotalsByResult(t *testing.T) {
	t.Parallel()
	r := transfer.New(transfer.Options{})
	want := make(map[transfer.Result]int64)
	for i, result := range transfer.Results() {
		for range i + 1 {
			r.Begin(put()).End(transfer.Outcome{Result: result})
			want[result]++
		}
	}
	r.Begin(put()).End(transfer.Outcome{})
	r.Begin(put()).End(transfer.Outcome{Result: "from a client"})
	want[transfer.ResultFailed] += 2
	got := countsOf(t, r, transfer.Kind{Direction: transfer.Upload, Protocol: transfer.ProtocolPUT})
	if !maps.Equal(got.Finished, want) {
		t.Errorf("finished = %v, want %v", got.Finished, want)
	}
}

func TestImpossibleKindsShareOneBucket(t *testing.T) {
	t.Parallel()
	r := transfer.New(transfer.Options{})
	for i := range 50 {
		tr := r.Begin(transfer.Spec{Direction: transfer.Download, Protocol: transfer.Protocol(fmt.Sprint("FOO", i))})
		tr.Add(2)
	}
	if got := r.Running()[0]; got.Direction != "other" || got.Protocol != "other" {
		t.Errorf("running as %q, %q, want other, other", got.Direction, got.Protocol)
	}
	got := countsOf(t, r, transfer.Kind{Direction: "other", Protocol: "other"})
	if got.Started != 50 || got.InFlight != 50 || got.Bytes != 100 || len(r.Totals()) != len(transfer.Kinds())+1 {
		t.Errorf("Totals() = %+v, want one bucket with all 50", r.Totals())
	}
}

// fiber's strings change once the handler that got them is done.
func TestStringsAreCopied(t *testing.T) {
	t.Parallel()
	r := transfer.New(transfer.Options{})
	memory := []byte("name-of-this-request")
	alias := unsafe.String(&memory[0], len(memory))
	tr := r.Begin(transfer.Spec{Name: alias, Client: alias, RequestID: alias})
	named := r.Begin(put())
	named.SetName(alias)
	copy(memory, "THE-NEXT-ONE'S-NAME!")
	const want = "name-of-this-request"
	if got := r.Running()[0]; got.Name != want || got.Client != want || got.RequestID != want {
		t.Errorf("Begin kept %+v, want %q throughout", got, want)
	}
	if rec := named.End(transfer.Outcome{Result: transfer.ResultOK}); rec.Name != want {
		t.Errorf("SetName kept %q, want %q", rec.Name, want)
	}
	tr.End(transfer.Outcome{Result: transfer.ResultOK})
}

func TestRunningIsOldestFirst(t *testing.T) {
	t.Parallel()
	r := transfer.New(transfer.Options{Now: newClock().Now}) // all begin at one instant
	var ids []string
	var transfers []*transfer.Transfer
	for range 9 {
		tr := r.Begin(put())
		transfers, ids = append(transfers, tr), append(ids, tr.ID())
	}
	for _, i := range []int{8, 0, 4} {
		transfers[i].End(transfer.Outcome{Result: transfer.ResultOK})
	}
	want := []string{ids[1], ids[2], ids[3], ids[5], ids[6], ids[7]}
	tests := []struct{ n, len, more int }{{-1, 6, 0}, {0, 0, 6}, {2, 2, 4}, {6, 6, 0}, {99, 6, 0}}
	for _, tt := range tests {
		got, more := r.Oldest(tt.n)
		if len(got) != tt.len || more != tt.more {
			t.Fatalf("Oldest(%d) = %d and %d more, want %d and %d", tt.n, len(got), more, tt.len, tt.more)
		}
		for i, s := range got {
			if s.ID != want[i] {
				t.Errorf("Oldest(%d)[%d] = %s, want %s", tt.n, i, s.ID, want[i])
			}
		}
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	r := transfer.New(transfer.Options{})
	form := regexp.MustCompile(`^[0-9a-f]{16}$`)
	seen := make(map[string]bool)
	for range 1000 {
		id := r.Begin(put()).ID()
		if seen[id] || !form.MatchString(id) {
			t.Fatalf("id %q is not 16 hexadecimal digits, or not unique", id)
		}
		seen[id] = true
	}
}

func TestRecentKeepsTheNewest(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name              string
		recent, end, want int
	}{
		{"none ended", 3, 0, 0},
		{"fewer than kept", 3, 2, 2},
		{"as many as kept", 3, 3, 3},
		{"more than kept", 3, 8, 3},
		{"default", 0, 150, 100},
		{"none kept", -1, 5, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := transfer.New(transfer.Options{Recent: tt.recent})
			for i := range tt.end {
				r.Begin(put()).End(transfer.Outcome{Result: transfer.ResultOK, Status: i})
			}
			got := r.Recent()
			if len(got) != tt.want {
				t.Fatalf("Recent() has %d, want %d", len(got), tt.want)
			}
			for i, rec := range got {
				if want := tt.end - 1 - i; rec.Status != want {
					t.Errorf("Recent()[%d] is number %d, want %d", i, rec.Status, want)
				}
			}
		})
	}
}

func TestIdle(t *testing.T) {
	t.Parallel()
	var r *transfer.Registry
	idleInOnEnd := false
	r = transfer.New(transfer.Options{OnEnd: func(transfer.Record) { idleInOnEnd = idleInOnEnd || isIdle(r) }})
	if !isIdle(r) {
		t.Error("a new registry is not idle")
	}
	a, b := r.Begin(put()), r.Begin(put())
	waiting := r.Idle()
	a.End(transfer.Outcome{Result: transfer.ResultOK})
	a.End(transfer.Outcome{Result: transfer.ResultOK})
	if isIdle(r) {
		t.Error("idle with one of two transfers running")
	}
	b.End(transfer.Outcome{Result: transfer.ResultOK})
	if !isIdle(r) || idleInOnEnd {
		t.Errorf("idle after the last end %t, during OnEnd %t, want true, false", isIdle(r), idleInOnEnd)
	}
	r.Begin(put())
	if isIdle(r) {
		t.Error("idle with a new transfer running")
	}
	select {
	case <-waiting:
	default:
		t.Error("who waited for the earlier ones waits on")
	}
}

func isIdle(r *transfer.Registry) bool {
	select {
	case <-r.Idle():
		return true
	default:
		return false
	}
}

func TestPanicInOnEndLeavesNothingRunning(t *testing.T) {
	t.Parallel()
	r := transfer.New(transfer.Options{OnEnd: func(transfer.Record) { panic("log is broken") }})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		r.Begin(put()).End(transfer.Outcome{Result: transfer.ResultOK})
	}()
	if len(r.Running()) != 0 || !isIdle(r) {
		t.Error("the transfer is still running")
	}
}
