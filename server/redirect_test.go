package server

import "testing"

func TestRedirectTarget(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		from, to    int
		asked, want string
	}{
		{80, 443, "files.example", "files.example"},
		{80, 8443, "files.example", "files.example:8443"},
		{8080, 8443, "files.example:8080", "files.example:8443"},
		{8080, 8443, "files.example", "files.example"}, // both ports are mapped
		{8080, 8443, "files.example:90", "files.example"},
		{8080, 443, "files.example:8080", "files.example"},
		{80, 443, "[::1]", "[::1]"},
		{80, 8443, "[::1]", "[::1]:8443"},
		{8080, 8443, "[::1]:8080", "[::1]:8443"},
		{8080, 443, "[::1]:8080", "[::1]"},
	} {
		if got := (redirectTarget{from: test.from, to: test.to}).host(test.asked); got != test.want {
			t.Errorf("from %d to %d, %q: %q, want %q", test.from, test.to, test.asked, got, test.want)
		}
	}
}
