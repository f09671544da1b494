package multipart_test

import (
	"errors"
	"io"
	stdmultipart "mime/multipart"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sluice/internal/multipart"
)

// outcome is what a scanner made of a body.
type outcome struct {
	entries []entry
	err     error
}

func (o outcome) equal(other outcome) bool {
	return (o.err == nil) == (other.err == nil) && (o.err != nil || slices.Equal(o.entries, other.entries))
}

// difference is a rule by which sluice and mime/multipart disagree.
type difference struct {
	name, rule string
	body       string                                    // an example
	explains   func(body string, ours, std outcome) bool // whether it may be why they disagree
}

// differences are all of them.
var differences = []difference{
	{
		name: "bare LF around a delimiter",
		rule: "RFC 2046 §5.1.1: a delimiter stands between CRLFs; §4.1.1: CRLF alone ends a line",
		body: "--B\nContent-Disposition: form-data; name=f\n\na\n--B--\n",
		explains: func(body string, _, _ outcome) bool {
			return bareLF.MatchString(body)
		},
	},
	{
		name: "bare CR or LF in a header",
		rule: "RFC 2046 §4.1.1: CR and LF outside a CRLF are forbidden",
		body: "--B\r\nX: y\nContent-Disposition: form-data; name=f\r\n\r\na\r\n--B--",
		explains: func(_ string, ours, _ outcome) bool {
			return rejected(ours, "bare CR or LF")
		},
	},
	{
		name: "something other than blanks and CRLF behind what might be a delimiter",
		rule: "RFC 2046 §5.1.1: delimiter transport-padding CRLF; else the line is content",
		body: "--B\r\nContent-Disposition: form-data; name=f\r\n\r\na\r\n--B b\r\n--B--",
		explains: func(_ string, _, std outcome) bool {
			return rejected(std, "unexpected line in Next()") || rejected(std, "expecting a new Part")
		},
	},
	{
		name: "something other than blanks and CRLF behind the closing delimiter",
		rule: "RFC 2046 §5.1.1: close-delimiter is delimiter \"--\"; what follows may be discarded",
		body: "--B\r\nContent-Disposition: form-data; name=f\r\n\r\na\r\n--B--b",
		explains: func(_ string, ours, std outcome) bool {
			return ours.err == nil && rejected(std, "NextPart: EOF")
		},
	},
	{
		name: "body that ends in a part's header",
		rule: "RFC 2046 §5.1.1: a multipart-body ends in a close-delimiter; there it looks like one",
		body: "--B\r\nContent-Disposition: form-data; name=f\r\n",
		explains: func(_ string, ours, _ outcome) bool {
			return rejected(ours, "open part") && errors.Is(ours.err, io.ErrUnexpectedEOF)
		},
	},
	{
		name: "form without a part",
		rule: "RFC 2046 §5.1.1: a multipart-body has one body-part at least",
		body: "--B--\r\n",
		explains: func(_ string, ours, _ outcome) bool {
			return rejected(ours, "closed without a part")
		},
	},
	{
		name: "part without one Content-Disposition of form-data and its name",
		rule: "RFC 7578 §4.2: both MUST be there; RFC 6266 §4.1: no parameter twice",
		body: "--B\r\nContent-Disposition: attachment\r\n\r\na\r\n--B--",
		explains: func(_ string, ours, _ outcome) bool {
			return rejected(ours, "content-disposition")
		},
	},
	{
		name: "long line before the first delimiter",
		rule: "RFC 2046 §5.1.1: a preamble is ignored; here up to 64 KiB of it, there up to 4 KiB of a line",
		body: strings.Repeat("p", 5000) + "\r\n--B\r\nContent-Disposition: form-data; name=f\r\n\r\na\r\n--B--",
		explains: func(_ string, ours, std outcome) bool {
			return rejected(std, "buffer full") || rejected(ours, "no delimiter in the first")
		},
	},
	{
		name: "long padding",
		rule: "RFC 2046 §5.1.1: composers MUST NOT pad; receivers handle what transports added, here 128 bytes",
		body: "--B" + strings.Repeat(" ", 129) + "\r\nContent-Disposition: form-data; name=f\r\n\r\na\r\n--B--",
		explains: func(_ string, ours, _ outcome) bool {
			return rejected(ours, "blanks")
		},
	},
	{
		name: "limits",
		rule: "none of a standard: Limits",
		body: "--B\r\nX: " + strings.Repeat("x", 16<<10) + "\r\nContent-Disposition: form-data; name=f\r\n\r\na\r\n--B--",
		explains: func(_ string, ours, _ outcome) bool {
			return errors.Is(ours.err, multipart.ErrHeaderTooLarge) || errors.Is(ours.err, multipart.ErrTooManyParts)
		},
	},
}

// bareLF finds a delimiter that has a bare LF before or behind it. The
// boundary is B in the oracle's eyes, whatever it was on the wire.
var bareLF = regexp.MustCompile(`(^|[^\r])\n--B|--B[ \t]*\n`)

func rejected(o outcome, reason string) bool {
	return o.err != nil && strings.Contains(o.err.Error(), reason)
}

