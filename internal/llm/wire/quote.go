package wire

import (
	"regexp"
	"strings"
	"unicode"
)

// Bounds of the stored part of a provider's message, in runes.
const (
	maxQuoteRunes = 300  // in a sentence
	maxWordRunes  = 4000 // to be searched
)

// secretLike matches what looks like a key, whole or half masked: providers repeat the key that they refuse.
var secretLike = regexp.MustCompile(`(?i)\b(?:sk|pk|rk|gsk|xai|key|tgp|hf|nvapi)[-_][A-Za-z0-9_*\-.]{8,}` +
	`|\bAIza[A-Za-z0-9_\-]{8,}|\beyJ[A-Za-z0-9_\-.]{16,}|\bbearer +\S+|[^\s"']*\*{3,}[^\s"']*`)

// quote makes a provider's words fit for a sentence: redacted, bounded, without a full stop.
func (e *Endpoint) quote(text string) string {
	return strings.TrimRight(clip(e.redact(text), maxQuoteRunes), ".;:")
}

// redact makes a provider's words one line without anything that looks like a key.
func (e *Endpoint) redact(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), maxRefusalBytes)], "")
	if len(e.Key) >= 4 {
		text = strings.ReplaceAll(text, e.Key, "***")
	}
	text = secretLike.ReplaceAllStringFunc(text, func(match string) string {
		if !strings.ContainsAny(match, "0123456789*") {
			return match // a word such as "key-management", not a key
		}
		return "***"
	})
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

func clip(text string, runes int) string {
	if all := []rune(text); len(all) > runes {
		return string(all[:runes]) + "…"
	}
	return text
}

// Clean removes NUL, which no text column can hold and no answer needs.
func Clean(text string) string { return strings.ReplaceAll(text, "\x00", "") }
