package handlers

import (
	"errors"
	"testing"

	"sluice/storage"
)

func TestParseDestination(t *testing.T) {
	t.Parallel()
	const host, base = "files.example:8080", "/up"
	for _, test := range []struct {
		field, want string
		err         error
	}{
		{"/up/files/a", "a", nil},
		{"/up/files/a/b%20c/", "a/b c", nil},
		{"/up/files/a%2Fb", "a/b", nil},
		{"/up/files/%E2%82%AC", "€", nil},
		{"http://files.example:8080/up/files/a", "a", nil},
		{"https://FILES.example:8080/up/files/a", "a", nil},
		{"/up/files/", "", nil},
		{"/files/a", "", errElsewhere},
		{"/up/tus/a", "", errElsewhere},
		{"/up/filesystem", "", errElsewhere},
		{"http://files.example/up/files/a", "", errElsewhere},
		{"http://evil.example/up/files/a", "", errElsewhere},
		{"//evil.example/up/files/a", "", errDestination},
		{"ftp://files.example:8080/up/files/a", "", errDestination},
		{"http://user@files.example:8080/up/files/a", "", errDestination},
		{"mailto:a", "", errDestination},
		{"", "", errDestination},
		{"a", "", errDestination},
		{"/up/files/a?b", "", errDestination},
		{"/up/files/a?", "", errDestination},
		{"/up/files/a#b", "", errDestination},
		{"/up/files/%zz", "", errDestination},
		{"/up/files/a\x00", "", errDestination},
		{"/up/files/a%00", "", storage.ErrName},
		{"/up/files/../../etc", "", storage.ErrName},
		{"/up/files/a/%2e%2e/b", "", storage.ErrName},
		{"/up/files//a", "", storage.ErrName},
		{"/up/files/.sluice/uploads/x", "", storage.ErrName},
	} {
		name, err := parseDestination(test.field, host, base)
		if name.String() != test.want || !errors.Is(err, test.err) {
			t.Errorf("%q: %q, %v; want %q, %v", test.field, name, err, test.want, test.err)
		}
	}
}

// Whatever a destination is, it names a file that a path could name as well.
func FuzzDestination(f *testing.F) {
	for _, seed := range []string{"/up/files/a", "http://h/up/files/a%20b/c", "//h/up/files/a", "/up/files/..%2f", "http://h:1/up/files/%00", "HTTPS://H/up/files/é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, field string) {
		name, err := parseDestination(field, "h", "/up")
		if err != nil {
			return
		}
		again, err := parseDestination("/up"+filesPath+escape(name), "h", "/up")
		if err != nil || again != name {
			t.Errorf("%q is %q, which as a destination is %q, %v", field, name, again, err)
		}
	})
}
