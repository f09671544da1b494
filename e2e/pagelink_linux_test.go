package e2e_test

import "testing"

// Whoever gets a link opens it in a browser, and can do there what it is good for.
func pageLinks(t *testing.T, st *theatre) {
	keys, tokens := linkKeys(t), newKeyring(t)
	owner := bearer(tokens.add("owner", "write"))
	s := start(t, "--link-key-file", keys, "--token-file", tokens.path)
	for name, text := range map[string]string{"in/b.txt": "what b holds", "in/deep/c.txt": "what c holds", "others/d.txt": "what d holds"} {
		s.putAs(owner, name, text)
	}
	path, small := called(t, "sent.bin", 5*mib), called(t, "small.bin", 5000)
	paths := []string{path, small}

	drops := s.url(sign(t, keys, "drops/", "--upload"))
	st.play(t, "dropByLink", drops, props{"paths": paths, "sent": []string{"drops/sent.bin", "drops/small.bin"}}, nil)
	sameFile(t, s.file("drops/sent.bin"), path)
	sameFile(t, s.file("drops/small.bin"), small)

	plain := s.url(sign(t, keys, "plain/", "--upload"))
	st.play(t, "dropPlainly", plain, props{"paths": paths, "sent": []string{"plain/sent.bin"}}, nil)
	sameFile(t, s.file("plain/sent.bin"), path)

	reads := s.url(sign(t, keys, "in/", "--methods", "GET"))
	st.play(t, "browseByLink", reads, props{"content": "what b holds"}, nil)

	both := s.url(sign(t, keys, "in/", "--methods", "GET,POST"))
	st.play(t, "sendByLink", both, props{"paths": paths, "sent": []string{"in/sent.bin"}}, nil)
	sameFile(t, s.file("in/sent.bin"), path)
}

// Whoever may, makes links on the page.
func pageShare(t *testing.T, st *theatre) {
	tokens := newKeyring(t)
	token := tokens.add("owner", "read,write,list")
	s := start(t, "--link-key-file", linkKeys(t), "--token-file", tokens.path)
	s.putAs(bearer(token), "in/b.txt", "what b holds")
	path := called(t, "sent.bin", mib)
	st.play(t, "share", s.page(), props{"token": token, "paths": []string{path}, "sent": []string{"in/sent.bin"}}, nil)
	sameFile(t, s.file("in/sent.bin"), path)
}
