package forwarded

import (
	"cmp"
	"net/netip"
	"strings"
)

// Proxies are the networks whose word counts.
type Proxies []netip.Prefix

// Trusts reports whether addr is a trusted proxy's.
func (p Proxies) Trusts(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	for _, network := range p {
		if network.Contains(addr) {
			return true
		}
	}
	return false
}

// Via is how a request has come.
type Via struct {
	// Client is the address of whoever sent the request: the nearest that is no
	// trusted proxy's, or the farthest known one.
	Client netip.Addr
	// Scheme is http or https, Host a host with its port unless that is the
	// scheme's own, both of the URL that the client asked for. Both are empty
	// unless the scheme is known; a host that wasn't told is the request's own.
	Scheme, Host string
	// Prefix is the path below which the proxy has the server: empty, or one
	// that begins with a slash and doesn't end in one.
	Prefix string
}

// Origin is scheme and host as a URL begins with them, or empty.
func (v Via) Origin() string {
	if v.Scheme == "" {
		return ""
	}
	return v.Scheme + "://" + v.Host
}

// Read finds out how a request from peer to host has come. Scheme is that of
// the connection, empty where a proxy that tells nothing may have had another.
// Field returns all lines of a field of its head.
func (p Proxies) Read(peer netip.Addr, scheme, host string, field func(name string) []string) Via {
	unknown := Via{Client: peer}
	unknown.Scheme, unknown.Host = parseOrigin(scheme, host)
	if !p.Trusts(peer) {
		return unknown
	}
	standard, hasStandard := p.readForwarded(peer, field("Forwarded"))
	older, hasOlder := p.readOlder(peer, field)
	told := older
	switch {
	case hasStandard && hasOlder && standard != older:
		// A proxy sets one of them, and passes on the other as the client has
		// sent it: nobody can tell which.
		return unknown
	case hasStandard:
		told = standard
	}
	via := Via{Client: told.client, Prefix: parsePrefix(field("X-Forwarded-Prefix"))}
	if told.host == "" {
		told.host = host
	}
	via.Scheme, via.Host = parseOrigin(cmp.Or(told.proto, scheme), told.host)
	return via
}

// told is what one kind of fields says.
type told struct {
	client      netip.Addr
	proto, host string
}

func (p Proxies) readForwarded(peer netip.Addr, lines []string) (t told, present bool) {
	t.client = peer
	if len(lines) == 0 {
		return t, false
	}
	elements, ok := parseForwarded(strings.Join(lines, ","))
	if !ok || len(elements) == 0 {
		return t, true
	}
	nodes := make([]netip.Addr, len(elements))
	for i, e := range elements {
		nodes[i] = parseNode(e.node)
	}
	var depth int
	t.client, depth = p.walk(peer, nodes)
	first := elements[len(elements)-depth]
	t.proto, t.host = first.proto, first.host
	return t, true
}

func (p Proxies) readOlder(peer netip.Addr, field func(name string) []string) (t told, present bool) {
	senders, protos, hosts := field("X-Forwarded-For"), field("X-Forwarded-Proto"), field("X-Forwarded-Host")
	var nodes []netip.Addr
	for _, node := range items(senders) {
		nodes = append(nodes, parseNode(node))
	}
	var depth int
	t.client, depth = p.walk(peer, nodes)
	depth = max(depth, 1)
	proto, okProto := pick(items(protos), depth)
	host, okHost := pick(items(hosts), depth)
	if okProto && okHost {
		t.proto, t.host = proto, host
	}
	return t, len(senders)+len(protos)+len(hosts) > 0
}

// walk goes back from proxy to proxy, the nearest of which stands last among the
// nodes and is what peer says. Depth is how many nodes trusted proxies have
// added; client is the last address on the way.
func (p Proxies) walk(peer netip.Addr, nodes []netip.Addr) (client netip.Addr, depth int) {
	client = peer
	for depth < len(nodes) && p.Trusts(client) {
		depth++
		node := nodes[len(nodes)-depth]
		if !node.IsValid() {
			break
		}
		client = node
	}
	return client, depth
}

// pick takes what the proxy at depth has added to a list. One item alone stands
// for all proxies: each may have handed on what the first has set.
func pick(list []string, depth int) (item string, ok bool) {
	switch {
	case len(list) == 0:
		return "", true
	case len(list) == 1:
		return list[0], true
	case depth <= len(list):
		return list[len(list)-depth], true
	}
	return "", false
}

// items splits a list (RFC 9110 section 5.6.1), and keeps empty items: their
// places count.
func items(lines []string) []string {
	if len(lines) == 0 {
		return nil
	}
	list := strings.Split(strings.Join(lines, ","), ",")
	for i := range list {
		list[i] = strings.Trim(list[i], " \t")
	}
	return list
}
