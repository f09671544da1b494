package config

import (
	"encoding"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/pflag"
)

// Load reads the settings from the file that --config or SLUICE_CONFIG names, from environ (entries of the form
// name=value, as [os.Environ] has them) and from fs, which Flags has furnished and the command line has filled; a
// nil fs has no flags. Its error is an *Error with every fault.
func Load(fs *pflag.FlagSet, environ []string) (Config, error) {
	if fs == nil {
		fs = new(pflag.FlagSet)
	}
	layers, faults := readLayers(fs, environ)
	faults = append(faults, layers.unknown()...)

	c := Config{sources: map[string]string{}}
	var parsed []setting
	for _, s := range settings {
		value, source := layers.value(s.key)
		c.sources[s.key] = source
		if err := assign(s.field(&c), value); err != nil {
			faults = append(faults, Fault{s.key, source, quote(value) + " " + err.Error()})
			continue
		}
		parsed = append(parsed, s)
	}
	for _, s := range parsed {
		faults = append(faults, s.check(&c)...)
	}
	if len(faults) > 0 {
		return Config{}, &Error{faults}
	}
	return c, nil
}

// check is a fault for each limit that the setting's value is beyond.
func (s setting) check(c *Config) []Fault {
	var faults []Fault
	for _, limit := range s.limits {
		if !limit.holds(c, s.field(c)) {
			reason := quote(s.value(c)) + " must be " + limit.text
			faults = append(faults, Fault{s.key, c.sources[s.key], reason})
		}
	}
	return faults
}

func quote(value any) string {
	if text, ok := value.(string); ok {
		return strconv.Quote(text)
	}
	return fmt.Sprint(value)
}

// assign parses value into the field that the pointer leads to. A file holds numbers as well as text; every
// other layer holds text.
func assign(field, value any) error {
	text, isText := value.(string)
	number, isNumber := value.(int)
	if field, ok := field.(*bool); ok {
		return assignSwitch(field, value)
	}
	switch {
	case isNumber:
		text = strconv.Itoa(number)
	case !isText:
		return errors.New("must be one value, in quotes if it is text")
	}
	switch field := field.(type) {
	case encoding.TextUnmarshaler:
		return field.UnmarshalText([]byte(text))
	case *time.Duration:
		return assignDuration(field, text)
	case *int:
		return assignInt(field, text)
	case *string:
		if isNumber {
			return errors.New("must be in quotes, to be text and not a number")
		}
		*field = text
		return nil
	default:
		return fmt.Errorf("cannot be kept in a %T", field)
	}
}

// assignSwitch takes true and false, which a file holds as such or as text.
func assignSwitch(field *bool, value any) error {
	switch fmt.Sprint(value) {
	case "true":
		*field = true
	case "false":
		*field = false
	default:
		return errors.New("must be true or false")
	}
	return nil
}

func assignDuration(field *time.Duration, text string) error {
	parsed, err := time.ParseDuration(text)
	if err != nil || parsed < 0 {
		return errors.New("must be a duration with its unit, such as 500ms, 30s or 5m, and not negative")
	}
	*field = parsed
	return nil
}

func assignInt(field *int, text string) error {
	parsed, err := strconv.Atoi(text)
	if err != nil {
		return errors.New("must be a whole number")
	}
	*field = parsed
	return nil
}
