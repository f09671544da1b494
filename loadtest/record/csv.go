package record

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/jszwec/csvutil"
)

// csvColumns is the columns of a file: the kind of the row, and the fields of all
// kinds. What a kind doesn't have is left empty.
var csvColumns = newCSVColumns()

func newCSVColumns() []string {
	columns := []string{"row"}
	for _, row := range []Row{new(Header), new(Transfer), new(Second), new(Usage), new(Repeat), new(Leftover), new(Metrics), new(Lost), new(end)} {
		// It fails only for what is no struct.
		fields, _ := csvutil.Header(row, "json")
		for _, field := range fields {
			if !slices.Contains(columns, field) {
				columns = append(columns, field)
			}
		}
	}
	return columns
}

// The fields that are no plain values are cells of JSON.
var (
	csvMarshalers = csvutil.NewMarshalers(
		csvutil.MarshalFunc(func(m json.RawMessage) ([]byte, error) { return m, nil }),
		csvutil.MarshalFunc(func(c Changes) ([]byte, error) { return json.Marshal(c) }),
		csvutil.MarshalFunc(func(h Host) ([]byte, error) { return json.Marshal(h) }),
		csvutil.MarshalFunc(func(e *Error) ([]byte, error) {
			if e == nil {
				return nil, nil
			}
			return json.Marshal(e)
		}),
	)
	csvUnmarshalers = csvutil.NewUnmarshalers(
		csvutil.UnmarshalFunc(func(b []byte, m *json.RawMessage) error { *m = slices.Clone(b); return nil }),
		csvutil.UnmarshalFunc(func(b []byte, c *Changes) error { return json.Unmarshal(b, c) }),
		csvutil.UnmarshalFunc(func(b []byte, h *Host) error { return json.Unmarshal(b, h) }),
		csvutil.UnmarshalFunc(func(b []byte, e *Error) error { return json.Unmarshal(b, e) }),
	)
)

// table writes rows as CSV (RFC 4180) with a head.
type table struct {
	w        *csv.Writer
	encoders map[string]*csvutil.Encoder
	kind     string // of the row that is being written
}

func newTable(w io.Writer) (*table, error) {
	t := &table{w: csv.NewWriter(w), encoders: map[string]*csvutil.Encoder{}}
	return t, t.w.Write(csvColumns)
}

func (t *table) encode(row Row) error {
	t.kind = row.Kind()
	e := t.encoders[t.kind]
	if e == nil {
		e = csvutil.NewEncoder(t)
		e.Tag, e.AutoHeader = "json", false
		e.SetHeader(csvColumns)
		e.WithMarshalers(csvMarshalers)
		t.encoders[t.kind] = e
	}
	return e.Encode(row)
}

// Write takes a line of an encoder, whose first column is still empty.
func (t *table) Write(line []string) error {
	line[0] = t.kind
	return t.w.Write(line)
}

func (t *table) flush() error {
	t.w.Flush()
	return t.w.Error()
}

// tableReader reads what table writes.
type tableReader struct {
	r        *csv.Reader
	columns  []string
	decoders map[string]*csvutil.Decoder
	line     []string // for the decoders
}

func newTableReader(r io.Reader) (*tableReader, error) {
	t := &tableReader{r: csv.NewReader(r), decoders: map[string]*csvutil.Decoder{}}
	columns, err := t.r.Read()
	if err != nil {
		return nil, err
	}
	if columns[0] != "row" {
		return nil, fmt.Errorf("the first column is %q, not \"row\"", columns[0])
	}
	t.columns = columns
	return t, nil
}

func (t *tableReader) decode() (Row, error) {
	line, err := t.r.Read()
	if err != nil {
		return nil, err
	}
	t.line = line
	row, err := newRow(line[0])
	if err != nil {
		return nil, err
	}
	d := t.decoders[line[0]]
	if d == nil {
		if d, err = csvutil.NewDecoder(t, t.columns...); err != nil {
			return nil, err
		}
		d.Tag = "json"
		d.WithUnmarshalers(csvUnmarshalers)
		t.decoders[line[0]] = d
	}
	return row, d.Decode(row)
}

// Read gives a decoder the line that is up.
func (t *tableReader) Read() ([]string, error) { return t.line, nil }
