package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// encoder writes rows in some form.
type encoder interface {
	encode(Row) error
	// flush passes on what it holds back.
	flush() error
}

// decoder reads them again. At the end it returns io.EOF.
type decoder interface {
	decode() (Row, error)
}

// lines writes rows as JSON, one a line, each with its kind in the field "row".
type lines struct{ w io.Writer }

func (l lines) encode(row Row) error {
	line, err := Marshal(row)
	if err != nil {
		return err
	}
	_, err = l.w.Write(append(line, '\n'))
	return err
}

// Marshal returns the row as JSON, with its kind in the field "row".
func Marshal(row Row) ([]byte, error) {
	fields, err := json.Marshal(row)
	if err != nil {
		return nil, err
	}
	return append(fmt.Appendf(nil, `{"row":%q,`, row.Kind()), fields[1:]...), nil
}

// Unmarshal returns the row that Marshal made the line of.
func Unmarshal(line []byte) (Row, error) {
	var kind struct{ Row string }
	if err := json.Unmarshal(line, &kind); err != nil {
		return nil, err
	}
	row, err := newRow(kind.Row)
	if err != nil {
		return nil, err
	}
	return row, json.Unmarshal(line, row)
}

func (lines) flush() error { return nil }

// parser reads what lines writes.
type parser struct{ d *json.Decoder }

func newParser(r io.Reader) parser { return parser{json.NewDecoder(r)} }

func (p parser) decode() (Row, error) {
	var line json.RawMessage
	if err := p.d.Decode(&line); err != nil {
		return nil, err
	}
	return Unmarshal(line)
}

// truncated tells whether err is what reading a file says that has been cut off.
func truncated(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
