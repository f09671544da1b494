package handlers

import (
	"errors"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// errCoding: the content comes in a coding. To store it as it is would give a
// file that isn't what its name says, and to undo it would let a small request
// fill the disk.
var errCoding = errors.New("content coding not supported")

// checkCoding refuses content in any coding but "identity" (RFC 9110 section
// 8.4).
func checkCoding(field string) error {
	for coding := range strings.SplitSeq(field, ",") {
		if coding = strings.TrimSpace(coding); coding != "" && !strings.EqualFold(coding, "identity") {
			return errCoding
		}
	}
	return nil
}

// checkTransferEncoding refuses a part of a form whose lines are written in
// other bytes than the file's. RFC 7578 section 4.7 deprecates the field.
func checkTransferEncoding(field string) error {
	switch strings.ToLower(strings.TrimSpace(field)) {
	case "", "binary", "8bit", "7bit":
		return nil
	}
	return errCoding
}

// requestCoding is checkCoding of a request.
func requestCoding(c *fiber.Ctx) error {
	var codings []string
	for _, line := range c.Request().Header.PeekAll(fiber.HeaderContentEncoding) {
		codings = append(codings, string(line))
	}
	return checkCoding(strings.Join(codings, ","))
}
