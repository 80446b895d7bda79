package wire

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// maxRetryAfter bounds what a provider may ask for; more is a mistake of its clock or ours.
const maxRetryAfter = 24 * time.Hour

var (
	tryAgainIn = regexp.MustCompile(`(?is)(?:try again|retry) (?:in|after) (?:about )?([0-9].*)`)
	retryDelay = regexp.MustCompile(`(?s)"retryDelay": ?"([0-9].*)`)
	spanPart   = regexp.MustCompile(`^(?: and | )?([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]+)`)
)

// retryAfter returns when a provider wants to be asked again, 0 if it sets no time: by retry-after-ms, Retry-After
// (seconds or a date), the x-ratelimit-reset headers, or in the text of its message.
func retryAfter(header http.Header, message string, now time.Time) time.Duration {
	after := fromHeaders(header, now)
	if after <= 0 {
		after = fromText(message)
	}
	return max(0, min(after, maxRetryAfter))
}

func fromHeaders(header http.Header, now time.Time) time.Duration {
	if after := amount(header.Get("Retry-After-Ms"), time.Millisecond); after > 0 {
		return after
	}
	if value := header.Get("Retry-After"); value != "" {
		if after := amount(value, time.Second); after > 0 {
			return after
		}
		if at, err := http.ParseTime(value); err == nil {
			// The provider's clock decides how far away its date is.
			if date, err := http.ParseTime(header.Get("Date")); err == nil {
				now = date
			}
			return at.Sub(now)
		}
	}
	return reset(header, now)
}

// reset reads the x-ratelimit-reset headers. Requests count when none is left, otherwise it was the tokens that ran
// out, whose remainder may be more than zero and still too few.
func reset(header http.Header, now time.Time) time.Duration {
	names := []string{"X-Ratelimit-Reset-Tokens", "X-Ratelimit-Reset-Requests", "X-Ratelimit-Reset"}
	if header.Get("X-Ratelimit-Remaining-Requests") == "0" {
		names[0], names[1] = names[1], names[0]
	}
	for _, name := range names {
		value := strings.TrimSpace(header.Get(name))
		if after, err := time.ParseDuration(value); err == nil && after > 0 {
			return after
		}
		number, err := strconv.ParseFloat(value, 64)
		switch {
		case err != nil || number <= 0:
		case number > 1e11: // milliseconds since 1970
			return time.UnixMilli(int64(min(number, 1e15))).Sub(now)
		case number > 1e8: // seconds since 1970
			return time.Unix(int64(number), 0).Sub(now)
		default:
			return amount(value, time.Second)
		}
	}
	return 0
}

func fromText(message string) time.Duration {
	found := tryAgainIn.FindStringSubmatch(message)
	if found == nil {
		found = retryDelay.FindStringSubmatch(message)
	}
	if found == nil {
		return 0
	}
	return span(found[1])
}

// units are the units of a span of time, in the words of providers.
var units = map[string]time.Duration{
	"ms": time.Millisecond, "millisecond": time.Millisecond, "milliseconds": time.Millisecond, "s": time.Second, "second": time.Second, "seconds": time.Second,
	"m": time.Minute, "minute": time.Minute, "minutes": time.Minute, "h": time.Hour, "hour": time.Hour, "hours": time.Hour,
}

// span reads the span of time that a text begins with: 26 seconds, 1.2s, 6m0s (Soju06/codex-lb#1051).
func span(text string) (all time.Duration) {
	for {
		found := spanPart.FindStringSubmatch(text)
		if found == nil || units[strings.ToLower(found[2])] == 0 {
			return all
		}
		all = min(all+amount(found[1], units[strings.ToLower(found[2])]), maxRetryAfter)
		text = text[len(found[0]):]
	}
}

// amount reads a number of units, whole or not; 0 if it is none.
func amount(text string, unit time.Duration) time.Duration {
	number, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(number > 0) { // the negation catches NaN
		return 0
	}
	return time.Duration(min(number*float64(unit), float64(maxRetryAfter)))
}
