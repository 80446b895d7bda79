package chat

import "time"

// OAuthClientAuth says where requests for tokens have the secret of the client.
type OAuthClientAuth string

// The places.
const (
	OAuthInBody   OAuthClientAuth = "body"   // client_secret_post
	OAuthInHeader OAuthClientAuth = "header" // client_secret_basic
)

// OAuthProviderConfig is what a service is at which people have accounts that xbot may use for them, without what is secret.
type OAuthProviderConfig struct {
	ID           string          `json:"id" doc:"One to 32 small letters, digits and dashes." example:"github"`
	Name         string          `json:"name" doc:"As people read it." example:"GitHub"`
	Issuer       string          `json:"issuer,omitempty" doc:"Who the provider says it is when it sends a browser back (RFC 9207); compared where both say it."`
	AuthorizeURL string          `json:"authorize_url" doc:"Where people are asked. Parameters in it are kept." example:"https://github.com/login/oauth/authorize"`
	TokenURL     string          `json:"token_url" example:"https://github.com/login/oauth/access_token"`
	RevokeURL    string          `json:"revoke_url,omitempty" doc:"Where tokens are given back (RFC 7009); empty: nowhere."`
	AccountURL   string          `json:"account_url,omitempty" doc:"Answers an access token with whose it is, as JSON, such as the userinfo endpoint; empty: nobody is asked." example:"https://api.github.com/user"`
	Scopes       []string        `json:"scopes" doc:"What is always asked for."`
	MoreScopes   []string        `json:"more_scopes" doc:"What a conversation may ask for beside scopes."`
	ClientID     string          `json:"client_id" doc:"What the provider knows xbot as."`
	ClientAuth   OAuthClientAuth `json:"client_auth" enum:"body,header" doc:"Where requests for tokens have the secret of the client."`
	Enabled      bool            `json:"enabled"`
}

// OAuthProvider is one as administrators see it.
type OAuthProvider struct {
	OAuthProviderConfig

	Secret    bool      `json:"secret" doc:"It has a secret of the client, which is never shown."`
	Accounts  int       `json:"accounts" doc:"How many people have connected an account."`
	Revision  int64     `json:"revision"`
	CreatedAt time.Time `json:"created_at"`
	ChangedAt time.Time `json:"changed_at"`
	ChangedBy string    `json:"changed_by" doc:"Empty: nobody who is still there."`
}

// OAuthAccount is an account of a person at a provider, without its tokens.
type OAuthAccount struct {
	Provider    string     `json:"provider" doc:"Id of the provider."`
	Label       string     `json:"label,omitempty" doc:"Whose account it is, in the words of the provider."`
	Scopes      []string   `json:"scopes" doc:"What was granted."`
	Problem     string     `json:"problem,omitempty" doc:"Why it must be connected again; left out: it need not."`
	ExpiresAt   *time.Time `json:"expires_at,omitempty" doc:"When the access token ends, which is renewed before."`
	ConnectedAt time.Time  `json:"connected_at"`
	RefreshedAt *time.Time `json:"refreshed_at,omitempty"`
}

// AccountAsk says of a question that it is answered by connecting an account.
type AccountAsk struct {
	Provider string   `json:"provider" doc:"Id of the provider."`
	Name     string   `json:"name" doc:"Of the provider."`
	Scopes   []string `json:"scopes,omitempty" doc:"What is asked for."`
}
