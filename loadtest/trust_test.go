package loadtest_test

import (
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/loadtest"
	"sluice/loadtest/record"
	"sluice/loadtest/report"
)

// newSecureStore is newStore over TLS, with the file of the certificate that its
// clients have to trust.
func newSecureStore(t *testing.T) (url, caFile string) {
	t.Helper()
	s := &store{files: map[string][]byte{}, uploads: map[string]*upload{}}
	server := httptest.NewTLSServer(s)
	t.Cleanup(server.Close)
	caFile = filepath.Join(t.TempDir(), "ca.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}
	if err := os.WriteFile(caFile, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	return server.URL, caFile
}

func TestHTTPS(t *testing.T) {
	t.Parallel()
	for scenario, path := range map[string]string{"put": "/files/", "form": "/files/", "tus": "/tus/", "get": "/files/"} {
		for _, insecure := range []bool{true, false} {
			for _, verify := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s, insecure %t, verify %t", scenario, insecure, verify), func(t *testing.T) {
					t.Parallel()
					url, caFile := newSecureStore(t)
					trust := loadtest.Trust{Insecure: insecure}
					if !insecure {
						trust.CAFile = caFile
					}
					plan := newPlan(scenario, url+path)
					plan.Trust, plan.Verify, plan.Files, plan.Chunk = trust, verify, 3, 0
					run := measure(t, plan, 1)
					if err := report.NewRun(run).Err(); err != nil || len(run.Transfers) != 3 {
						t.Errorf("%d transfers, %v", len(run.Transfers), err)
					}
				})
			}
		}
	}
}

// Whom nobody vouches for gets nothing.
func TestHTTPSUntrusted(t *testing.T) {
	t.Parallel()
	url, _ := newSecureStore(t)
	run := measure(t, newPlan("put", url+"/files/"), 1)
	if e := run.Transfers[0].Error; e == nil || e.Kind != record.KindConnect || !strings.Contains(e.Error(), "certificate") {
		t.Errorf("got %v", e)
	}
	plan := newPlan("put", url+"/files/")
	plan.Trust.CAFile = filepath.Join(t.TempDir(), "nothing")
	if err := loadtest.Measure(t.Context(), plan, 1, &record.Run{}, nil); err == nil {
		t.Error("a file that isn't there is taken")
	}
}
