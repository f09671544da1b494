package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"sluice/config"
)

// load runs Load as the command line does. The text of file, unless empty, stands in sluice.yaml below a
// temporary folder, whose path takes the place of FILE at the end of args and environ.
func load(t *testing.T, file string, environ []string, args ...string) (config.Config, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sluice.yaml")
	if file != "" {
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	named := func(texts []string) []string {
		texts = slices.Clone(texts)
		for i := range texts {
			if rest, found := strings.CutSuffix(texts[i], "FILE"); found {
				texts[i] = rest + path
			}
		}
		return texts
	}
	fs := pflag.NewFlagSet(t.Name(), pflag.ContinueOnError)
	fs.Bool("unrelated", false, "a flag of the command and not of the settings")
	config.Flags(fs)
	if err := fs.Parse(named(args)); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(fs, named(environ))
	if err != nil {
		err = errors.New(strings.ReplaceAll(err.Error(), path, "FILE"))
	}
	return c, err
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	c, err := load(t, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"listen": "127.0.0.1:8080", "admin-listen": "127.0.0.1:9180", "root": "./data",
		"tls-cert": config.Files(nil), "tls-key": config.Files(nil),
		"acme-domains": config.Hosts(nil), "acme-email": "", "acme-directory": "https://acme-v02.api.letsencrypt.org/directory",
		"http-redirect-listen": "", "hsts-max-age": 4320 * time.Hour, "allow-anonymous-public": false,
		"base-path": "/", "trusted-proxies": config.Networks(nil), "absolute-urls": false, "allowed-hosts": config.Hosts(nil),
		"cors-origins": config.Origins(nil), "anonymous": config.Words("auto"), "token-file": "", "link-key-file": "",
		"jwt-issuer": "", "jwt-audience": "", "jwt-keys-url": "", "jwt-keys-file": "", "jwt-algorithms": config.Words("RS256,PS256,ES256,EdDSA"),
		"jwt-scopes-claim": "scope", "jwt-prefix-claim": "sluice_prefix", "user-header": "", "user-scopes": config.Words("read,write,delete,list"),
		"ietf-uploads": false,
		"block-size":   4 * config.MiB, "blocks-per-transfer": 2, "buffer-memory": 256 * config.MiB,
		"io": config.Auto, "send": config.Auto,
		"durability": config.Durability{Sync: true}, "on-conflict": config.Overwrite, "max-upload-size": config.Size(0), "min-free": config.Size(0), "quota": config.Size(0),
		"max-connections": 10000, "max-connections-per-client": 0, "max-transfers": 4096, "max-transfers-per-client": 0,
		"upload-rate": config.Size(0), "download-rate": config.Size(0), "transfer-rate": config.Size(0), "min-rate": config.Size(0),
		"upload-expiry": 168 * time.Hour,
		"webhook-url":   "", "webhook-secret-file": "", "webhook-events": config.Words("created,finished,terminated"),
		"webhook-timeout": 10 * time.Second, "webhook-max-age": 72 * time.Hour,
		"webhook-veto-url": "", "webhook-veto-timeout": 5 * time.Second, "webhook-veto-failure": config.Closed,
		"max-header-size": 32 * config.KiB,
		"idle-timeout":    30 * time.Second, "header-timeout": 10 * time.Second,
		"keep-alive-timeout": 75 * time.Second, "shutdown-grace": 30 * time.Second,
		"log-level": "info", "log-format": config.JSON, "log-burst": 1000, "access-log": true, "trace-url": "", "metrics-live-transfers": 50,
	}
	for _, entry := range c.Entries() {
		value, listed := want[entry.Key]
		if !listed {
			t.Errorf("%s has no expected default", entry.Key)
		} else if !reflect.DeepEqual(entry.Value, value) {
			t.Errorf("%s = %v, want %v", entry.Key, entry.Value, value)
		}
		if entry.Source != config.FromDefault {
			t.Errorf("%s comes from %q, want the default", entry.Key, entry.Source)
		}
		delete(want, entry.Key)
	}
	if len(want) > 0 {
		t.Errorf("not among the settings: %v", want)
	}
}

func TestLayers(t *testing.T) {
	t.Parallel()
	const file = "block-size: 1MiB\n"
	environ := []string{"SLUICE_CONFIG=FILE", "SLUICE_BLOCK_SIZE=2MiB", "HOME=/", "malformed"}
	tests := []struct {
		name    string
		file    string
		environ []string
		args    []string
		want    config.Size
		source  string
	}{
		{"default", "", nil, nil, 4 * config.MiB, config.FromDefault},
		{"file over default, by flag", file, nil, []string{"--config=FILE"}, config.MiB, "file "},
		{"file over default, by environment", file, environ[:1], nil, config.MiB, "file "},
		{"environment over file", file, environ, nil, 2 * config.MiB, "environment SLUICE_BLOCK_SIZE"},
		{"flag over environment", file, environ, []string{"--block-size=8MiB", "--unrelated"}, 8 * config.MiB, "flag --block-size"},
		{"flag with the default over environment", file, environ, []string{"--block-size=4MiB"}, 4 * config.MiB, "flag --block-size"},
		{"empty --config over SLUICE_CONFIG", file, environ[:1], []string{"--config="}, 4 * config.MiB, config.FromDefault},
		{"the last of two variables", "", append(environ[1:], "SLUICE_BLOCK_SIZE=3MiB"), nil, 3 * config.MiB, "environment SLUICE_BLOCK_SIZE"},
		{"a replaced value may be wrong", "block-size: huge", environ, nil, 2 * config.MiB, "environment SLUICE_BLOCK_SIZE"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, err := load(t, test.file, test.environ, test.args...)
			if err != nil {
				t.Fatal(err)
			}
			if c.BlockSize != test.want {
				t.Errorf("block-size = %v, want %v", c.BlockSize, test.want)
			}
			for _, entry := range c.Entries() {
				if entry.Key == "block-size" && !strings.HasPrefix(entry.Source, test.source) {
					t.Errorf("block-size comes from %q, want %q", entry.Source, test.source)
				}
			}
		})
	}
}

