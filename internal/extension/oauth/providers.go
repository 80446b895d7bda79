package oauth

import (
	"context"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/extension/oauth/oauthstore"
	"xbot/internal/fault"
)

// Limits of the description of a provider.
const (
	maxName   = 60   // characters
	maxURL    = 2048 // bytes of an address
	MaxScopes = 64
	maxScope  = 256  // bytes of one
	MaxClient = 512  // bytes of the id of the client
	MaxSecret = 4096 // bytes of its secret
)

var providerID = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)

// Draft is a new provider or a change of one.
type Draft struct {
	chat.OAuthProviderConfig

	Secret   string // of the client; empty: of a change, the stored one stays, of a new one there is none
	Revision int64  // of the stored one that it changes; 0: it is new
}

// clientSecret is the sealed part of a provider.
type clientSecret struct {
	Secret string `json:"client_secret,omitempty"`
}

// secretOf returns the secret of the client at a provider; empty: there is none.
func (s *Accounts) secretOf(p oauthstore.Provider) (string, error) {
	if p.Secrets == nil {
		return "", nil
	}
	var v clientSecret
	if err := s.open(p.Secrets, &v); err != nil {
		return "", fault.Errorf(fault.Invalid, "the secret of the client at %s cannot be read: an administrator has to enter it again (%w)", p.Name, err)
	}
	if v.Secret == "" {
		return "", fault.Errorf(fault.Invalid, "the secret of the client at %s is gone: an administrator has to enter it again", p.Name)
	}
	return v.Secret, nil
}

// Providers lists those that a user sees, 0: no user, without their secrets: all but those of other users' MCP servers.
func (s *Accounts) Providers(ctx context.Context, user chat.UserID) ([]chat.OAuthProvider, error) {
	all, err := s.OAuth.OAuthProviders(ctx, user)
	if err != nil {
		return nil, err
	}
	out := make([]chat.OAuthProvider, len(all))
	for i, p := range all {
		out[i] = p.OAuthProvider
	}
	return out, nil
}

// Provider finds one at which a user may connect an account. It returns NotFound if there is none, it is switched off, or it is of another user's MCP server;
// the sentence names the existing ones.
func (s *Accounts) Provider(ctx context.Context, user chat.UserID, id string) (chat.OAuthProvider, error) {
	p, err := s.enabled(ctx, user, id)
	return p.OAuthProvider, err
}

func (s *Accounts) enabled(ctx context.Context, user chat.UserID, id string) (oauthstore.Provider, error) {
	all, err := s.OAuth.OAuthProviders(ctx, user)
	if err != nil {
		return oauthstore.Provider{}, err
	}
	var known []string
	for _, p := range all {
		if p.ID == id && p.Enabled {
			return p, nil
		}
		if p.Enabled {
			known = append(known, p.ID)
		}
	}
	if len(known) == 0 {
		return oauthstore.Provider{}, fault.Errorf(fault.NotFound, "there is no provider %.40q, nor any other: an administrator adds them on the page under Settings → Connected accounts", id)
	}
	return oauthstore.Provider{}, fault.Errorf(fault.NotFound, "there is no provider %.40q; there are: %s", id, strings.Join(known, ", "))
}

func (s *Accounts) stored(ctx context.Context, user chat.UserID, id string) (oauthstore.Provider, error) {
	all, err := s.OAuth.OAuthProviders(ctx, user)
	if err != nil {
		return oauthstore.Provider{}, err
	}
	if i := slices.IndexFunc(all, func(p oauthstore.Provider) bool { return p.ID == id }); i >= 0 {
		return all[i], nil
	}
	return oauthstore.Provider{}, fault.Errorf(fault.NotFound, "there is no provider %.40q", id)
}

// Save stores a provider and returns it. The caller checks who may. Of a change the id stays, and so does a secret that the draft
// leaves empty, unless tokens come from another origin now. It returns Invalid if its form is wrong, Denied if its id is for MCP servers, and Conflict if there is
// one of that id, or it was changed concurrently.
func (s *Accounts) Save(ctx context.Context, d Draft, by chat.UserID) (chat.OAuthProvider, error) {
	d = d.tidy()
	d.Resource, d.SilentIssuer = "", false
	if err := d.check(); err != nil {
		return chat.OAuthProvider{}, err
	}
	if ofServer.MatchString(d.ID) {
		return chat.OAuthProvider{}, errOfServer
	}
	row := oauthstore.Provider{OAuthProvider: chat.OAuthProvider{OAuthProviderConfig: d.OAuthProviderConfig, Revision: d.Revision}}
	var void *oauthstore.Void
	if d.Secret != "" {
		row.Secrets = s.seal(clientSecret{d.Secret})
	}
	if d.Revision != 0 {
		old, err := s.stored(ctx, 0, d.ID)
		if err != nil {
			return chat.OAuthProvider{}, err
		}
		elsewhere := leadsElsewhere(old.OAuthProviderConfig, d.OAuthProviderConfig)
		if elsewhere || old.ClientID != d.ClientID {
			void = &oauthstore.Void{Tokens: s.seal(tokens{}), Problem: "the provider was changed"}
		}
		switch {
		case d.Secret != "":
		case elsewhere && old.Secrets != nil:
			return chat.OAuthProvider{}, fault.Errorf(fault.Invalid, "it leads somewhere else now: enter the secret of the client again, so that the stored one goes to nobody else")
		default:
			row.Secrets = old.Secrets
		}
	}
	if err := s.OAuth.SetOAuthProvider(ctx, row, void, by); err != nil {
		return chat.OAuthProvider{}, err
	}
	saved, err := s.stored(ctx, 0, d.ID)
	return saved.OAuthProvider, err
}

