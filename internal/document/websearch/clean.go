package websearch

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of the kept texts, in characters; of addresses in bytes.
const (
	maxTitle  = 200
	maxText   = 1500
	maxSaid   = 2000 // of an answer
	maxReason = 300
	maxURL    = 1000
	shortKey  = 8 // what is shorter is no key that could be distinguished from a word
)

// cleaned are at most so many results, as they may be shown: texts on one line, bounded, without markup and what does not print; each
// address once. A key that a provider repeats is taken out.
func (r Results) cleaned(most int, key string) Results {
	hide := strings.NewReplacer()
	if len(key) >= shortKey {
		hide = strings.NewReplacer(key, "…", url.QueryEscape(key), "…")
	}
	out, seen := Results{Answer: line(hide.Replace(r.Answer), maxSaid)}, map[string]bool{}
	for _, item := range r.Items {
		address := addressOf(hide.Replace(item.URL))
		if address == "" || seen[address] {
			continue
		}
		seen[address] = true
		out.Items = append(out.Items, Item{
			Title: line(hide.Replace(item.Title), maxTitle), URL: address, Text: line(hide.Replace(item.Text), maxText), Published: item.Published,
		})
		if len(out.Items) == most {
			break
		}
	}
	return out
}

// addressOf returns an address of the web, escaped; empty: it is none, or too long.
func addressOf(text string) string {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.ContainsFunc(u.Host, unicode.IsSpace) {
		return ""
	}
	u.User = nil
	address := u.String()
	if len(address) > maxURL || strings.ContainsFunc(address, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }) {
		return ""
	}
	return address
}

// marks are the tags with which engines mark the words that were found.
var marks = regexp.MustCompile(`(?i)</?(?:b|strong|em|mark|i|span|br|p)(?:\s[^<>]{0,200})?/?>`)

// line returns a text on one line of at most so many characters, without markup and what does not print.
func line(text string, limit int) string {
	if longest := limit * 16; len(text) > longest {
		text = text[:longest]
	}
	text = html.UnescapeString(marks.ReplaceAllString(text, ""))
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError || !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) > limit {
		text = string([]rune(text)[:limit-1]) + "…"
	}
	return text
}

var days = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}`)

// day returns the day of a time in ISO 8601, as providers write it; another form is kept as far as it is short.
func day(text string) string {
	if found := days.FindString(text); found != "" {
		return found
	}
	return line(text, 32)
}
