package e2e_test

import (
	"testing"
)

// Whatever an answer promises, the files are the same.
func TestDurability(t *testing.T) {
	t.Parallel()
	const size = 9*mib + 123
	path := content(t, size)
	for _, durability := range []string{"none", "commit", "every=1MiB"} {
		for _, io := range []string{"auto", "buffered"} {
			t.Run(durability+" "+io, func(t *testing.T) {
				t.Parallel()
				s := start(t, "--durability", durability, "--io", io)
				for name, send := range map[string]func(t *testing.T, s *server, path, name string){
					"put": sendPUT, "chunked": sendChunked, "form": sendForm, "tus": sendTusCurl,
				} {
					send(t, s, path, name)
					sameFile(t, s.file(name), path)
					if err := download(s.fileURL(name), path); err != nil {
						t.Error(err)
					}
				}
				eventually(t, "the server is at rest", s.atRest)
			})
		}
	}
}
