package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// ErrUnavailable: nobody can say by now whether the credential holds.
var ErrUnavailable = errors.New("keys of the issuer are not available")

const (
	// maxKeySet bounds a set of keys, and what tells where it is, in bytes.
	maxKeySet = 1 << 20
	// maxSetKeys bounds the keys in it.
	maxSetKeys = 100
	// keysLife is after how long keys are asked for anew, and keysGap the
	// shortest time between two attempts, whatever tokens ask for.
	keysLife = time.Hour
	keysGap  = 30 * time.Second
	// fetchTimeout bounds how long a request waits for keys.
	fetchTimeout = 5 * time.Second
)

// readKeySet reads a set of keys from a file (RFC 7517 section 5).
func readKeySet(path string) ([]jose.JSONWebKey, error) {
	data, err := readBounded(path, maxKeySet)
	if err != nil {
		return nil, fmt.Errorf("read JWT keys: %w", err)
	}
	keys, err := parseKeySet(data)
	if err != nil {
		return nil, fmt.Errorf("read JWT keys of %s: %w", path, err)
	}
	return keys, nil
}

// parseKeySet keeps the keys that can verify signatures: public ones. A shared
// secret, or a private key, has no business in a set that everybody may read.
func parseKeySet(data []byte) ([]jose.JSONWebKey, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(data, &set); err != nil {
		return nil, fmt.Errorf("no set of keys: %w", err)
	}
	if len(set.Keys) > maxSetKeys {
		return nil, fmt.Errorf("more than %d keys", maxSetKeys)
	}
	var keys []jose.JSONWebKey
	for _, raw := range set.Keys {
		var key jose.JSONWebKey
		// Kinds that aren't known here stand there for others.
		if key.UnmarshalJSON(raw) != nil || !key.Valid() || !key.IsPublic() || key.Use != "" && key.Use != "sig" {
			continue
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, errors.New("no public key for signatures")
	}
	return keys, nil
}

// withID chooses keys by their id. A token without one can only mean the only
// key that there is.
func withID(keys []jose.JSONWebKey, kid string) []jose.JSONWebKey {
	if kid == "" {
		if len(keys) == 1 {
			return keys
		}
		return nil
	}
	var found []jose.JSONWebKey
	for _, key := range keys {
		if key.KeyID == kid {
			found = append(found, key)
		}
	}
	return found
}

// fileKeys are keys from a file.
type fileKeys struct {
	file *watchedFile[[]jose.JSONWebKey]
}

func (f fileKeys) find(kid string, now time.Time) ([]jose.JSONWebKey, error) {
	return withID(f.file.get(now), kid), nil
}

// remoteKeys are keys that the issuer publishes. Those that are known stay, until
// others have come: an issuer that is down takes nobody's access away.
type remoteKeys struct {
	issuer, url string // url is empty where the issuer tells it
	client      *http.Client

	mu      sync.Mutex
	keys    []jose.JSONWebKey
	fetched time.Time     // when the keys came
	tried   time.Time     // when they were asked for last
	running chan struct{} // closed when the attempt that runs has ended; nil for none
}

func newRemoteKeys(issuer, url string) *remoteKeys {
	return &remoteKeys{issuer: issuer, url: url, client: &http.Client{Timeout: fetchTimeout}}
}

// find looks for keys among those that are known. Old ones are renewed meanwhile;
// an id that isn't known is waited for, since that is how issuers change keys.
func (r *remoteKeys) find(kid string, now time.Time) ([]jose.JSONWebKey, error) {
	found, wait := r.look(kid, now)
	if len(found) > 0 || wait == nil {
		return found, r.lacking()
	}
	<-wait
	found, _ = r.look(kid, now)
	return found, r.lacking()
}

// look returns what is known, and what to wait for where that may change it.
func (r *remoteKeys) look(kid string, now time.Time) (found []jose.JSONWebKey, wait <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found = withID(r.keys, kid)
	isStale := now.Sub(r.fetched) > keysLife
	if (len(found) == 0 || isStale) && r.running == nil && now.Sub(r.tried) >= keysGap {
		r.tried, r.running = now, make(chan struct{})
		go r.renew()
	}
	return found, r.running
}

// lacking is an error while no keys are known at all.
func (r *remoteKeys) lacking() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.keys) == 0 {
		return ErrUnavailable
	}
	return nil
}

func (r *remoteKeys) renew() {
	ctx, cancel := context.WithTimeout(context.Background(), fetchTimeout)
	defer cancel()
	keys, err := r.fetch(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.keys, r.fetched = keys, time.Now()
	}
	close(r.running)
	r.running = nil
}

// fetch asks for the keys, and before that for where they are unless that is
// known.
func (r *remoteKeys) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	url := r.url
	if url == "" {
		var err error
		if url, err = r.discover(ctx); err != nil {
			return nil, err
		}
	}
	data, err := r.get(ctx, url)
	if err != nil {
		return nil, err
	}
	return parseKeySet(data)
}

// discover asks the issuer where its keys are.
func (r *remoteKeys) discover(ctx context.Context) (string, error) {
	data, err := r.get(ctx, strings.TrimSuffix(r.issuer, "/")+"/.well-known/openid-configuration")
	if err != nil {
		return "", err
	}
	var told struct {
		Issuer  string `json:"issuer"`
		KeysURL string `json:"jwks_uri"`
	}
	if err := json.Unmarshal(data, &told); err != nil {
		return "", fmt.Errorf("discover keys: %w", err)
	}
	if told.Issuer != r.issuer || told.KeysURL == "" {
		return "", fmt.Errorf("discover keys: the issuer calls itself %q", told.Issuer)
	}
	return told.KeysURL, nil
}

func (r *remoteKeys) get(ctx context.Context, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, fmt.Errorf("fetch keys: %w", err)
	}
	// A cache on the way may hold the keys of yesterday.
	request.Header.Set("Cache-Control", "no-cache")
	response, err := r.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("fetch keys: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("fetch keys: status %d", response.StatusCode)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, maxKeySet+1))
	if err != nil {
		return nil, fmt.Errorf("fetch keys: %w", err)
	}
	if len(data) > maxKeySet {
		return nil, errors.New("fetch keys: too long")
	}
	return data, nil
}
