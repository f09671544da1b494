// Package certs owns the certificates that the server shows: those in files,
// which it reads again when they change, and those that an ACME server gives
// (RFC 8555), which it renews. It must not know what is served by them.
package certs
