//go:build !linux

package loadtest

// stale says that the server has closed the connection since the last answer, as
// far as that can be seen here without reading.
func (c *conn) stale() bool { return c.answers.Buffered() > 0 }
