package handlers

import (
	"bytes"
	"net/http"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"sluice/storage"
)

// verdict is what the preconditions of a GET or HEAD come to.
type verdict int

const (
	proceed     verdict = iota
	notModified         // 304
	failed              // 412
)

// etag is the strong validator of a file's content (RFC 9110 section 8.8.3).
func etag(info storage.Info) string { return `"` + info.Version + `"` }

// fieldOf gives the request's fields, of which all lines are one value (RFC 9110
// section 5.2). The values are copies.
func fieldOf(c *fiber.Ctx) func(name string) string {
	return func(name string) string {
		return string(bytes.Join(c.Request().Header.PeekAll(name), []byte(", ")))
	}
}

// putCondition is the precondition of a request that stores a file, to be
// decided by the store: RFC 9110 section 13.2.2 with 412 wherever it fails. It
// is nil where the request has none.
func putCondition(c *fiber.Ctx) storage.Condition {
	head := make(map[string]string)
	for _, field := range []string{fiber.HeaderIfMatch, fiber.HeaderIfUnmodifiedSince, fiber.HeaderIfNoneMatch} {
		if value := fieldOf(c)(field); value != "" {
			head[field] = value
		}
	}
	if len(head) == 0 {
		return nil
	}
	return func(current *storage.Info) error {
		holds := head[fiber.HeaderIfMatch] == ""
		if current != nil {
			holds = evaluate(func(field string) string { return head[field] }, *current) == proceed
		}
		if !holds {
			return storage.ErrCondition
		}
		return nil
	}
}

// evaluate decides the preconditions of a GET or HEAD in the order of RFC 9110
// section 13.2.2.
func evaluate(head func(string) string, info storage.Info) verdict {
	tag, modified := etag(info), info.ModTime.Truncate(time.Second)
	if field := head(fiber.HeaderIfMatch); field != "" {
		if !matches(field, tag, strongly) {
			return failed
		}
	} else if since, ok := date(head(fiber.HeaderIfUnmodifiedSince)); ok && modified.After(since) {
		return failed
	}
	if field := head(fiber.HeaderIfNoneMatch); field != "" {
		if matches(field, tag, weakly) {
			return notModified
		}
	} else if since, ok := date(head(fiber.HeaderIfModifiedSince)); ok && !modified.After(since) {
		return notModified
	}
	return proceed
}

// rangeHolds decides If-Range (RFC 9110 section 13.1.5): only the same strong
// tag, or exactly the same date, lets the range be answered. A date is a strong
// validator only where the file hasn't changed twice in its second, which
// can't be known here, so tags alone count.
func rangeHolds(field string, info storage.Info) bool {
	return field == "" || field == etag(info)
}

func strongly(a, b string) bool { return a == b && !strings.HasPrefix(a, "W/") }

func weakly(a, b string) bool { return strings.TrimPrefix(a, "W/") == strings.TrimPrefix(b, "W/") }

// matches reports whether a list of entity tags holds tag, or is "*".
func matches(list, tag string, same func(a, b string) bool) bool {
	for list = strings.TrimLeft(list, " \t,"); list != ""; list = strings.TrimLeft(list, " \t,") {
		if list[0] == '*' {
			return true
		}
		one, rest, ok := cutTag(list)
		if !ok {
			return false
		}
		if same(one, tag) {
			return true
		}
		list = rest
	}
	return false
}

// cutTag takes the entity tag off the front of a list.
func cutTag(list string) (tag, rest string, ok bool) {
	opaque, ok := strings.CutPrefix(strings.TrimPrefix(list, "W/"), `"`)
	if !ok {
		return "", "", false
	}
	opaque, rest, ok = strings.Cut(opaque, `"`)
	if !ok || strings.ContainsFunc(opaque, notInTag) {
		return "", "", false
	}
	return list[:len(list)-len(rest)], rest, true
}

// notInTag reports what isn't an etagc of RFC 9110 section 8.8.3.
func notInTag(r rune) bool { return r <= ' ' || r == '\x7f' }

// date parses a field that holds a date; fields that hold none are ignored.
func date(field string) (time.Time, bool) {
	t, err := http.ParseTime(field)
	return t, err == nil
}
