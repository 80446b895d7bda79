package connections

import (
	"context"
	"time"

	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/extension/oauth"
	"xbot/internal/fault"
)

func (a *Endpoints) providers(ctx context.Context, _ *struct{}) (*struct{ Body OAuthProviders }, error) {
	all, err := a.Accounts.Providers(ctx, 0)
	return &struct{ Body OAuthProviders }{OAuthProviders{Providers: all, RedirectURL: a.Accounts.Public + oauth.Callback}}, a.Problem(err)
}

func (a *Endpoints) set(ctx context.Context, in *change) (*struct{ Body chat.OAuthProvider }, error) {
	u, b := auth.User(ctx), in.Body
	p, err := a.Accounts.Save(ctx, oauth.Draft{Secret: b.ClientSecret, Revision: b.Revision, OAuthProviderConfig: chat.OAuthProviderConfig{
		ID: in.Provider, Name: b.Name, Issuer: b.Issuer, AuthorizeURL: b.AuthorizeURL, TokenURL: b.TokenURL, RevokeURL: b.RevokeURL, AccountURL: b.AccountURL,
		Scopes: b.Scopes, MoreScopes: b.MoreScopes, ClientID: b.ClientID, ClientAuth: b.ClientAuth, Enabled: b.Enabled,
	}}, u.ID)
	if err != nil {
		return nil, a.Problem(err)
	}
	a.Log.Info("OAuth provider saved", "provider", p.ID, "enabled", p.Enabled, "by", u.Name)
	return &struct{ Body chat.OAuthProvider }{p}, nil
}

func (a *Endpoints) remove(ctx context.Context, in *providerPath) (*struct{}, error) {
	if err := a.Accounts.Remove(ctx, in.Provider); err != nil {
		return nil, a.Problem(err)
	}
	a.Log.Info("OAuth provider removed", "provider", in.Provider, "by", auth.User(ctx).Name)
	return nil, nil
}

func (a *Endpoints) accounts(ctx context.Context, _ *struct{}) (*struct{ Body ConnectedAccounts }, error) {
	user := auth.User(ctx).ID
	connected, err := a.Accounts.List(ctx, user)
	if err != nil {
		return nil, a.Problem(err)
	}
	all, err := a.Accounts.Providers(ctx, user)
	out := ConnectedAccounts{Accounts: connected, Providers: []Connectable{}}
	for _, p := range all {
		if p.Enabled {
			out.Providers = append(out.Providers, Connectable{ID: p.ID, Name: p.Name, Scopes: p.Scopes})
		}
	}
	return &struct{ Body ConnectedAccounts }{out}, a.Problem(err)
}

func (a *Endpoints) connect(ctx context.Context, in *connect) (*struct{ Body ConnectLink }, error) {
	u := auth.User(ctx)
	p, err := a.Accounts.Provider(ctx, u.ID, in.Provider)
	if err != nil {
		return nil, a.Problem(err)
	}
	t := oauth.Ticket{User: u.ID, Provider: p.ID, Scopes: in.Body.Scopes}
	if in.Body.Call != "" {
		if t, err = a.Accounts.ForCall(ctx, u.ID, in.Body.Call); err == nil && t.Provider != p.ID {
			err = fault.Errorf(fault.Invalid, "the call waits for an account at %s", t.Provider)
		}
	} else if extra := oauth.Lacking(append(p.Scopes, p.MoreScopes...), t.Scopes); len(extra) > 0 {
		err = fault.Errorf(fault.Invalid, "%.60q may not be asked for at %s", extra[0], p.Name)
	}
	if err != nil {
		return nil, a.Problem(err)
	}
	t.Login, t.Expires = auth.InBrowser(ctx), time.Now().Add(oauth.TicketLife)
	return &struct{ Body ConnectLink }{ConnectLink{Link: a.Accounts.Path(t), URL: a.Accounts.Address(t)}}, nil
}

func (a *Endpoints) disconnect(ctx context.Context, in *providerPath) (*struct{ Body Disconnected }, error) {
	u := auth.User(ctx)
	problem, err := a.Accounts.Disconnect(ctx, u.ID, in.Provider)
	if err != nil {
		return nil, a.Problem(err)
	}
	a.Log.Info("account disconnected", "provider", in.Provider, "by", u.Name, "problem", problem)
	return &struct{ Body Disconnected }{Disconnected{Problem: problem}}, nil
}
