package agent

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
)

// minSecret is the length of a secret in bytes below which it could be guessed.
const minSecret = 16

// ErrSecret says that the other end doesn't know the secret.
var ErrSecret = errors.New("the secrets differ")

// CheckSecret returns what is wrong with a secret. None at all is right where
// nobody else can connect.
func CheckSecret(secret []byte) error {
	if len(secret) > 0 && len(secret) < minSecret {
		return fmt.Errorf("the secret has %d bytes, fewer than %d", len(secret), minSecret)
	}
	return nil
}

// The names of the two ends, or else the proof of one could be sent back as that
// of the other.
const (
	agentsEnd = "agent"
	givesWork = "coordinator"
)

// handshake has both ends show that they know the secret, which neither sends.
func (w *wire) handshake(secret []byte, own, other string) error {
	nonce := make([]byte, 32)
	_, _ = rand.Read(nonce) // which never fails
	if err := w.send(message{Hello: &hello{Version: version, Nonce: nonce}}); err != nil {
		return err
	}
	m, err := w.receive(lostAfter)
	switch {
	case err != nil:
		return err
	case m.Refused != "":
		return errors.New("refused: " + m.Refused)
	case m.Hello == nil || m.Hello.Version != version:
		return errors.New("the other end doesn't speak as this one does")
	}
	theirs := m.Hello.Nonce
	if err := w.send(message{Proof: &proof{mac(secret, own, theirs, nonce)}}); err != nil {
		return err
	}
	m, err = w.receive(lostAfter)
	if err != nil {
		return err
	}
	if m.Proof == nil || !hmac.Equal(m.Proof.MAC, mac(secret, other, nonce, theirs)) {
		return ErrSecret
	}
	return nil
}

// mac is the proof of the end of that name: over the nonce that the other one
// chose, and its own.
func mac(secret []byte, end string, theirs, own []byte) []byte {
	h := hmac.New(sha256.New, secret)
	fmt.Fprintf(h, "%s\n%d\n", end, version)
	h.Write(theirs)
	h.Write(own)
	return h.Sum(nil)
}
