package tracing

import (
	"context"
	"regexp"
	"strings"

	"xbot/internal/chat"
	"xbot/runner/mask"
)

// Maskers know the secrets of the agent of a conversation.
type Maskers interface {
	// Masker hides them; nil: there are none.
	Masker(ctx context.Context, key chat.SessionKey) (*mask.Masker, error)
}

// hidden takes the place of a text that looks like a secret.
const hidden = "[hidden]"

// Forms of secrets that are not known by their value: private keys, keys of providers and platforms, tokens, and passwords in addresses.
var (
	privateKey = regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`)
	bearer     = regexp.MustCompile(`(?i)\b(bearer|basic)(\s+)[A-Za-z0-9._~+/=-]{8,}`)
	keyLike    = regexp.MustCompile(`\b(?:(?:sk|pk|rk|gsk|xai|tgp|hf|nvapi|ghp|gho|ghs|github_pat|glpat|xox[abprs]|xbot|tvly)[-_][A-Za-z0-9_*.-]{8,}|AKIA[0-9A-Z]{12,}|AIza[A-Za-z0-9_-]{16,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}[A-Za-z0-9_.-]*)`)
	assigned   = regexp.MustCompile(`(?i)((?:password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|authorization)["']?\s*[:=]\s*["']?)([^\s"',;&]{6,})`)
	inAddress  = regexp.MustCompile(`([a-z][a-z0-9+.-]*://[^\s:/@]*:)[^\s@/]+@`)
)

// maskForms hides what looks like a secret.
func maskForms(text string) string {
	text = privateKey.ReplaceAllString(text, hidden)
	text = inAddress.ReplaceAllString(text, "${1}"+hidden+"@")
	text = bearer.ReplaceAllString(text, "${1}${2}"+hidden)
	text = keyLike.ReplaceAllStringFunc(text, func(match string) string {
		if !strings.ContainsAny(match, "0123456789") {
			return match // words such as "sk-learn-compatible"
		}
		return hidden
	})
	return assigned.ReplaceAllString(text, "${1}"+hidden)
}

// mask returns a function that hides the secrets of the agent of a conversation, and what looks like a secret.
func (e *Exporter) mask(ctx context.Context, key chat.SessionKey) (func(string) string, error) {
	var known *mask.Masker
	if e.Maskers != nil {
		var err error
		if known, err = e.Maskers.Masker(ctx, key); err != nil {
			return nil, err
		}
	}
	return func(text string) string {
		if known != nil {
			text = known.Text(text)
		}
		return maskForms(text)
	}, nil
}
