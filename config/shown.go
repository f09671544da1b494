package config

import (
	"fmt"
	"net/url"
)

// Shown is the value as Load takes it, but for the queries of URLs, which often hold a key.
func (e Entry) Shown() string {
	text := fmt.Sprint(e.Value)
	if e.Hint != "URL" {
		return text
	}
	u, err := url.Parse(text)
	if err != nil {
		return "***"
	}
	if u.RawQuery != "" {
		u.RawQuery = "***"
	}
	return u.String()
}
