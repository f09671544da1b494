// Package forwarded reads what proxies tell of a request that they pass on: who
// sent it, and which URL was asked for (Forwarded, RFC 7239, and the older
// X-Forwarded-For, -Proto, -Host and -Prefix).
//
// Anybody can send these fields, so the word of a trusted proxy alone counts, and
// of what it has passed on only what another trusted proxy has added. Whatever
// isn't exactly as it should be is taken as not said.
//
// It must not know HTTP servers, and keeps no state: values may be used by any
// number of goroutines.
package forwarded
