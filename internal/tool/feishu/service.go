// Package feishu is what the tools for Feishu's documents share: they act with the account that a user has connected, through the vendor's
// library, and never with the bot of the installation. The tools are in the packages below, one a service.
//
// Texts of documents are data of outsiders: results mark it. Ids and links come from models and outsiders, too, and are checked before they
// become a part of an address.
package feishu

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
	"xbot/internal/tool/toolset"
)

// Group is the group of the tools, as the model reads it.
const Group = "feishu"

// providerIDs are the ids under which an administrator has added Feishu, or Lark, as a provider of accounts.
var providerIDs = []string{"feishu", "lark"}

// Accounts returns the accounts that users have connected (oauth.Accounts).
type Accounts interface {
	// Owner returns the owner of a conversation. It returns Invalid if that is a group, which has no accounts.
	Owner(ctx context.Context, key chat.SessionKey) (chat.UserID, error)
	Providers(ctx context.Context, user chat.UserID) ([]chat.OAuthProvider, error)
	Account(ctx context.Context, user chat.UserID, provider string) (found chat.OAuthAccount, ok bool, err error)
	Token(ctx context.Context, user chat.UserID, provider string) (string, error)
	Refused(ctx context.Context, user chat.UserID, provider, access string) error
}

// Service reaches Feishu for users. It is safe for concurrent use.
type Service struct {
	accounts Accounts
	http     http.RoundTripper
}

// New reaches Feishu by a transport that keeps the rules for addresses of outsiders (package safehttp).
func New(accounts Accounts, over http.RoundTripper) *Service {
	return &Service{accounts: accounts, http: over}
}

// provider returns where users connect their accounts of Feishu; ok is false where no administrator has added it.
func (s *Service) provider(ctx context.Context, user chat.UserID) (p chat.OAuthProvider, ok bool, err error) {
	all, err := s.accounts.Providers(ctx, user)
	if err != nil {
		return p, false, err
	}
	for _, id := range providerIDs {
		if i := slices.IndexFunc(all, func(p chat.OAuthProvider) bool { return p.ID == id && p.Enabled && p.MCPServer == 0 }); i >= 0 {
			return all[i], true, nil
		}
	}
	return p, false, nil
}

// person returns the user who acts in a conversation: its owner, independent of the arguments.
func (s *Service) person(ctx context.Context, in chat.SessionKey) (*Person, error) {
	user, err := s.accounts.Owner(ctx, in)
	if err != nil {
		return nil, err
	}
	p, ok, err := s.provider(ctx, user)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fault.Errorf(fault.NotFound, "no account of Feishu can be connected here: an administrator adds the provider feishu on the page under Settings → Connected accounts")
	}
	base, err := origin(p.TokenURL)
	return &Person{service: s, user: user, provider: p, base: base}, err
}

// origin returns the server that gives the tokens. Tokens go to no other address.
func origin(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "", fault.Errorf(fault.Invalid, "the token address of the provider cannot be used")
	}
	return u.Scheme + "://" + u.Host, nil
}

// Source brings the tools to users where an account of Feishu can be connected, and feishu_send_file to conversations on Feishu.
type Source struct {
	service *Service
	send    tool.Tool
	tools   []tool.Tool
	offers  toolset.Rows[bool]
}

// NewSource brings the given tools, which need an account, and feishu_send_file, which needs none.
func NewSource(s *Service, tools ...tool.Tool) *Source {
	return &Source{service: s, send: NewSendFile(), tools: tools}
}

var _ toolset.Source = (*Source)(nil)

// Tools returns those that work at a place.
func (s *Source) Tools(ctx context.Context, at toolset.Place) ([]tool.Tool, error) {
	ok, err := s.offers.At(at, func() (bool, error) {
		_, ok, err := s.service.provider(ctx, at.User)
		return ok, err
	})
	if err != nil {
		return nil, err
	}
	var out []tool.Tool
	if ok && !at.OfGroup { // a group has no account
		out = slices.Clone(s.tools)
	}
	if at.Channel == platform {
		out = append(out, s.send)
	}
	return out, nil
}
