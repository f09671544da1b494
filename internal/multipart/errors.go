package multipart

import "errors"

// What may be wrong with a form. Each comes wrapped with its detail.
var (
	// ErrNotMultipart is a Content-Type other than multipart/form-data, or one
	// without a boundary: 415 (Unsupported Media Type).
	ErrNotMultipart = errors.New("not multipart/form-data")

	// ErrBoundary is a boundary that breaks RFC 2046 §5.1.1:
	// 400 (Bad Request).
	ErrBoundary = errors.New("invalid multipart boundary")

	// ErrMalformed is a body that breaks the framing: a closing delimiter
	// that never came, a bad part header, a part without a name: 400.
	ErrMalformed = errors.New("malformed multipart body")

	// ErrTooManyParts is a form beyond [Limits.Parts]: 413 (Content Too Large).
	ErrTooManyParts = errors.New("too many parts")

	// ErrHeaderTooLarge is a part header beyond [Limits.HeaderBytes] or
	// [Limits.Headers]: 431 (Request Header Fields Too Large).
	ErrHeaderTooLarge = errors.New("part header too large")

	// ErrFieldTooLarge is a field beyond [Limits.FieldBytes]: 413.
	ErrFieldTooLarge = errors.New("form field too large")
)
