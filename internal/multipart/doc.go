// Package multipart takes a multipart/form-data body (RFC 7578, RFC 2046
// §5.1.1) apart while it streams in.
//
// It owns the framing alone: where a part begins and ends, its header, its
// names. A part is an [io.Reader] that reads the body straight into the
// caller's memory and looks for the delimiter there, so that a large file
// reaches its block with no copy in between. It knows neither HTTP nor files,
// judges no name and keeps no part.
//
// The body is scanned by these rules:
//
//   - A delimiter is CRLF "--" boundary, then "--", or blanks (at most 128)
//     and CRLF. Everything else that looks like one is content.
//   - A bare LF or CR ends no line, neither around a delimiter nor in a header.
//   - Text before the first delimiter is skipped, up to 64 KiB of it; what
//     stands behind the closing delimiter is ignored and left in the body.
//   - A form has one part at least, and each part says
//     Content-Disposition: form-data with a name.
//
// # Cost
//
// In the bulk of a large part each [Part.Read] is one Read of the body into
// the same memory, and allocates nothing. A read never asks for more than the
// part has already brought (64 KiB at first), so that small parts are not
// read far past their end. What was read past it is copied aside once, and the
// parts behind are served from there: at most as much again as the part was
// long. A [Reader] holds one such rest, besides some 16 KiB, and keeps the
// memory of the largest for the next.
//
// The search for the delimiter runs at several GB/s whatever the content, and
// at half of its best speed or more on content full of what looks like one,
// with boundaries as clients make them. The shorter a boundary, the more it
// slows. Only content made of lines that all but are delimiters takes longer: a
// whole delimiter with two blanks or more and no line end behind it, or one
// with a wrong byte in its middle and a right end.
//
// # Errors
//
// What the client did wrong is one of the sentinels below; the body's own
// errors, a timeout say, pass through wrapped. A body that ends before the
// closing delimiter is both [ErrMalformed] and [io.ErrUnexpectedEOF].
//
// A Reader and its parts serve one goroutine at a time.
package multipart
