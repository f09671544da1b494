package config_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"sluice/config"
)

func text(value any) string { return fmt.Sprint(value) }

func TestFaults(t *testing.T) {
	t.Parallel()
	inFile := []string{"--config=FILE"}
	tests := []struct {
		name    string
		file    string
		environ []string
		args    []string
		want    []string // a line for each fault
	}{
		{"flag of the wrong kind", "", nil, []string{"--block-size=big"}, []string{
			`block-size: "big" must be a size, such as 65536, 4MiB or 2GB (flag --block-size)`}},
		{"block too small", "", nil, []string{"--block-size=4KiB"}, []string{
			`block-size: 4KiB must be 8KiB to 64MiB (flag --block-size)`,
			`block-size: 4KiB must be 8KiB, 16KiB, 32KiB or a multiple of 64KiB (flag --block-size)`}},
		{"block of an odd size", "", nil, []string{"--block-size=65KiB"}, []string{
			`block-size: 65KiB must be 8KiB, 16KiB, 32KiB or a multiple of 64KiB (flag --block-size)`}},
		{"block too large and no multiple", "", nil, []string{"--block-size=100MB"}, []string{
			`block-size: 100MB must be 8KiB to 64MiB (flag --block-size)`,
			`block-size: 100MB must be 8KiB, 16KiB, 32KiB or a multiple of 64KiB (flag --block-size)`}},
		{"too few blocks", "", []string{"SLUICE_BLOCKS_PER_TRANSFER=1"}, nil, []string{
			`blocks-per-transfer: 1 must be 2 to 8 (environment SLUICE_BLOCKS_PER_TRANSFER)`}},
		{"no whole number", "", []string{"SLUICE_BLOCKS_PER_TRANSFER=2.5"}, nil, []string{
			`blocks-per-transfer: "2.5" must be a whole number (environment SLUICE_BLOCKS_PER_TRANSFER)`}},
		{"empty number", "", []string{"SLUICE_BLOCKS_PER_TRANSFER="}, nil, []string{
			`blocks-per-transfer: "" must be a whole number (environment SLUICE_BLOCKS_PER_TRANSFER)`}},
		{"no room for one transfer", "", nil, []string{"--buffer-memory=255KiB", "--blocks-per-transfer=4"}, []string{
			`buffer-memory: 255KiB must be at least 64KiB times blocks-per-transfer (flag --buffer-memory)`}},
		{"words", "io: Direct\nsend: \"\"\nlog-level: loud\nlog-format: xml\n", nil, inFile, []string{
			`io: "Direct" must be one of auto, direct, buffered (file FILE)`,
			`send: "" must be one of auto, direct, sendfile (file FILE)`,
			`log-level: "loud" must be one of debug, info, warn, error (file FILE)`,
			`log-format: "xml" must be one of json, console (file FILE)`}},
		{"sizes", "max-upload-size: -1\nmax-header-size: 4095\n", nil, inFile, []string{
			`max-upload-size: -1 must be a size, such as 65536, 4MiB or 2GB (file FILE)`,
			`max-header-size: 4095 must be 4KiB to 1MiB (file FILE)`}},
		{"durations", "idle-timeout: 30\nheader-timeout: 0s\nkeep-alive-timeout: -1s\nshutdown-grace: soon\n", nil, inFile, []string{
			`idle-timeout: 30 must be a duration with its unit, such as 500ms, 30s or 5m, and not negative (file FILE)`,
			`keep-alive-timeout: "-1s" must be a duration with its unit, such as 500ms, 30s or 5m, and not negative (file FILE)`,
			`shutdown-grace: "soon" must be a duration with its unit, such as 500ms, 30s or 5m, and not negative (file FILE)`,
			`header-timeout: 0s must be more than 0s (file FILE)`}},
		{"addresses", "listen: \"8080\"\nadmin-listen: localhost:http\n", nil, inFile, []string{
			`listen: "8080" must be host:port with a port of 0 to 65535 (file FILE)`,
			`admin-listen: "localhost:http" must be empty, or host:port with a port of 0 to 65535 (file FILE)`}},
		{"port out of range", "", nil, []string{"--listen=:65536"}, []string{
			`listen: ":65536" must be host:port with a port of 0 to 65535 (flag --listen)`}},
		{"listen off", "", nil, []string{"--listen="}, []string{
			`listen: "" must be host:port with a port of 0 to 65535 (flag --listen)`}},
		{"one address for both listeners", "", nil, []string{"--listen=127.0.0.1:9180"}, []string{
			`admin-listen: "127.0.0.1:9180" must be different from listen, unless its port is 0 (default)`}},
		{"webhooks", "webhook-url: ftp://h/\nwebhook-veto-url: http://u:p@h/\nwebhook-events: created, ended\nwebhook-veto-failure: ajar\n", nil, inFile, []string{
			`webhook-url: "ftp://h/" must be empty, or a URL of http or https with a host and without a user (file FILE)`,
			`webhook-secret-file: "" must be set where webhook-url or webhook-veto-url is (default)`,
			`webhook-events: created,ended must be one or more of created, finished, terminated (file FILE)`,
			`webhook-veto-url: "http://u:p@h/" must be empty, or a URL of http or https with a host and without a user (file FILE)`,
			`webhook-veto-failure: "ajar" must be one of closed, open (file FILE)`}},
		{"no events", "", nil, []string{"--webhook-events="}, []string{
			`webhook-events:  must be one or more of created, finished, terminated (flag --webhook-events)`}},
		{"no root", "", []string{"SLUICE_ROOT="}, nil, []string{
			`root: "" must be at least one character long (environment SLUICE_ROOT)`}},
		{"too many live transfers", "metrics-live-transfers: 1001", nil, inFile, []string{
			`metrics-live-transfers: 1001 must be 0 to 1000 (file FILE)`}},
		{"unknown names", "blocksize: 1MiB\nroot.dir: x\nserver: {listen: x}\nconfig: x\n",
			[]string{"SLUICE_BLOCKSIZE=1", "SLUICE_A.B=1", "SLUICE_block_size=1"}, inFile, []string{
				`blocksize: unknown setting, did you mean block-size? (file FILE)`,
				`config: unknown setting (file FILE)`,
				`root.dir: unknown setting (file FILE)`,
				`server.listen: unknown setting (file FILE)`,
				`SLUICE_A.B: unknown setting (environment)`,
				`SLUICE_BLOCKSIZE: unknown setting, did you mean block-size? (environment)`,
				`SLUICE_block_size: unknown setting, did you mean block-size? (environment)`}},
		{"not one value", "listen:\nroot: [a, b]\nblock-size: 1.5\nio: true\nsend: {}\n", nil, inFile, []string{
			`listen: <nil> must be one value, in quotes if it is text (file FILE)`,
			`root: [a b] must be one value, in quotes if it is text (file FILE)`,
			`block-size: 1.5 must be one value, in quotes if it is text (file FILE)`,
			`io: true must be one value, in quotes if it is text (file FILE)`,
			`send: map[] must be one value, in quotes if it is text (file FILE)`}},
		{"a number for text", "root: 0123", nil, inFile, []string{
			`root: 83 must be in quotes, to be text and not a number (file FILE)`}},
		{"no such file", "", nil, inFile, []string{
			`config: open FILE: no such file or directory (file FILE)`}},
		{"a broken file", "root: [", []string{"SLUICE_IO=x"}, inFile, []string{
			`config: yaml: line 1: did not find expected node content (file FILE)`,
			`io: "x" must be one of auto, direct, buffered (environment SLUICE_IO)`}},
		{"a key twice", "root: a\nroot: b\n", nil, inFile, []string{
			`config: yaml: unmarshal errors: line 2: mapping key "root" already defined at line 1 (file FILE)`}},
		{"a list for a file", "- root\n", nil, inFile, []string{
			`config: yaml: unmarshal errors: line 1: cannot unmarshal !!seq into map[string]interface {} (file FILE)`}},
		{"all layers at once", "io: x\n", []string{"SLUICE_SEND=y", "SLUICE_NO=1"}, []string{"--config=FILE", "--root="}, []string{
			`SLUICE_NO: unknown setting (environment)`,
			`root: "" must be at least one character long (flag --root)`,
			`io: "x" must be one of auto, direct, buffered (file FILE)`,
			`send: "y" must be one of auto, direct, sendfile (environment SLUICE_SEND)`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := load(t, test.file, test.environ, test.args...)
			if err == nil {
				t.Fatal("no fault")
			}
			if want := strings.Join(test.want, "\n"); err.Error() != want {
				t.Errorf("got:\n%v\nwant:\n%s", err, want)
			}
		})
	}
}

