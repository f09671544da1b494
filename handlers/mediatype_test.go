package handlers

import (
	"mime"
	"path"
	"strings"
	"testing"
)

func TestMediaType(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, kind, disposition string }{
		{"a.txt", "text/plain; charset=utf-8", shown},
		{"a.LOG", "text/plain; charset=utf-8", shown},
		{"a.png", "image/png", shown},
		{"a.tar.gz", "application/gzip", saved},
		{"a.mkv", "video/matroska", shown},
		{"a.flac", "audio/flac", shown},
		{"a.html", "text/html; charset=utf-8", saved},
		{"a.xhtml", "application/xhtml+xml", saved},
		{"a.svg", "image/svg+xml", saved},
		{"a.xml", "text/xml; charset=utf-8", saved},
		{"a.js", "text/javascript; charset=utf-8", saved},
		{"a.css", "text/css; charset=utf-8", saved},
		{"a.pdf", "application/pdf", saved},
		{"a.unheard-of", "application/octet-stream", saved},
		{"html", "application/octet-stream", saved},
		{".html", "text/html; charset=utf-8", saved},
		{"a.", "application/octet-stream", saved},
		{"a.png.html", "text/html; charset=utf-8", saved},
	} {
		kind := mediaTypeOf(test.name)
		if got := dispositionOf(kind); kind != test.kind || got != test.disposition {
			t.Errorf("%s: %s %s, want %s %s", test.name, got, kind, test.disposition, test.kind)
		}
	}
}

// The types don't follow what the machine knows.
func TestMediaTypeIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a.txt", "a.unheard-of-elsewhere"} {
		before := mediaTypeOf(name)
		if err := mime.AddExtensionType(path.Ext(name), "text/html"); err != nil {
			t.Fatal(err)
		}
		if after := mediaTypeOf(name); after != before {
			t.Errorf("%s: %s, was %s", name, after, before)
		}
	}
}

func TestMediaTypesAreWellFormed(t *testing.T) {
	t.Parallel()
	for extension, kind := range mediaTypes {
		parsed, params, err := mime.ParseMediaType(kind)
		if err != nil || parsed != kind || len(params) > 0 {
			t.Errorf("%s: %q is no bare media type (%v)", extension, kind, err)
		}
		if !strings.HasPrefix(extension, ".") || extension != strings.ToLower(extension) {
			t.Errorf("%q is no extension", extension)
		}
	}
}
