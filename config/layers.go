package config

import (
	"slices"
	"strings"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/providers/posflag"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"
)

// delimiter joins the keys of nested tables in a file; no setting is nested.
const delimiter = "."

// layer is the values of one origin. Each has a koanf of its own, so that a value's origin stays known.
type layer struct {
	*koanf.Koanf
	source func(key string) string // where a value of this layer came from
}

// layers has the lowest first.
type layers []layer

// value is the value of a setting in the highest layer that has one, and where it came from.
func (ls layers) value(key string) (value any, source string) {
	for _, l := range slices.Backward(ls) {
		if l.Exists(key) {
			return l.Get(key), l.source(key)
		}
	}
	return nil, ""
}

// unknown is a fault for each key that no setting has.
func (ls layers) unknown() []Fault {
	var faults []Fault
	for _, l := range ls {
		for _, key := range l.Keys() {
			if _, ok := lookup(key); ok {
				continue
			}
			reason := "unknown setting"
			if s, ok := nearest(key); ok {
				reason += ", did you mean " + s.key + "?"
			}
			faults = append(faults, Fault{key, l.source(key), reason})
		}
	}
	return faults
}

// readLayers reads all four; one that cannot be read is left out and is a fault.
func readLayers(fs *pflag.FlagSet, environ []string) (layers, []Fault) {
	var (
		all    layers
		faults []Fault
	)
	add := func(provider koanf.Provider, parser koanf.Parser, source func(string) string) {
		l := layer{koanf.New(delimiter), source}
		if err := l.Load(provider, parser); err != nil {
			oneLine := strings.Join(strings.Fields(err.Error()), " ")
			faults = append(faults, Fault{fileKey, source(fileKey), oneLine})
			return
		}
		all = append(all, l)
	}
	add(defaultProvider(), nil, func(string) string { return FromDefault })
	if path := filePath(fs, environ); path != "" {
		add(file.Provider(path), yaml.Parser(), func(string) string { return "file " + path })
	}
	add(envProvider(environ), nil, envSource)
	add(flagProvider(fs), nil, func(key string) string { return "flag --" + key })
	return all, faults
}

func defaultProvider() koanf.Provider {
	values := map[string]any{}
	for _, s := range settings {
		values[s.key] = s.initial
	}
	return confmap.Provider(values, delimiter)
}

// filePath is the file that the flag names, else the one that the environment does, else empty.
func filePath(fs *pflag.FlagSet, environ []string) string {
	if f := fs.Lookup(fileKey); f != nil && f.Changed {
		return f.Value.String()
	}
	path := ""
	for _, entry := range environ {
		if name, value, _ := strings.Cut(entry, "="); name == envName(fileKey) {
			path = value
		}
	}
	return path
}

// envProvider keeps the name of a variable that belongs to no setting, which unknown then reports.
func envProvider(environ []string) koanf.Provider {
	return env.Provider(delimiter, env.Opt{
		Prefix:      envPrefix,
		EnvironFunc: func() []string { return environ },
		TransformFunc: func(name, value string) (string, any) {
			if name == envName(fileKey) {
				return "", nil
			}
			if s, ok := lookupEnv(name); ok {
				return s.key, value
			}
			return name, value
		},
	})
}

func envSource(key string) string {
	if strings.HasPrefix(key, envPrefix) {
		return "environment"
	}
	return "environment " + envName(key)
}

// flagProvider leaves out what belongs to the command and not to the settings, such as --help.
func flagProvider(fs *pflag.FlagSet) koanf.Provider {
	return posflag.ProviderWithFlag(fs, delimiter, nil, func(f *pflag.Flag) (string, any) {
		if s, ok := lookup(f.Name); ok {
			return s.key, f.Value.String()
		}
		return "", nil
	})
}
