package transfer

// ring keeps the last len(records) records pushed.
type ring struct {
	records []Record
	next    int // where the next record goes
	held    int
}

func (r *ring) push(record Record) {
	if len(r.records) == 0 {
		return
	}
	r.records[r.next] = record
	r.next = (r.next + 1) % len(r.records)
	r.held = min(r.held+1, len(r.records))
}

func (r *ring) newestFirst() []Record {
	newest := make([]Record, r.held)
	for i := range newest {
		newest[i] = r.records[(r.next-1-i+len(r.records))%len(r.records)]
	}
	return newest
}
