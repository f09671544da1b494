package e2e_test

import (
	"strings"
	"testing"
)

// TestAnalyze shows on made-up traces what the analysis sees, above all that it
// sees a copy between socket and file.
func TestAnalyze(t *testing.T) {
	t.Parallel()
	const accept = "7 accept4(0x3, 0xa, 0xb, 0x80800) = 0x8\n"
	for _, test := range []struct {
		name  string
		trace string
		want  journey
	}{
		{"straight", accept +
			"7 read(0x8, 0x100000, 0x40000) = 0x10000\n" +
			"7 read(0x8, 0x110000, 0x30000) = 0x30000\n" +
			"8 pwrite64(0x9, 0x100000, 0x40000, 0) = 0x40000\n",
			journey{read: 0x40000, large: 0x40000, written: 0x40000, straight: 0x40000}},
		{"extra copy", accept +
			"7 read(0x8, 0x100000, 0x40000) = 0x40000\n" +
			"8 pwrite64(0x9, 0x500000, 0x40000, 0) = 0x40000\n",
			journey{read: 0x40000, large: 0x40000, written: 0x40000}},
		{"extra copy of one block in two", accept +
			"7 read(0x8, 0x100000, 0x40000) = 0x40000\n" +
			"8 pwrite64(0x9, 0x100000, 0x40000, 0) = 0x40000\n" +
			"7 read(0x8, 0x100000, 0x40000) = 0x40000\n" +
			"8 pwrite64(0x9, 0x500000, 0x40000, 0x40000) = 0x40000\n",
			journey{read: 0x80000, large: 0x80000, written: 0x80000, straight: 0x40000}},
		{"small reads into a buffer that is copied on", accept +
			"7 read(0x8, 0x100000, 0x1000) = 0x1000\n" +
			"7 read(0x8, 0x100000, 0x1000) = 0x1000\n" +
			"8 pwrite64(0x9, 0x500000, 0x2000, 0) = 0x2000\n" +
			"8 pwrite64(0x9, 0x100000, 0x1000, 0x2000) = 0x1000\n",
			journey{read: 0x2000, written: 0x3000, straight: 0x1000}},
		{"read that returns when the write has begun", accept +
			"7 read(0x8, 0x100000, 0x40000 <unfinished ...>\n" +
			"8 pwrite64(0x9, 0x100000, 0x40000, 0 <unfinished ...>\n" +
			"7 <... read resumed>) = 0x40000\n" +
			"8 <... pwrite64 resumed>) = 0x40000\n",
			journey{read: 0x40000, large: 0x40000, written: 0x40000}},
		{"read that returns before the write begins", accept +
			"7 read(0x8, 0x100000, 0x40000 <unfinished ...>\n" +
			"8 pwrite64(0x9, 0x500000, 0x10, 0 <unfinished ...>\n" +
			"7 <... read resumed>) = 0x40000\n" +
			"8 <... pwrite64 resumed>) = 0x10\n" +
			"8 pwrite64(0x9, 0x100000, 0x40000, 0x10) = 0x40000\n",
			journey{read: 0x40000, large: 0x40000, written: 0x40010, straight: 0x40000}},
		{"read from a file", accept + "7 close(0x8) = 0\n" +
			"7 read(0x8, 0x100000, 0x40000) = 0x40000\n" +
			"8 pwrite64(0x9, 0x100000, 0x40000, 0) = 0x40000\n",
			journey{written: 0x40000}},
		{"errors", accept +
			"7 read(0x8, 0x100000, 0x40000) = -1 EAGAIN (Resource temporarily unavailable)\n" +
			"7 accept4(0x3, 0xa, 0xb, 0x80800) = -1 EAGAIN (Resource temporarily unavailable)\n" +
			"9 +++ exited with 0 +++\n",
			journey{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := analyze(strings.NewReader(test.trace))
			if err != nil {
				t.Fatal(err)
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
