package certs

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Pair names the files of a certificate with its chain, and of its key, in PEM.
type Pair struct{ Cert, Key string }

// ErrNoCertificate is returned where a client asks for a name that there is no
// certificate for.
var ErrNoCertificate = errors.New("no certificate for this name")

// Files are the certificates of pairs of files. They may be read again at any
// time: connections that are open keep theirs.
type Files struct {
	pairs []Pair
	certs atomic.Pointer[[]tls.Certificate]

	mu   sync.Mutex
	seen []stamp // of the files when they were last read, whole or not
}

// Open reads all pairs, at least one. It fails unless each is a certificate and
// the key of it.
func Open(pairs []Pair) (*Files, error) {
	f := &Files{pairs: pairs}
	apply, err := f.Prepare()
	if err != nil {
		return nil, err
	}
	apply()
	return f, nil
}

// Prepare reads the files again. What it has read is in use once apply has been
// called; on an error, which names each bad pair, what was in use stays.
func (f *Files) Prepare() (apply func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	// Stamps are taken first: a change in between is seen the next time.
	f.seen = f.stamps()
	certs := make([]tls.Certificate, len(f.pairs))
	var errs []error
	for i, pair := range f.pairs {
		if certs[i], err = tls.LoadX509KeyPair(pair.Cert, pair.Key); err != nil {
			errs = append(errs, fmt.Errorf("certificate %s with key %s: %w", pair.Cert, pair.Key, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return func() { f.certs.Store(&certs) }, nil
}

// Changed reports whether a file has changed since it was last read.
func (f *Files) Changed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !slices.Equal(f.stamps(), f.seen)
}

// Get chooses the first certificate that the client can use, by the name that
// it asks for and the algorithms that it knows. Where there is none for the name
// it is ErrNoCertificate unless orFirst has it be the first one.
func (f *Files) Get(hello *tls.ClientHelloInfo, orFirst bool) (*tls.Certificate, error) {
	certs := *f.certs.Load()
	for i := range certs {
		if hello.SupportsCertificate(&certs[i]) == nil {
			return &certs[i], nil
		}
	}
	if !orFirst {
		return nil, ErrNoCertificate
	}
	return &certs[0], nil
}

// Expiries tells when each certificate in use expires.
func (f *Files) Expiries() []Expiry {
	certs := *f.certs.Load()
	expiries := make([]Expiry, len(certs))
	for i, c := range certs {
		expiries[i] = Expiry{nameOf(c.Leaf), c.Leaf.NotAfter}
	}
	return expiries
}

// stamp tells one version of a file from another.
type stamp struct {
	size    int64
	changed time.Time
	mode    fs.FileMode
	missing bool
}

func (f *Files) stamps() []stamp {
	var stamps []stamp
	for _, pair := range f.pairs {
		for _, path := range []string{pair.Cert, pair.Key} {
			info, err := os.Stat(path) // what a link leads to
			if err != nil {
				stamps = append(stamps, stamp{missing: true})
				continue
			}
			stamps = append(stamps, stamp{size: info.Size(), changed: info.ModTime(), mode: info.Mode()})
		}
	}
	return stamps
}
