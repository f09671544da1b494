package hooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"
)

// ErrSecret: a secret hasn't the form that the specification asks for.
var ErrSecret = errors.New("secret must be whsec_ and 24 to 64 bytes in base64")

const (
	secretPrefix   = "whsec_"
	shortestSecret = 24 // bytes
	longestSecret  = 64
)

// Secret is the key that events are signed with. It prints as nothing of it.
type Secret struct{ key []byte }

// ParseSecret reads a secret of Standard Webhooks, as it stands in a file. Its
// error tells nothing of the text.
func ParseSecret(text string) (Secret, error) {
	encoded, found := strings.CutPrefix(strings.TrimSpace(text), secretPrefix)
	key, err := base64.StdEncoding.DecodeString(encoded)
	if !found || err != nil || len(key) < shortestSecret || len(key) > longestSecret {
		return Secret{}, ErrSecret
	}
	return Secret{key}, nil
}

// String implements [fmt.Stringer].
func (Secret) String() string { return secretPrefix + "..." }

// GoString implements [fmt.GoStringer].
func (s Secret) GoString() string { return s.String() }

// sign is the value of Webhook-Signature.
func (s Secret) sign(id string, at time.Time, body []byte) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
