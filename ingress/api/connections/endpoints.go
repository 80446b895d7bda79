// Package connections has the endpoints of the accounts that users have connected by OAuth, and of the providers at which they can.
package connections

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/chat"
	"xbot/internal/extension/oauth"
)

// Endpoints has the endpoints of this package and their dependencies.
type Endpoints struct {
	*endpoint.Base

	Accounts *oauth.Accounts
}

// OAuthProviders lists providers, for administrators.
type OAuthProviders struct {
	Providers   []chat.OAuthProvider `json:"providers"`
	RedirectURL string               `json:"redirect_url" doc:"The redirect URL to register with providers."`
}

// OAuthProviderDraft is the definition of a provider.
type OAuthProviderDraft struct {
	Name         string               `json:"name,omitempty" maxLength:"200" doc:"Display name. Default: the ID."`
	Issuer       string               `json:"issuer,omitempty" maxLength:"2048" doc:"Expected iss parameter of authorization responses (RFC 9207). Default: not checked."`
	AuthorizeURL string               `json:"authorize_url" maxLength:"2048" doc:"Parameters in it are kept, such as access_type=offline."`
	TokenURL     string               `json:"token_url" maxLength:"2048"`
	RevokeURL    string               `json:"revoke_url,omitempty" maxLength:"2048"`
	AccountURL   string               `json:"account_url,omitempty" maxLength:"2048"`
	Scopes       []string             `json:"scopes,omitempty" maxItems:"64" doc:"Scopes that are always requested."`
	MoreScopes   []string             `json:"more_scopes,omitempty" maxItems:"64" doc:"Additional scopes that a conversation may request."`
	ClientID     string               `json:"client_id" maxLength:"512"`
	ClientSecret string               `json:"client_secret,omitempty" maxLength:"4096" doc:"If omitted, the stored value is kept. It is never returned."`
	ClientAuth   chat.OAuthClientAuth `json:"client_auth,omitempty" enum:"body,header" doc:"Client authentication in token requests; default: in the body."`
	Enabled      bool                 `json:"enabled"`
	Revision     int64                `json:"revision,omitempty" minimum:"0" doc:"Revision on which the change is based; 0: no provider with this ID exists yet."`
}

// ConnectedAccounts are the accounts of a user.
type ConnectedAccounts struct {
	Accounts  []chat.OAuthAccount `json:"accounts" doc:"Connected accounts, and accounts that must be reconnected."`
	Providers []Connectable       `json:"providers" doc:"Where an account can be connected."`
}

// Connectable is a provider in the form for users.
type Connectable struct {
	ID     string   `json:"id"`
	Name   string   `json:"name"`
	Scopes []string `json:"scopes" doc:"Scopes that are always requested."`
}

// ConnectRequest names the call and scopes that an account is connected for.
type ConnectRequest struct {
	Call   chat.CallID `json:"call,omitempty" maxLength:"200" doc:"The waiting call, which defines the requested scopes."`
	Scopes []string    `json:"scopes,omitempty" maxItems:"64" doc:"In addition to the default scopes."`
}

// ConnectLink leads to the provider.
type ConnectLink struct {
	Link string `json:"link" doc:"To be opened in a browser within ten minutes, on this server; of a browser, in that one."`
	URL  string `json:"url,omitempty" doc:"The full URL, if the server knows its public URL."`
}

// Disconnected is the result of disconnecting an account.
type Disconnected struct {
	Problem string `json:"problem,omitempty" doc:"Error of the token revocation at the provider. The tokens are removed here nevertheless."`
}

type (
	providerPath struct {
		Provider string `path:"provider" maxLength:"64" doc:"One to 32 small letters, digits and dashes." example:"github"`
	}
	change struct {
		Provider string `path:"provider" maxLength:"64" doc:"One to 32 small letters, digits and dashes." example:"github"`
		Body     OAuthProviderDraft
	}
	connect struct {
		Provider string `path:"provider" maxLength:"64" doc:"Id of the provider." example:"github"`
		Body     ConnectRequest
	}
)

// Register has the endpoints that need a user.
func (a *Endpoints) Register(h huma.API) {
	const providers, provider, accounts, account = "/api/oauth/providers", "/api/oauth/providers/{provider}", "/api/oauth/accounts", "/api/oauth/accounts/{provider}"
	huma.Register(h, endpoint.Operation("list-oauth-providers", http.MethodGet, providers, "List OAuth providers; for administrators", "Secrets of clients are never returned."), endpoint.Admin(a.Base, a.providers))
	huma.Register(h, endpoint.Operation("set-oauth-provider", http.MethodPut, provider, "Add or change an OAuth provider",
		"For administrators. 409: the provider was created or changed in the meantime. A different token origin or client requires that accounts are reconnected; a different origin also requires the secret again."), endpoint.Admin(a.Base, a.set))
	huma.Register(h, endpoint.Removal("delete-oauth-provider", provider, "Remove an OAuth provider",
		"For administrators. Connected accounts are removed, too; their tokens are not revoked."), endpoint.Admin(a.Base, a.remove))
	huma.Register(h, endpoint.Operation("list-oauth-accounts", http.MethodGet, accounts, "List your connected accounts and the providers available", "Tokens are never returned."), a.accounts)
	huma.Register(h, endpoint.Operation("connect-oauth-account", http.MethodPost, account+"/connect", "Start connecting an account",
		"Returns the provider's authorization URL. A call that waits for the account continues once it is connected."), a.connect)
	huma.Register(h, endpoint.Operation("delete-oauth-account", http.MethodDelete, account, "Disconnect an account",
		"Revokes the tokens at the provider if it supports that, and deletes them."), a.disconnect)
}
