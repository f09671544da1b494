package config

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// AnyOrigin stands in cors-origins for every origin.
const AnyOrigin = "*"

// Networks is a list of networks, written with commas between them. One address is a network too.
type Networks []netip.Prefix

// String writes it as UnmarshalText reads it.
func (n Networks) String() string {
	texts := make([]string, len(n))
	for i, network := range n {
		texts[i] = network.String()
	}
	return strings.Join(texts, ",")
}

// MarshalText writes what String does.
func (n Networks) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalText reads a list that may be empty; on an error n is left as it was.
func (n *Networks) UnmarshalText(text []byte) (err error) {
	*n, err = parseList(*n, text, "networks, such as 10.0.0.0/8,::1, with commas between them", parseNetwork)
	return err
}

func parseNetwork(text string) (netip.Prefix, bool) {
	if addr, err := netip.ParseAddr(text); err == nil && addr.Zone() == "" {
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), true
	}
	network, err := netip.ParsePrefix(text)
	// What stands behind the mask would be a mistake in the mask or in the address.
	return network, err == nil && network == network.Masked() && !network.Addr().Is4In6()
}

// Origins is a list of origins as browsers send them (RFC 6454 section 6.1), or AnyOrigin alone.
type Origins []string

// String writes it as UnmarshalText reads it.
func (o Origins) String() string { return strings.Join(o, ",") }

// MarshalText writes what String does.
func (o Origins) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads a list that may be empty; on an error o is left as it was.
func (o *Origins) UnmarshalText(text []byte) (err error) {
	if string(text) == AnyOrigin {
		*o = Origins{AnyOrigin}
		return nil
	}
	*o, err = parseList(*o, text, "origins, such as https://app.example,http://localhost:3000, in small letters and without a path, or * alone", parseOrigin)
	return err
}

func parseOrigin(text string) (string, bool) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Scheme+"://"+u.Host != text || text != strings.ToLower(text) {
		return "", false
	}
	// Browsers leave out the port that belongs to the scheme.
	isOwn := u.Scheme == "http" && u.Port() == "80" || u.Scheme == "https" && u.Port() == "443"
	return text, !isOwn && isHost(u.Hostname())
}

// Hosts is a list of names and addresses, without ports and brackets.
type Hosts []string

// String writes it as UnmarshalText reads it.
func (h Hosts) String() string { return strings.Join(h, ",") }

// MarshalText writes what String does.
func (h Hosts) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads a list that may be empty; on an error h is left as it was.
func (h *Hosts) UnmarshalText(text []byte) (err error) {
	*h, err = parseList(*h, text, "hosts without ports, such as files.example,192.0.2.1, with commas between them",
		func(text string) (string, bool) { return strings.ToLower(text), isHost(text) })
	return err
}

// Files is a list of paths of files. None of them has a comma.
type Files []string

// String writes it as UnmarshalText reads it.
func (f Files) String() string { return strings.Join(f, ",") }

// MarshalText writes what String does.
func (f Files) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads a list that may be empty; on an error f is left as it was.
func (f *Files) UnmarshalText(text []byte) (err error) {
	*f, err = parseList(*f, text, "paths of files with commas between them", func(text string) (string, bool) { return text, text != "" })
	return err
}

// isHost accepts an address, or a name of letters, digits, hyphens, underscores and dots.
func isHost(text string) bool {
	return net.ParseIP(text) != nil || text != "" && isAll(text, "-_.")
}

// isAll reports whether text has letters and digits of ASCII and the given signs alone.
func isAll(text, signs string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		isAlphanumeric := '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		return !isAlphanumeric && !strings.ContainsRune(signs, r)
	})
}

// parseList parses what stands between commas; the empty text is the empty list. On an error it returns old.
func parseList[T any, L ~[]T](old L, text []byte, kind string, parse func(string) (T, bool)) (L, error) {
	var list L
	if len(text) == 0 {
		return list, nil
	}
	for item := range strings.SplitSeq(string(text), ",") {
		parsed, ok := parse(strings.TrimSpace(item))
		if !ok {
			return old, errors.New("must be " + kind)
		}
		list = append(list, parsed)
	}
	return list, nil
}