// leadsElsewhere reports whether secrets would be sent to another origin than before.
func leadsElsewhere(was, is chat.OAuthProviderConfig) bool {
	return Origin(was.TokenURL) != Origin(is.TokenURL) || is.RevokeURL != "" && Origin(was.RevokeURL) != Origin(is.RevokeURL) && Origin(is.RevokeURL) != Origin(is.TokenURL)
}

// Remove removes a provider, with the accounts that users have connected there; their tokens are not revoked. It returns Denied if it is an MCP server's.
func (s *Accounts) Remove(ctx context.Context, id string) error {
	if ofServer.MatchString(id) {
		return errOfServer
	}
	return s.OAuth.RemoveOAuthProvider(ctx, id)
}

// tidy returns a draft without blanks around its parts.
func (d Draft) tidy() Draft {
	for _, text := range []*string{&d.ID, &d.Name, &d.Issuer, &d.AuthorizeURL, &d.TokenURL, &d.RevokeURL, &d.AccountURL, &d.ClientID, &d.Secret} {
		*text = strings.TrimSpace(*text)
	}
	if d.Name == "" {
		d.Name = d.ID
	}
	if d.ClientAuth == "" {
		d.ClientAuth = chat.OAuthInBody
	}
	d.Scopes = union(nil, d.Scopes)
	d.MoreScopes = Lacking(d.Scopes, union(nil, d.MoreScopes))
	return d
}

// check validates a draft: Invalid, with a sentence about the necessary change.
func (d Draft) check() error {
	switch {
	case !providerID.MatchString(d.ID):
		return fault.Errorf(fault.Invalid, "%.40q cannot be the id of a provider: it takes 1 to 32 small letters, digits and dashes", d.ID)
	case utf8.RuneCountInString(d.Name) > maxName || !line(d.Name):
		return fault.Errorf(fault.Invalid, "the name must be one line of at most %d characters", maxName)
	case d.ClientID == "" || len(d.ClientID) > MaxClient || !line(d.ClientID):
		return fault.Errorf(fault.Invalid, "the client id is what the provider gave when xbot was registered there: one line of at most %d bytes", MaxClient)
	case len(d.Secret) > MaxSecret || !line(d.Secret):
		return fault.Errorf(fault.Invalid, "the client secret must be one line of at most %d bytes", MaxSecret)
	case d.ClientAuth != chat.OAuthInBody && d.ClientAuth != chat.OAuthInHeader:
		return fault.Errorf(fault.Invalid, "client_auth is body or header")
	case len(d.Scopes)+len(d.MoreScopes) > MaxScopes:
		return fault.Errorf(fault.Invalid, "there are more than %d scopes", MaxScopes)
	case d.Issuer != "" && (len(d.Issuer) > maxURL || !line(d.Issuer)):
		return fault.Errorf(fault.Invalid, "the issuer must be one line of at most %d bytes", maxURL)
	}
	for _, scope := range slices.Concat(d.Scopes, d.MoreScopes) {
		if !ScopeFits(scope) {
			return fault.Errorf(fault.Invalid, "%.60q is no scope: scopes have no blanks, and at most %d bytes", scope, maxScope)
		}
	}
	for _, a := range []struct {
		what, address string
		needed        bool
	}{{"authorize_url", d.AuthorizeURL, true}, {"token_url", d.TokenURL, true}, {"revoke_url", d.RevokeURL, false}, {"account_url", d.AccountURL, false}} {
		if (a.address != "" || a.needed) && !AddressFits(a.address) {
			return fault.Errorf(fault.Invalid, "%s must be an https address of at most %d bytes, without a name and a password in it; http is for this machine alone", a.what, maxURL)
		}
	}
	return nil
}

// AddressFits reports whether secrets may be sent to an address: https, or http on this machine alone, where they cannot be read in transit.
func AddressFits(address string) bool {
	u, err := url.Parse(address)
	if err != nil || len(address) > maxURL || u.Host == "" || u.User != nil || u.Fragment != "" {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && IsLoopback(u.Hostname())
}

// IsLoopback reports whether a host is this machine.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// ScopeFits reports whether a text can be a scope (RFC 6749, section 3.3).
func ScopeFits(scope string) bool {
	return scope != "" && len(scope) <= maxScope && !strings.ContainsFunc(scope, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' })
}

// line reports whether a text can be shown on one line.
func line(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// Origin returns scheme, host and port of an address, as it writes them; empty if it is none.
func Origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}
