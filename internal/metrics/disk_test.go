package metrics_test

import (
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
)

// disk lets the disk of a server do one of each.
func (s *server) disk() {
	disk := s.metrics.Disk()
	disk.Wrote(true, 2*time.Millisecond)
	disk.Wrote(false, 20*time.Microsecond)
	disk.Synced(false, 5*time.Millisecond)
	disk.Synced(true, 700*time.Microsecond)
	disk.Failed("write", "full")
}

func TestDisk(t *testing.T) {
	t.Parallel()
	s := newServer(0)
	s.disk()
	families := parse(t, s.scrape(t))
	for _, tt := range []struct {
		name, label, value string
		sum                float64
	}{
		{"sluice_storage_write_seconds", "path", "direct", .002},
		{"sluice_storage_write_seconds", "path", "buffered", .00002},
		{"sluice_storage_sync_seconds", "what", "file", .005},
		{"sluice_storage_sync_seconds", "what", "folder", .0007},
	} {
		h := histogramWith(families[tt.name], tt.label, tt.value)
		if h.GetSampleCount() != 1 || h.GetSampleSum() != tt.sum {
			t.Errorf("%s of %s is %v, want one sample of %v", tt.name, tt.value, h, tt.sum)
		}
	}
	if got := counter(families["sluice_storage_errors_total"], "kind", "full"); got != 1 {
		t.Errorf("%v full disks, want 1", got)
	}
	if got := len(families["sluice_storage_errors_total"].GetMetric()); got != 25 {
		t.Errorf("%d series of errors, want one for each operation and kind", got)
	}
}

func histogramWith(family *dto.MetricFamily, name, value string) *dto.Histogram {
	for _, m := range family.GetMetric() {
		if label(m, name) == value {
			return m.Histogram
		}
	}
	return nil
}

// Without a certificate there is no time at which it ends.
func TestCertificate(t *testing.T) {
	t.Parallel()
	families := parse(t, newServer(0).scrape(t))
	want := float64(time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC).Unix())
	if got := gauge(families["sluice_tls_certificate_not_after_timestamp_seconds"]); got != want {
		t.Errorf("the certificate ends at %v, want %v", got, want)
	}
}
