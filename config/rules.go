package config

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// rule is a limit of a setting.
type rule struct {
	text  string                          // what follows "must be"
	holds func(c *Config, field any) bool // field is a pointer to the setting's place in c
}

// within accepts low, high and what lies between them.
func within[T cmp.Ordered](low, high T) rule {
	return rule{fmt.Sprintf("%v to %v", low, high), func(_ *Config, field any) bool {
		value := *field.(*T)
		return low <= value && value <= high
	}}
}

// positive accepts every duration but 0.
var positive = rule{"more than 0s", func(_ *Config, field any) bool {
	return *field.(*time.Duration) > 0
}}

// blockUnit accepts what the pool lends, and smaller ones for comparisons.
var blockUnit = rule{fmt.Sprintf("8KiB, 16KiB, 32KiB or a multiple of %v", smallestBlock), func(_ *Config, field any) bool {
	size := *field.(*Size)
	return size%smallestBlock == 0 || size == 8*KiB || size == 16*KiB || size == 32*KiB
}}

// oneOf accepts the given words.
func oneOf(words ...string) rule {
	return rule{"one of " + strings.Join(words, ", "), func(_ *Config, field any) bool {
		return slices.Contains(words, *field.(*string))
	}}
}

// notEmpty accepts any text but the empty one.
var notEmpty = rule{"at least one character long", func(_ *Config, field any) bool {
	return *field.(*string) != ""
}}

// address accepts a host and a numeric port. An empty host means every interface of the machine.
var address = rule{"host:port with a port of 0 to 65535", func(_ *Config, field any) bool {
	return isAddress(*field.(*string))
}}

// addressOrOff accepts what address does, and the empty text.
var addressOrOff = rule{"empty, or " + address.text, func(_ *Config, field any) bool {
	text := *field.(*string)
	return text == "" || isAddress(text)
}}

func isAddress(text string) bool {
	_, port, err := net.SplitHostPort(text)
	if err != nil {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}

// plainPath accepts the root, and paths whose segments mean the same to everybody.
var plainPath = rule{"/, or a path such as /files/up: letters, digits and -._~, no slash at its end", func(_ *Config, field any) bool {
	path := *field.(*string)
	rest, ok := strings.CutPrefix(path, "/")
	if !ok || path == "/" {
		return ok
	}
	for segment := range strings.SplitSeq(rest, "/") {
		if segment == "" || segment == "." || segment == ".." || !isAll(segment, "-._~") {
			return false
		}
	}
	return true
}}

// apartFromListen accepts an address that the public listener does not take.
var apartFromListen = rule{"different from listen, unless its port is 0", func(c *Config, _ any) bool {
	_, port, _ := net.SplitHostPort(c.AdminListen)
	return c.AdminListen != c.Listen || port == "0"
}}

// asManyAsCerts accepts a key for each certificate.
var asManyAsCerts = rule{"one file for each of tls-cert", func(c *Config, _ any) bool {
	return len(c.TLSKey) == len(c.TLSCert)
}}

// redirectsToTLS accepts an address only where there is TLS to be led to.
var redirectsToTLS = rule{"empty without tls-cert or acme-domains, and different from listen", func(c *Config, field any) bool {
	text := *field.(*string)
	_, port, _ := net.SplitHostPort(text)
	return text == "" || c.HasTLS() && (text != c.Listen || port == "0")
}}

// webURL accepts URLs of http and https. A password in one would be shown
// wherever settings are.
var webURL = rule{"a URL of http or https with a host and without a user", func(_ *Config, field any) bool {
	return isWebURL(*field.(*string))
}}

// webURLOrOff accepts what webURL does, and the empty text.
var webURLOrOff = rule{"empty, or " + webURL.text, func(_ *Config, field any) bool {
	text := *field.(*string)
	return text == "" || isWebURL(text)
}}

func isWebURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil
}

// setForWebhooks accepts any text but the empty one where a webhook needs it.
var setForWebhooks = rule{"set where webhook-url or webhook-veto-url is", func(c *Config, field any) bool {
	return *field.(*string) != "" || c.WebhookURL == "" && c.WebhookVetoURL == ""
}}

// roomForOne accepts a buffer memory in which one transfer can run with the smallest blocks.
var roomForOne = rule{fmt.Sprintf("at least %v times blocks-per-transfer", smallestBlock), func(c *Config, _ any) bool {
	return c.BufferMemory/smallestBlock >= Size(c.BlocksPerTransfer)
}}

// setForJWTs accepts any text but the empty one where JWTs are taken.
var setForJWTs = rule{"set where jwt-issuer is", func(c *Config, field any) bool {
	return *field.(*string) != "" || c.JWTIssuer == ""
}}

// fieldOrOff accepts the name of a field that means nothing else, and the empty
// text.
var fieldOrOff = rule{"empty, or a field of letters, digits and hyphens that begins with X- or Remote-", func(_ *Config, field any) bool {
	text := *field.(*string)
	name := strings.ToLower(text)
	return text == "" || isAll(text, "-") && (strings.HasPrefix(name, "x-") || strings.HasPrefix(name, "remote-"))
}}

// behindProxies accepts any text only where there are proxies to trust.
var behindProxies = rule{"empty unless trusted-proxies is set", func(c *Config, field any) bool {
	return *field.(*string) == "" || len(c.TrustedProxies) > 0
}}
