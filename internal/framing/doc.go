// Package framing holds the bytes of a connection to HTTP/1.1's framing
// (RFC 9112), before a parser that is laxer sees them.
//
// Where two programs on the way of a request disagree about where it ends, the
// rest of it is taken for another one. So a Reader follows a connection from
// request to request: it checks every head, counts the bytes of sized bodies,
// follows the framing of chunked ones, and ends the connection's input before
// the first byte that can be read in two ways. It owns what a request may look
// like and where it ends. It must not know what requests mean, nor who answers
// them.
//
// Heads, chunk sizes and trailers are looked at byte by byte. Content is
// counted and never looked at, and every Read passes its p through to the
// connection.
package framing

import "errors"

// The faults of requests. They come wrapped in what is wrong.
var (
	// ErrMalformed: the request breaks the grammar, or may be read in two ways.
	ErrMalformed = errors.New("malformed request")
	// ErrTargetTooLong: the request line alone passes the limit for heads.
	ErrTargetTooLong = errors.New("request target too long")
	// ErrHeadTooLarge: request line and fields, or the trailers, pass the limit.
	ErrHeadTooLarge = errors.New("request head too large")
	// ErrExpectation: the request expects something else than 100-continue.
	ErrExpectation = errors.New("unknown expectation")
	// ErrUnsupported: the request uses a transfer coding or a method that needs
	// more of a server than to know where the request ends.
	ErrUnsupported = errors.New("unsupported request")
	// ErrVersion: the request is of another HTTP than 1.0 and 1.1.
	ErrVersion = errors.New("unsupported HTTP version")
)
