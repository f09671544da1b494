package doctor

import (
	"context"
	"encoding/json"
	"net"
	"net/url"
)

// addresses finds out whether what the server tells of addresses leads back here,
// and whether it knows who asks.
func addresses(ctx context.Context, v *visitor, f *findings) {
	// What proxies decode, and encode in another way, comes to grief here.
	const name = " größe 100%+1;a&b.txt"
	at := v.file(name)
	a, err := v.put(ctx, at, "address")
	if !f.stored("PUT of a file with an unusual name", a, err) {
		return
	}
	v.leads(ctx, f, "Location of a file", a.header.Get("Location"), at)
	upload, a, err := v.create(ctx, 1, v.mark+"-address.bin")
	if err == nil && a.success() {
		v.leads(ctx, f, "Location of a tus upload", a.header.Get("Location"), upload)
	}
	v.seenAs(ctx, f, v.mark+name)
	if len(f.list) == 0 {
		f.ok("addresses that the server tells lead back here")
	}
}

// leads looks at whether a location is the address at.
func (v *visitor) leads(ctx context.Context, f *findings, what, location, at string) {
	if location == "" {
		return // lost fields are another check's
	}
	got, err := v.resolve(location)
	if err != nil {
		f.problem(remedyForwarded, "%s is no URL: %q", what, location)
		return
	}
	want, _ := url.Parse(at) // it has been asked for
	switch {
	case got.Scheme != want.Scheme:
		f.problem(remedyForwarded, "%s has the scheme %s, want %s: %s", what, got.Scheme, want.Scheme, location)
	case hostPort(got) != hostPort(want):
		f.problem(remedyForwarded, "%s has the host %s, want %s: %s", what, got.Host, want.Host, location)
	case got.Path != want.Path:
		f.problem(remedyForwarded, "%s has the path %s, want %s", what, got.Path, want.Path)
	default:
		method := []string{tusVersion}
		if a, err := v.quick(ctx, request{method: "HEAD", url: got.String(), fields: method}); err != nil || !a.success() {
			f.problem(remedyForwarded, "%s leads to %v: %s", what, because(a, err), location)
		}
	}
}

func hostPort(u *url.URL) string {
	if u.Port() != "" {
		return u.Host
	}
	return net.JoinHostPort(u.Hostname(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
}

// seenAs finds out whom the server takes us for. A server that sees its proxy
// everywhere can't tell clients apart.
func (v *visitor) seenAs(ctx context.Context, f *findings, name string) {
	a, err := v.get(ctx, v.URL.String()+"api/v1/transfers")
	var list struct {
		Recent []struct{ Name, Client string }
	}
	if err != nil || !a.success() || json.Unmarshal(a.text, &list) != nil {
		return // not everybody may see it
	}
	v.mu.Lock()
	here, _, _ := net.SplitHostPort(v.local.String())
	v.mu.Unlock()
	for _, transfer := range list.Recent {
		if transfer.Name == name && net.ParseIP(transfer.Client).IsLoopback() && !net.ParseIP(here).IsLoopback() {
			f.warn(remedyForwarded, "the server takes every client for its proxy, %s: limits for each client and its log are of little use", transfer.Client)
			return
		}
	}
}
