package config

import (
	"strings"
	"unicode"

	"github.com/spf13/pflag"
)

const (
	envPrefix = "SLUICE_"

	// fileKey names the file, as a flag and in the environment. It is no setting: a file cannot name another.
	fileKey = "config"
)

// Flags adds a flag for each setting, and --config, to fs. A flag takes any text: Load judges it together with
// all other values, so that one run shows every fault.
func Flags(fs *pflag.FlagSet) {
	fs.SortFlags = false
	fs.Var(&textFlag{hint: "file"}, fileKey, "YAML file of settings; "+envName(fileKey)+" names it too")
	for _, s := range settings {
		usage := s.help
		if limits := s.limitsText(); limits != "" {
			usage += " Must be " + limits + "."
		}
		f := fs.VarPF(&textFlag{text: s.initial, hint: s.hint}, s.key, "", usage)
		if _, isSwitch := s.field(new(Config)).(*bool); isSwitch {
			f.NoOptDefVal = "true"
		}
	}
}

// textFlag is a [pflag.Value] that keeps what it is given.
type textFlag struct{ text, hint string }

func (f *textFlag) Set(text string) error { f.text = text; return nil }
func (f *textFlag) String() string        { return f.text }
func (f *textFlag) Type() string          { return f.hint }

// envName is the name of a setting in the environment: SLUICE_BLOCK_SIZE for block-size.
func envName(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, "-", "_"))
}

// lookup finds a setting by its key.
func lookup(key string) (setting, bool) {
	return find(func(s setting) bool { return s.key == key })
}

// lookupEnv finds a setting by its name in the environment.
func lookupEnv(name string) (setting, bool) {
	return find(func(s setting) bool { return envName(s.key) == name })
}

// nearest finds the setting whose letters are those of name, whatever the case and the signs between them.
func nearest(name string) (setting, bool) {
	letters := lettersOf(strings.TrimPrefix(name, envPrefix))
	return find(func(s setting) bool { return lettersOf(s.key) == letters })
}

func find(matches func(setting) bool) (setting, bool) {
	for _, s := range settings {
		if matches(s) {
			return s, true
		}
	}
	return setting{}, false
}

func lettersOf(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}
