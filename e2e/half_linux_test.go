package e2e_test

// beginHalf sends the first half of an upload, and returns once the server has
// it.
func (w way) beginHalf(s *server, name string, data []byte) *uploading {
	s.t.Helper()
	before, half := s.countedBytes(w.protocol), len(data)/2
	u := w.begin(s, name, len(data))
	u.send(data[:half])
	s.received(w.protocol, before+half-w.held)
	return u
}

// rest sends the rest of an upload, which the server may refuse to read, and
// returns its answer.
func (u *uploading) rest(data []byte) reply {
	u.peer.t.Helper()
	_, _ = u.Write(data)
	_ = u.peer.try(u.tail)
	_ = u.peer.conn.CloseWrite()
	return u.peer.rest()
}

// succeedWith sends the rest of an upload that must be stored.
func (u *uploading) succeedWith(data []byte) {
	u.peer.t.Helper()
	u.send(data)
	u.succeed()
}
