package multipart_test

import (
	"errors"
	"mime"
	"regexp"
	"strings"
	"testing"

	"sluice/internal/multipart"
)

func TestBoundary(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("b", 70)
	tests := []struct {
		name, contentType, want string
		err                     error
	}{
		{"plain", "multipart/form-data; boundary=B", "B", nil},
		{"quoted", `multipart/form-data; boundary="a b:c"`, "a b:c", nil},
		{"every character", `multipart/form-data; boundary="09azAZ'()+_,-./:=? z"`, "09azAZ'()+_,-./:=? z", nil},
		{"any case", "Multipart/Form-Data; BOUNDARY=Bb", "Bb", nil},
		{"with other parameters", "multipart/form-data; charset=utf-8; boundary=B", "B", nil},
		{"70 characters", "multipart/form-data; boundary=" + long, long, nil},
		{"71 characters", "multipart/form-data; boundary=b" + long, "", multipart.ErrBoundary},
		{"4000 characters", "multipart/form-data; boundary=" + strings.Repeat("b", 4000), "", multipart.ErrBoundary},
		{"missing", "multipart/form-data", "", multipart.ErrNotMultipart},
		{"missing behind a semicolon", "multipart/form-data;", "", multipart.ErrNotMultipart},
		{"no value", "multipart/form-data; boundary=", "", multipart.ErrBoundary},
		{"empty", `multipart/form-data; boundary=""`, "", multipart.ErrBoundary},
		{"blank at the end", `multipart/form-data; boundary="a "`, "", multipart.ErrBoundary},
		{"not quoted where it has to be", "multipart/form-data; boundary=a:b", "", multipart.ErrBoundary},
		{"open quote", `multipart/form-data; boundary="a`, "", multipart.ErrBoundary},
		{"other character", `multipart/form-data; boundary="a_*"`, "", multipart.ErrBoundary},
		{"not ASCII", `multipart/form-data; boundary="é"`, "", multipart.ErrBoundary},
		{"two that differ", "multipart/form-data; boundary=a; boundary=b", "", multipart.ErrBoundary},
		{"other multipart", "multipart/mixed; boundary=B", "", multipart.ErrNotMultipart},
		{"url-encoded", "application/x-www-form-urlencoded", "", multipart.ErrNotMultipart},
		{"longer type", "multipart/form-data2; boundary=B", "", multipart.ErrNotMultipart},
		{"no type", "", "", multipart.ErrNotMultipart},
		{"no type but a boundary", "; boundary=B", "", multipart.ErrNotMultipart},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := multipart.Boundary(tt.contentType)
			if got != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("got %q, %v, want %q, %v", got, err, tt.want, tt.err)
			}
		})
	}
}

func TestNewReaderChecksTheBoundary(t *testing.T) {
	t.Parallel()
	for _, boundary := range []string{"", "a ", "a\r\nb", "é", strings.Repeat("b", 71)} {
		if _, err := multipart.NewReader(strings.NewReader(""), boundary, multipart.Limits{}); !errors.Is(err, multipart.ErrBoundary) {
			t.Errorf("boundary %q: got %v, want %v", boundary, err, multipart.ErrBoundary)
		}
	}
}

// FuzzBoundary holds Boundary against the grammar of RFC 2046 §5.1.1.
func FuzzBoundary(f *testing.F) {
	f.Add("multipart/form-data; boundary=B")
	f.Add(`Multipart/Form-Data ; a="b" ; boundary="a b:c"`)
	f.Add("multipart/form-data; boundary*0=a; boundary*1=b")
	f.Add("multipart/form-data; boundary*=utf-8''a%20b")
	f.Add(`multipart/mixed; boundary=""`)
	grammar := regexp.MustCompile(`^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$`)
	f.Fuzz(func(t *testing.T, contentType string) {
		kind, params, err := mime.ParseMediaType(contentType)
		valid := err == nil && kind == "multipart/form-data" && grammar.MatchString(params["boundary"])
		got, err := multipart.Boundary(contentType)
		switch {
		case valid && (err != nil || got != params["boundary"]):
			t.Errorf("got %q, %v, want %q", got, err, params["boundary"])
		case !valid && (err == nil || got != ""):
			t.Errorf("got %q, %v, want an error alone", got, err)
		case err != nil && errors.Is(err, multipart.ErrBoundary) == errors.Is(err, multipart.ErrNotMultipart):
			t.Errorf("got %v, want one of the two errors", err)
		}
	})
}
