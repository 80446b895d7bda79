package web

import (
	"net/url"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/tool"
)

// Bounds of the sources of one result.
const (
	maxSources     = 20
	maxSourceURL   = 2000 // bytes
	maxSourceTitle = 120  // characters
)

// listed returns the sources that users are shown: each address once, without those that a page should not link to.
func listed(found ...chat.WebSource) []chat.WebSource {
	var out []chat.WebSource
	for _, s := range found {
		if len(out) == maxSources {
			break
		}
		if !linkable(s.URL) || slices.ContainsFunc(out, func(o chat.WebSource) bool { return o.URL == s.URL }) {
			continue
		}
		out = append(out, chat.WebSource{URL: s.URL, Title: tool.OneLine(s.Title, maxSourceTitle)})
	}
	return out
}

// linkable reports whether an address is one of the web, short, and without a password.
func linkable(address string) bool {
	u, err := url.Parse(address)
	return err == nil && len(address) <= maxSourceURL && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}
