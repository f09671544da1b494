package config

import (
	"errors"
	"math/big"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// Size is a number of bytes, written with or without a unit: 65536, 64KiB, 2GB. A unit with an i counts in
// powers of 1024 (KiB, MiB, GiB, TiB, PiB, EiB), one without it in powers of 1000 (kB, MB, GB, TB, PB, EB);
// case and a space before it do not matter. It implements [encoding.TextMarshaler], [encoding.TextUnmarshaler]
// and [github.com/spf13/pflag.Value].
type Size int64

// Units of a Size.
const (
	KiB Size = 1 << 10
	MiB Size = 1 << 20
	GiB Size = 1 << 30
)

// sizeUnits holds what String may write, largest first.
var sizeUnits = [...]struct {
	name  string
	bytes Size
}{
	{"EiB", humanize.EiByte}, {"EB", humanize.EByte},
	{"PiB", humanize.PiByte}, {"PB", humanize.PByte},
	{"TiB", humanize.TiByte}, {"TB", humanize.TByte},
	{"GiB", humanize.GiByte}, {"GB", humanize.GByte},
	{"MiB", humanize.MiByte}, {"MB", humanize.MByte},
	{"KiB", humanize.KiByte}, {"kB", humanize.KByte},
}

// ParseSize reads a size. It refuses negative sizes, sizes of 2^63 bytes and more, and digits grouped by commas,
// since a comma is a decimal sign to half of the world.
func ParseSize(text string) (Size, error) {
	if strings.Contains(text, ",") {
		return 0, errors.New("must be a size without commas, such as 4MiB or 1.5GB")
	}
	bytes, err := humanize.ParseBigBytes(text)
	switch {
	case err != nil:
		return 0, errors.New("must be a size, such as 65536, 4MiB or 2GB")
	case !bytes.IsInt64():
		return 0, errors.New("must be less than 8EiB")
	case bytes.Cmp(new(big.Int)) == 0 && strings.ContainsAny(text, "123456789"):
		return 0, errors.New("must be 0 or at least one byte")
	}
	return Size(bytes.Int64()), nil
}

// String writes the size exactly, in the largest unit that divides it: 4MiB, 2GB, 4194305.
func (s Size) String() string {
	for _, unit := range sizeUnits {
		if s != 0 && s%unit.bytes == 0 {
			return strconv.FormatInt(int64(s/unit.bytes), 10) + unit.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// MarshalText writes what String does.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what ParseSize does; on an error the size is left as it was.
func (s *Size) UnmarshalText(text []byte) error { return s.Set(string(text)) }

// Set is UnmarshalText for a flag.
func (s *Size) Set(text string) error {
	parsed, err := ParseSize(text)
	if err == nil {
		*s = parsed
	}
	return err
}

// Type names the kind of value in the help of a flag.
func (Size) Type() string { return "size" }
