package handlers

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"sluice/storage"
)

// plan is how a GET or HEAD of a file is answered: 200, 206, 304, 412 or 416.
type plan struct {
	status int
	// ranges are what a 206 holds, ascending and without overlaps.
	ranges []byteRange
}

// planOf decides a request from its method, its fields and the file's
// description alone, in the order of RFC 9110 section 13.2.2.
func planOf(method string, head func(field string) string, info storage.Info) plan {
	switch evaluate(head, info) {
	case failed:
		return plan{status: fiber.StatusPreconditionFailed}
	case notModified:
		return plan{status: fiber.StatusNotModified}
	}
	field := head(fiber.HeaderRange)
	// Range means nothing but with GET (section 14.2).
	if field == "" || method != fiber.MethodGet || !rangeHolds(head(fiber.HeaderIfRange), info) {
		return plan{status: fiber.StatusOK}
	}
	ranges, err := parseRanges(field, info.Size)
	switch {
	case errors.Is(err, errRange):
		return plan{status: fiber.StatusRequestedRangeNotSatisfiable}
	case err != nil || len(ranges) > 1 && !severable(ranges, info.Size):
		return plan{status: fiber.StatusOK}
	}
	return plan{fiber.StatusPartialContent, ranges}
}