func TestEverySettingInEveryLayer(t *testing.T) {
	t.Parallel()
	values := map[string]string{
		"listen": "[::1]:0", "admin-listen": "localhost:9", "root": "/srv/files",
		"tls-cert": "/etc/a.pem,/etc/b.pem", "tls-key": "/etc/a.key,/etc/b.key",
		"acme-domains": "files.example", "acme-email": "me@files.example", "acme-directory": "https://localhost:14000/dir",
		"http-redirect-listen": ":80", "hsts-max-age": "1h0m0s", "allow-anonymous-public": "true",
		"base-path": "/up", "trusted-proxies": "10.0.0.0/8,::1/128", "absolute-urls": "true", "allowed-hosts": "files.example,::1",
		"cors-origins": "https://app.example,http://localhost:3000", "anonymous": "read,list", "token-file": "/etc/tokens", "link-key-file": "/etc/keys",
		"jwt-issuer": "https://id.example", "jwt-audience": "files", "jwt-keys-url": "https://id.example/keys", "jwt-keys-file": "/etc/jwks",
		"jwt-algorithms": "ES256", "jwt-scopes-claim": "scp", "jwt-prefix-claim": "home", "user-header": "X-Forwarded-User", "user-scopes": "read",
		"ietf-uploads": "true",
		"block-size":   "64KiB", "blocks-per-transfer": "8", "buffer-memory": "1GiB",
		"io": "direct", "send": "sendfile", "durability": "every=64MiB", "on-conflict": "rename",
		"max-upload-size": "5GB", "min-free": "1GiB", "quota": "2TiB",
		"max-connections": "7", "max-connections-per-client": "6", "max-transfers": "5", "max-transfers-per-client": "4",
		"upload-rate": "1GB", "download-rate": "2GB", "transfer-rate": "3GB", "min-rate": "1KiB", "upload-expiry": "1h0m0s",
		"webhook-url": "https://example.org/events?all", "webhook-secret-file": "/etc/secret", "webhook-events": "finished,created",
		"webhook-timeout": "4s", "webhook-max-age": "0s", "webhook-veto-url": "http://[::1]:8000", "webhook-veto-timeout": "5s",
		"webhook-veto-failure": "open",
		"max-header-size":      "1MiB",
		"idle-timeout":         "1s", "header-timeout": "2s", "keep-alive-timeout": "3s", "shutdown-grace": "0s",
		"log-level": "debug", "log-format": "console", "log-burst": "0", "access-log": "false", "trace-url": "http://127.0.0.1:4318", "metrics-live-transfers": "0",
	}
	var environ, args []string
	var file strings.Builder
	for key, value := range values {
		file.WriteString(key + ": \"" + value + "\"\n")
		environ = append(environ, "SLUICE_"+strings.ToUpper(strings.ReplaceAll(key, "-", "_"))+"="+value)
		args = append(args, "--"+key+"="+value)
	}
	for name, sources := range map[string]struct {
		file    string
		environ []string
		args    []string
	}{
		"file":        {file.String(), nil, []string{"--config", "FILE"}},
		"environment": {"", environ, nil},
		"flags":       {"", nil, args},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := load(t, sources.file, sources.environ, sources.args...)
			if err != nil {
				t.Fatal(err)
			}
			for _, entry := range c.Entries() {
				if got := text(entry.Value); got != values[entry.Key] {
					t.Errorf("%s = %s, want %s", entry.Key, got, values[entry.Key])
				}
			}
		})
	}
}

func TestSwitch(t *testing.T) {
	t.Parallel()
	c, err := load(t, "ietf-uploads: true\n", nil, "--config=FILE", "--absolute-urls")
	if err != nil {
		t.Fatal(err)
	}
	if !c.IETFUploads || !c.AbsoluteURLs {
		t.Errorf("got %v, %v", c.IETFUploads, c.AbsoluteURLs)
	}
}

func TestFileHoldsNumbers(t *testing.T) {
	t.Parallel()
	c, err := load(t, "max-upload-size: 1000\nblocks-per-transfer: 3\nshutdown-grace: 0\n", nil, "--config=FILE")
	if err != nil {
		t.Fatal(err)
	}
	if c.MaxUploadSize != 1000 || c.BlocksPerTransfer != 3 || c.ShutdownGrace != 0 {
		t.Errorf("got %v, %v, %v", c.MaxUploadSize, c.BlocksPerTransfer, c.ShutdownGrace)
	}
}

func TestEmptyFileChangesNothing(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"# nothing\n", "---\n", "{}\n"} {
		if _, err := load(t, file, nil, "--config=FILE"); err != nil {
			t.Errorf("%q: %v", file, err)
		}
	}
}
