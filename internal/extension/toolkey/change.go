package toolkey

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/extension/toolkey/toolkeystore"
	"xbot/internal/fault"
	"xbot/internal/secret"
)

// Limits of a key, in characters.
const (
	maxKey   = 4096
	maxURL   = 512
	maxModel = 128
	maxPrice = 1_000_000 // USD
)

// Draft is a new key or a change of one.
type Draft struct {
	chat.ToolKey // of a change: the revision that it was made from

	Key    string // empty: the stored one stays
	Forget bool   // the stored key is removed
}

// Save stores a key. Invalid: its form is wrong; Conflict: it was changed meanwhile.
func (s *Store) Save(ctx context.Context, d Draft, by chat.UserID) error {
	d, _, err := s.whole(ctx, d)
	if err != nil {
		return err
	}
	d.KeyHint = secret.Hint(d.Key)
	return s.Rows.SetToolKey(ctx, toolkeystore.Key{ToolKey: d.ToolKey, Secrets: secret.SealAPIKey(s.Key, d.Key)}, by)
}

// Remove removes the key of a user for a service, or the installation's where user is 0. NotFound: there is none.
func (s *Store) Remove(ctx context.Context, user chat.UserID, name string) error {
	if _, err := of(name); err != nil {
		return err
	}
	return s.Rows.RemoveToolKey(ctx, user, name)
}

// whole completes a draft with the stored key. A changed address does not keep the stored key: it would be sent to another server.
func (s *Store) whole(ctx context.Context, d Draft) (Draft, service, error) {
	about, err := of(d.Service)
	if err != nil {
		return d, about, err
	}
	d.Provider, d.BaseURL, d.Model, d.Key = strings.TrimSpace(d.Provider), strings.TrimSpace(d.BaseURL), strings.TrimSpace(d.Model), strings.TrimSpace(d.Key)
	if about, err = about.through(d.Provider); err != nil {
		return d, about, err
	}
	d.Provider = about.provider
	d.Shared = d.User == 0
	if err := check(d); err != nil {
		return d, about, err
	}
	if d.Key == "" && !d.Forget {
		if err := s.keep(ctx, &d); err != nil {
			return d, about, err
		}
	}
	switch {
	case about.base == "" && d.BaseURL == "" && about.name == Video:
		return d, about, fault.Errorf(fault.Invalid, "OpenAI has closed its Videos API: enter the address of a compatible service, or choose another provider")
	case about.base == "" && d.BaseURL == "":
		return d, about, fault.Errorf(fault.Invalid, "%s needs the address of a server: enter it", about.title)
	case d.Key == "" && (!about.keyless || d.BaseURL == ""):
		return d, about, fault.Errorf(fault.Invalid, "%s needs a key: enter it (a server of your own needs its address instead)", about.title)
	}
	return d, about, nil
}

func check(d Draft) error {
	switch {
	case len(d.Key) > maxKey:
		return fault.Errorf(fault.Invalid, "the key has more than %d characters: copy it again", maxKey)
	case strings.ContainsFunc(d.Key, unprintable):
		return fault.Errorf(fault.Invalid, "the key has a character that no key has: copy it again")
	case len(d.Model) > maxModel || strings.ContainsFunc(d.Model, unprintable):
		return fault.Errorf(fault.Invalid, "the name of a model has at most %d characters, without blanks", maxModel)
	case d.Price != nil && (len(Providers(d.Service)) == 0 || !(*d.Price >= 0) || *d.Price > maxPrice):
		return fault.Errorf(fault.Invalid, "a price is a number of USD between 0 and %d, of pictures, speech or video", maxPrice)
	case len(d.BaseURL) > maxURL:
		return fault.Errorf(fault.Invalid, "the address has more than %d characters", maxURL)
	case d.BaseURL == "":
		return nil
	}
	u, err := url.Parse(d.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return fault.Errorf(fault.Invalid, "the address must be like https://host/v1, without a name, a password or a question mark in it")
	}
	return nil
}

func unprintable(r rune) bool { return r <= ' ' || r >= 0x7f }

// keep takes over the stored key.
func (s *Store) keep(ctx context.Context, d *Draft) error {
	rows, err := s.Rows.ToolKeys(ctx, d.User)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.Service != d.Service || r.User != d.User || len(r.Secrets) == 0 {
			continue
		}
		if r.BaseURL != d.BaseURL || d.BaseURL == "" && !sameProvider(d.Service, r.Provider, d.Provider) {
			return fault.Errorf(fault.Invalid, "the address is another one: enter the key for it, so that the stored key goes to nobody else")
		}
		d.Key, err = secret.OpenAPIKey(s.Key, r.Secrets)
		return err
	}
	return nil
}

// sameProvider reports whether two names mean the same provider of a service; empty is the default one.
func sameProvider(service, a, b string) bool {
	known := Providers(service)
	return len(known) == 0 || cmp.Or(a, known[0]) == cmp.Or(b, known[0])
}