// std takes a body apart with mime/multipart.
func std(body, boundary string) outcome {
	var entries []entry
	r := stdmultipart.NewReader(strings.NewReader(body), boundary)
	for {
		part, err := r.NextRawPart()
		if err == io.EOF {
			return outcome{entries, nil}
		} else if err != nil {
			return outcome{entries, err}
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return outcome{entries, err}
		}
		entries = append(entries, entry{name: part.FormName(), content: string(content)})
	}
}

// ours takes a body apart in random splits, with reads of size bytes. File
// names are not compared: mime/multipart cuts them.
func ours(body, boundary string, size int, seed uint64) outcome {
	most := 1 + int(seed%200)
	entries, err := decode(newSplitter(strings.NewReader(body), seed, most), boundary, size, multipart.Limits{})
	for i := range entries {
		entries[i].file = ""
	}
	return outcome{entries, err}
}

// TestDifferences fails where a listed difference is none.
func TestDifferences(t *testing.T) {
	t.Parallel()
	for _, d := range differences {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			ours, std := ours(d.body, boundary, 4096, 1), std(d.body, boundary)
			if ours.equal(std) || !d.explains(d.body, ours, std) {
				t.Errorf("%s: got %q, %v, mime/multipart %q, %v", d.rule, ours.entries, ours.err, std.entries, std.err)
			}
		})
	}
}

// oracleBoundaries have no B in them, and stand for B in the fuzzer's bodies.
var oracleBoundaries = []string{boundary, "xYzZY", "----WebKitFormxoundary7MA4YWxkTrZu0gW", "--", strings.Repeat("ab", 35), "a b"}

// FuzzReader holds the scanner against mime/multipart on the same bytes, in
// random splits. What the fuzzer writes as --B becomes --boundary.
func FuzzReader(f *testing.F) {
	f.Add(encode(boundary, entry{"f", "x", "a"}, entry{"v", "", "value"}), uint8(0), uint16(4096), uint64(1))
	f.Add(encode(boundary, entry{"f", "x", "\r\n--Bx\r\n--B-\r\n--B x\r\n--B\r"}), uint8(1), uint16(1), uint64(2))
	f.Add("preamble\r\n--B \t\r\n"+head+"\r\n--B\r\n"+head+"\r\n\r\n--B--epilogue", uint8(2), uint16(5000), uint64(3))
	f.Add("--B\r\n"+head+"X: a\r\n b\r\n\r\n\r\n\r\n--B", uint8(3), uint16(7), uint64(4))
	for i, d := range differences {
		f.Add(d.body, uint8(i), uint16(8192), uint64(5))
	}
	f.Fuzz(func(t *testing.T, body string, which uint8, size uint16, seed uint64) {
		boundary := oracleBoundaries[int(which)%len(oracleBoundaries)]
		wire := strings.ReplaceAll(body, "--B", "--"+boundary)
		ours, std := ours(wire, boundary, 1+int(size), seed), std(wire, boundary)
		// Names with these are FuzzDisposition's and FuzzFileName's matter.
		if strings.ContainsAny(body, `%\*`) {
			ours.entries, std.entries = withoutNames(ours.entries), withoutNames(std.entries)
		}
		if ours.equal(std) {
			return
		}
		for _, d := range differences {
			if d.explains(strings.ReplaceAll(wire, "--"+boundary, "--B"), ours, std) {
				return
			}
		}
		t.Errorf("boundary %q: got %q, %v, mime/multipart %q, %v", boundary, ours.entries, ours.err, std.entries, std.err)
	})
}

func withoutNames(entries []entry) []entry {
	for i := range entries {
		entries[i].name = ""
	}
	return entries
}

// FuzzContent sends a content by a boundary that it does not hold, and wants
// it back, in any splits.
func FuzzContent(f *testing.F) {
	f.Add("\r\n--Bx\r\n\r\n--", uint8(0), uint16(4096), uint64(1))
	f.Add("\r\n-----WebKitFormBoundary", uint8(3), uint16(1), uint64(2))
	f.Add(strings.Repeat("\r\n--$x", 400), uint8(2), uint16(8191), uint64(3))
	f.Add(strings.Repeat("\r\n--$  \rx\r\n--$ --\r\n--$-", 100), uint8(4), uint16(65535), uint64(4))
	f.Fuzz(func(t *testing.T, content string, which uint8, size uint16, seed uint64) {
		boundary := boundaries[int(which)%len(boundaries)]
		// Let the fuzzer write the boundary as $.
		content = strings.ReplaceAll(content, "$", boundary)
		delimiter := regexp.MustCompile(`(^|\r\n)--` + regexp.QuoteMeta(boundary) + `(--|[ \t]*(\r\n|$)|[ \t]{129})`)
		if delimiter.MatchString(content) {
			t.Skip()
		}
		want := []entry{{"f", "x", content}, {"v", "", "value"}, {"g", "y", content}}
		body := newSplitter(strings.NewReader(encode(boundary, want...)), seed, 1+int(seed%5000))
		got, err := decode(body, boundary, 1+int(size), multipart.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, got, want)
	})
}
