package handlers

import (
	"errors"
	"maps"
	"testing"

	"github.com/tus/tusd/v2/pkg/handler"
)

func TestParseMetadata(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]map[string]string{
		"":                                       {},
		" , ":                                    {},
		"filename":                               {"filename": ""},
		"filename ":                              {"filename": ""},
		"filename YQ==, filetype dGV4dA==":       {"filename": "a", "filetype": "text"},
		",filename YQ==,":                        {"filename": "a"},
		"filename /w==":                          {"filename": "\xff"},
		"a YQ==\t,\tb":                           {"a": "a", "b": ""},
		"filename %%%":                           nil,
		"filename YQ":                            nil,
		"filename YR==":                          nil, // bits that no encoder sets
		"filename  YQ==":                         nil,
		"filename YQ== YQ==":                     nil,
		"filename\tYQ==":                         nil,
		"filename YQ==,filename YQ==":            nil,
		"filename,filename":                      nil,
		"note 8J-YgA==":                          nil, // base64url
		"dateiname\u00a0 YQ==":                   nil,
		"ключ YQ==":                              nil,
		"filename YQ==;filetype dGV4dA==":        nil,
		"a YQ==,b YmI=,c Y2Nj,d,e ZWU=,f ZmZmZg": nil,
	} {
		got, err := parseMetadata(list)
		if want == nil {
			if !errors.Is(err, errMetadata) {
				t.Errorf("%q: %v, %v; want it refused", list, got, err)
			}
			continue
		}
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("%q: %v, %v; want %v", list, got, err, want)
		}
	}
}

// FuzzMetadata: what is taken is what tusd reads, which keeps it.
func FuzzMetadata(f *testing.F) {
	f.Add("filename YQ==, filetype dGV4dA==,note,,x /w==")
	f.Fuzz(func(t *testing.T, list string) {
		got, err := parseMetadata(list)
		if err != nil {
			return
		}
		if read := handler.ParseMetadataHeader(list); !maps.Equal(read, got) {
			t.Errorf("%q: %v, tusd reads %v", list, got, read)
		}
		if back, err := parseMetadata(handler.SerializeMetadataHeader(got)); err != nil || !maps.Equal(back, got) {
			t.Errorf("%q: %v comes back as %v, %v", list, got, back, err)
		}
	})
}
