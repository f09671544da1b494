package local

import (
	"math/rand/v2"
	"testing"

	"github.com/minio/crc64nvme"
)

func TestCombineCRC(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	content := make([]byte, 70_000)
	for i := range content {
		content[i] = byte(random.Uint32())
	}
	for _, cut := range []int{0, 1, 7, 8, 255, 4096, 65_537, len(content)} {
		first, second := content[:cut], content[cut:]
		got := combineCRC(crc64nvme.Checksum(first), crc64nvme.Checksum(second), int64(len(second)))
		if want := crc64nvme.Checksum(content); got != want {
			t.Errorf("cut at %d: %016x, want %016x", cut, got, want)
		}
	}
}
