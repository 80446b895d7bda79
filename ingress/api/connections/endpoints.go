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
	RedirectURL string               `json:"redirect_url" doc:"What a provider has to be told as the redirect address of xbot."`
}

// OAuthProviderDraft is the definition of a provider.
type OAuthProviderDraft struct {
	Name         string               `json:"name,omitempty" maxLength:"200" doc:"As people read it; left out: the id."`
	Issuer       string               `json:"issuer,omitempty" maxLength:"2048" doc:"Who the provider says it is when it sends a browser back (RFC 9207): no other answer is accepted. Left out: it is not compared."`
	AuthorizeURL string               `json:"authorize_url" maxLength:"2048" doc:"Parameters in it are kept, such as access_type=offline."`
	TokenURL     string               `json:"token_url" maxLength:"2048"`
	RevokeURL    string               `json:"revoke_url,omitempty" maxLength:"2048"`
	AccountURL   string               `json:"account_url,omitempty" maxLength:"2048"`
	Scopes       []string             `json:"scopes,omitempty" maxItems:"64" doc:"What is always asked for."`
	MoreScopes   []string             `json:"more_scopes,omitempty" maxItems:"64" doc:"What a conversation may ask for beside scopes."`
	ClientID     string               `json:"client_id" maxLength:"512"`
	ClientSecret string               `json:"client_secret,omitempty" maxLength:"4096" doc:"Left out: the stored one stays. It is never shown again."`
	ClientAuth   chat.OAuthClientAuth `json:"client_auth,omitempty" enum:"body,header" doc:"Where requests for tokens have the secret; left out: in their body."`
	Enabled      bool                 `json:"enabled"`
	Revision     int64                `json:"revision,omitempty" minimum:"0" doc:"The revision that the change was made from; 0: there is none of that id yet."`
}

// ConnectedAccounts are the accounts of a user.
type ConnectedAccounts struct {
	Accounts  []chat.OAuthAccount `json:"accounts" doc:"Those that are connected, or were and have to be connected again."`
	Providers []Connectable       `json:"providers" doc:"Where an account can be connected."`
}

// Connectable is a provider in the form for users.
type Connectable struct {
	ID     string   `json:"id"`
	Name   string   `json:"name"`
	Scopes []string `json:"scopes" doc:"What is always asked for."`
}

// ConnectRequest names the call and scopes that an account is connected for.
type ConnectRequest struct {
	Call   chat.CallID `json:"call,omitempty" maxLength:"200" doc:"The call that waits for it, which says what is asked for."`
	Scopes []string    `json:"scopes,omitempty" maxItems:"64" doc:"Beside those that are always asked for."`
}

// ConnectLink leads to the provider.
type ConnectLink struct {
	Link string `json:"link" doc:"To be opened in a browser within ten minutes, on this server; of a browser, in that one."`
	URL  string `json:"url,omitempty" doc:"The whole address, where the server knows under which people reach it."`
}

// Disconnected is the result of disconnecting an account.
type Disconnected struct {
	Problem string `json:"problem,omitempty" doc:"Why the provider could not be told that its tokens are not used any more. They are removed here all the same."`
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
	huma.Register(h, endpoint.Operation("list-oauth-providers", http.MethodGet, providers, "OAuth providers, for administrators", "Secrets of clients are never returned."), endpoint.Admin(a.Base, a.providers))
	huma.Register(h, endpoint.Operation("set-oauth-provider", http.MethodPut, provider, "Add or change an OAuth provider",
		"For administrators. 409: it was made or changed meanwhile. Where another origin would get tokens, or the client is another, accounts have to be connected again; with another origin the secret has to be given again, too."), endpoint.Admin(a.Base, a.set))
	huma.Register(h, endpoint.Removal("delete-oauth-provider", provider, "Remove an OAuth provider",
		"For administrators. The accounts that people have connected there are removed with it; their tokens are not given back."), endpoint.Admin(a.Base, a.remove))
	huma.Register(h, endpoint.Operation("list-oauth-accounts", http.MethodGet, accounts, "Your connected accounts, and where you can connect some", "Tokens are never returned."), a.accounts)
	huma.Register(h, endpoint.Operation("connect-oauth-account", http.MethodPost, account+"/connect", "Begin to connect an account",
		"The answer leads to the provider, where you are asked. A call that waits for the account goes on once it is connected."), a.connect)
	huma.Register(h, endpoint.Operation("delete-oauth-account", http.MethodDelete, account, "Disconnect an account",
		"Its tokens are given back to the provider, where it takes them, and removed."), a.disconnect)
}
