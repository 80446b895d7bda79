package policy

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// secretForms are the beginnings by which issuers mark their keys.
var secretForms = regexp.MustCompile(`(?:^|[\s"'=:])(?:sk-[A-Za-z0-9_-]{16,}|sk_[A-Za-z0-9_]{16,}|AKIA[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}|gh[pousr]_[A-Za-z0-9]{20,}` +
	`|github_pat_[A-Za-z0-9_]{20,}|xox[abprs]-[A-Za-z0-9-]{10,}|glpat-[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{20,}|gsk_[A-Za-z0-9]{20,}` +
	`|eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}|Bearer\s+\S{16,})|-----BEGIN [A-Z ]*PRIVATE KEY-----`)

// variable is the form of a variable's name. Names are words: what is long and has none is a key.
var variable = regexp.MustCompile(`^[A-Z_][A-Z0-9_]{0,127}$`)

func looksSecret(s string) bool {
	if secretForms.MatchString(s) {
		return true
	}
	if u, err := url.Parse(s); err == nil && u.Host != "" {
		if _, has := u.User.Password(); has {
			return true
		}
		for name := range u.Query() {
			if isKeyName(name) {
				return true
			}
		}
	}
	return false
}

// isVariable tells the name of a variable from a key that was put in its place.
func isVariable(s string) bool {
	return variable.MatchString(s) && (len(s) < 24 || strings.Contains(strings.Trim(s, "_"), "_"))
}

var keyNames = []string{"apikey", "key", "token", "secret", "password", "apitoken", "accesstoken", "authtoken", "bearertoken", "appsecret", "clientsecret"}

// separators removes the marks between words.
var separators = strings.NewReplacer("_", "", "-", "")

func isKeyName(name string) bool {
	return slices.Contains(keyNames, separators.Replace(strings.ToLower(name)))
}