func TestAccepted(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{
		"admin off":                  {"--admin-listen="},
		"every interface":            {"--listen=:8080"},
		"IPv6":                       {"--listen=[::1]:8080"},
		"two free ports":             {"--listen=127.0.0.1:0", "--admin-listen=127.0.0.1:0"},
		"smallest block":             {"--block-size=64KiB"},
		"largest block":              {"--block-size=64MiB"},
		"no power of two":            {"--block-size=192KiB"},
		"smallest memory":            {"--buffer-memory=512KiB", "--blocks-per-transfer=8"},
		"no limit and no grace":      {"--max-upload-size=0", "--shutdown-grace=0"},
		"limits of header and rates": {"--max-header-size=4KiB", "--metrics-live-transfers=1000"},
	}
	for name, args := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := load(t, "", nil, args...); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestErrorListsFaults(t *testing.T) {
	t.Parallel()
	fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
	config.Flags(fs)
	c, err := config.Load(fs, []string{"SLUICE_ROOT=", "SLUICE_X=1"})
	faults, ok := errors.AsType[*config.Error](err)
	if !ok || len(faults.Faults) != 2 {
		t.Fatalf("Load returned %v, want two faults", err)
	}
	want := config.Fault{Key: "root", Source: "environment SLUICE_ROOT", Reason: `"" must be at least one character long`}
	if faults.Faults[1] != want {
		t.Errorf("got %+v, want %+v", faults.Faults[1], want)
	}
	if c.Root != "" || c.Entries()[0].Value != "" {
		t.Errorf("Load returned settings beside its error: %+v", c)
	}
}
