package record

import "fmt"

// kinds makes an empty row of each kind.
var kinds = map[string]func() Row{
	"header":   func() Row { return new(Header) },
	"transfer": func() Row { return new(Transfer) },
	"second":   func() Row { return new(Second) },
	"usage":    func() Row { return new(Usage) },
	"repeat":   func() Row { return new(Repeat) },
	"leftover": func() Row { return new(Leftover) },
	"metrics":  func() Row { return new(Metrics) },
	"lost":     func() Row { return new(Lost) },
	"end":      func() Row { return new(end) },
}

// newRow returns an empty row of the kind.
func newRow(kind string) (Row, error) {
	make, found := kinds[kind]
	if !found {
		return nil, fmt.Errorf("a row of the unknown kind %q", kind)
	}
	return make(), nil
}

// end is the last row of a file. Records without it have lost rows.
type end struct {
	Origin
	Rows int64 `json:"rows"` // before it
}

// Kind returns "end".
func (*end) Kind() string { return "end" }
