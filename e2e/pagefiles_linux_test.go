package e2e_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	raster "image"
	"image/color"
	"image/png"
	"strings"
	"testing"
)

// picture is a small image.
func picture(t testing.TB) string {
	t.Helper()
	drawn := raster.NewRGBA(raster.Rect(0, 0, 320, 200))
	for i := range 320 {
		for j := range 200 {
			drawn.Set(i, j, color.RGBA{uint8(i), uint8(j), 160, 255})
		}
	}
	var data bytes.Buffer
	if err := png.Encode(&data, drawn); err != nil {
		t.Fatal(err)
	}
	return data.String()
}

func pageManage(t *testing.T, st *theatre) {
	s := start(t)
	for name, text := range map[string]string{
		"b.txt": "b", "c.txt": "c", "9.log": "nine nine nine", "10.log": "ten", "folder/deep/in.txt": "hello", "picture.png": picture(t), "small": strings.Repeat("x", 9000),
	} {
		s.put(name, text)
	}
	sum := sha256.Sum256([]byte("nine nine nine"))
	st.play(t, "manage", s.page(), props{"digest": hex.EncodeToString(sum[:])}, nil)
	if got := string(read(t, s.file("new/moved.txt"))); got != "b" {
		t.Errorf("what was renamed twice holds %q", got)
	}
	st.play(t, "previews", s.page(), nil, nil)
}

func pageTransfers(t *testing.T, st *theatre) {
	path := called(t, "slow.bin", 200*mib)
	s := start(t, "--upload-rate", "2MiB")
	var sent chan struct{}
	st.play(t, "watchTransfers", s.page(), nil, cues{"send": func(string) {
		sent = make(chan struct{})
		cmd, err := curlCommand("-T", path, s.fileURL("slow.bin"))
		if err != nil {
			t.Error(err)
		}
		go func() {
			defer close(sent)
			_ = cmd.Run() // it is stopped
		}()
	}})
	<-sent
	s.missing("slow.bin")
}

func pageLogin(t *testing.T, st *theatre) {
	keys := newKeyring(t)
	token := keys.add("alice", "read,write,list")
	s := start(t, "--token-file", keys.path)
	for _, name := range []string{"seen.txt", "deep/in.txt"} {
		s.putAs(bearer(token), name, "content")
	}
	st.play(t, "logIn", s.page(), props{"token": token}, nil)
	st.play(t, "accessibleLogin", s.page(), nil, nil)
}
