package account

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/ingress/temporalui"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/secret"
	"xbot/internal/user/settings"
	"xbot/internal/user/users"
)

// User is a user in the form of the API.
type User struct {
	ID   chat.UserID `json:"id"`
	Name string      `json:"name"`
	Role string      `json:"role" enum:"admin,member"`
}

func userBody(u users.User) User {
	role := "member"
	if u.Admin {
		role = "admin"
	}
	return User{ID: u.ID, Name: u.Name, Role: role}
}

// LoginState is the data of the login page.
type LoginState struct {
	NeedsPassword bool   `json:"needs_password" doc:"A user has a password, so that signing in with one is possible."`
	Demo          bool   `json:"demo" doc:"No model is configured; the built-in demo answers."`
	Version       string `json:"version"`
	SignOn        string `json:"sign_on,omitempty" doc:"Name of the provider by which people sign in at /oidc/login; missing: there is none."`
}

// SignedIn is the answer to a login.
type SignedIn struct {
	User            User   `json:"user"`
	MustSetPassword bool   `json:"must_set_password"`
	PageKey         string `json:"page_key" doc:"Send it as X-Xbot-Page with every request that uses the cookie, which alone gives no access. Store it where only this origin can read it."`
	Browser         string `json:"browser" doc:"Store it and send it with the next login: it distinguishes this browser from password guessing. It gives no access."`
}

type loginInput struct {
	Body struct {
		Browser  string `json:"browser,omitempty" maxLength:"256" doc:"The browser value of the last login in this browser."`
		Username string `json:"username,omitempty" maxLength:"128"`
		Password string `json:"password,omitempty" maxLength:"256"`
		Token    string `json:"token,omitempty" maxLength:"256" doc:"Of a one-time sign-in link; instead of name and password."`
		Replace  bool   `json:"replace,omitempty" doc:"With token: sign out another user of this browser; without it such a link is answered with 409."`
	}
	endpoint.Request
}

// LinkedUser is the user that a sign-in link signs in.
type LinkedUser struct {
	User     string `json:"user"`
	SignedIn string `json:"signed_in,omitempty" doc:"User who is signed in in this browser and would be signed out."`
}

type linkInput struct {
	Body struct {
		Token string `json:"token" minLength:"1" maxLength:"256" doc:"Of a one-time sign-in link."`
	}
	endpoint.Request
}

// RegisterLogin has the endpoints of login, which need no user.
func (a *Endpoints) RegisterLogin(h huma.API) {
	huma.Register(h, huma.Operation{OperationID: "login-state", Method: http.MethodGet, Path: "/api/login", Summary: "Get the options of the sign-in page"},
		func(ctx context.Context, _ *struct{}) (*struct{ Body LoginState }, error) {
			needed, err := a.Auth.Accounts.AnyPassword(ctx)
			if err != nil {
				return nil, a.Problem(err)
			}
			model, err := a.Usual.Of(ctx, 0)
			return &struct{ Body LoginState }{LoginState{NeedsPassword: needed, Demo: endpoint.IsDemo(model), Version: a.Info.Version, SignOn: a.Info.SignOn}}, a.Problem(err)
		})
	huma.Register(h, huma.Operation{OperationID: "login", Method: http.MethodPost, Path: "/api/login", Summary: "Sign in; sets the cookie", MaxBodyBytes: endpoint.OpenBody},
		func(_ context.Context, in *loginInput) (*struct{ Body SignedIn }, error) {
			login, err := a.signIn(in)
			if err != nil {
				return nil, a.Problem(err)
			}
			return a.signedIn(in.HTTP().Context(), login)
		})
	huma.Register(h, huma.Operation{OperationID: "join", Method: http.MethodPost, Path: "/api/join", Summary: "Create my account from an invitation, and sign in; sets the cookie", DefaultStatus: http.StatusCreated, MaxBodyBytes: endpoint.OpenBody},
		func(_ context.Context, in *joinInput) (*struct{ Body SignedIn }, error) {
			login, err := a.join(in)
			if err != nil {
				return nil, a.Problem(err)
			}
			return a.signedIn(in.HTTP().Context(), login)
		})
	huma.Register(h, huma.Operation{OperationID: "read-sign-in-link", Method: http.MethodPost, Path: "/api/login/link", Summary: "Get the user of a sign-in link without using the link", MaxBodyBytes: endpoint.OpenBody},
		func(_ context.Context, in *linkInput) (*struct{ Body LinkedUser }, error) {
			out, err := a.linkedUser(in)
			return &struct{ Body LinkedUser }{out}, a.Problem(err)
		})
}

func (a *Endpoints) linkedUser(in *linkInput) (LinkedUser, error) {
	if err := a.Auth.Hosts.SameOrigin(in.HTTP()); err != nil {
		return LinkedUser{}, err
	}
	link, err := a.Auth.Link(in.HTTP(), in.Body.Token)
	out := LinkedUser{User: link.User.Name}
	if link.Replaces() {
		out.SignedIn = link.SignedIn.Name
	}
	return out, err
}

func (a *Endpoints) signedIn(ctx context.Context, login auth.Login) (*struct{ Body SignedIn }, error) {
	must, err := a.mustSetPassword(ctx, login.User)
	return &struct{ Body SignedIn }{SignedIn{
		User: userBody(login.User), MustSetPassword: must, PageKey: login.PageKey, Browser: login.Browser,
	}}, a.Problem(err)
}

// mustSetPassword reports whether a user can come again only with a password that they have not chosen yet.
func (a *Endpoints) mustSetPassword(ctx context.Context, u users.User) (bool, error) {
	if u.PasswordHash != "" || a.Info.SignOn == "" {
		return u.PasswordHash == "", nil
	}
	signsOn, err := a.Users.SignsOn(ctx, u.ID)
	return !signsOn, err
}

type joinInput struct {
	Body struct {
		Token    string `json:"token" minLength:"1" maxLength:"256" doc:"Of the invitation."`
		Username string `json:"username" minLength:"2" maxLength:"64" doc:"Unique sign-in name."`
		Password string `json:"password" maxLength:"256" doc:"10 to 72 bytes."`
	}
	endpoint.Request
}

func (a *Endpoints) join(in *joinInput) (auth.Login, error) {
	if err := a.Auth.Hosts.SameOrigin(in.HTTP()); err != nil {
		return auth.Login{}, err
	}
	return a.Auth.Join(in.Writer(), in.HTTP(), auth.Invitation{
		Token: in.Body.Token, Credentials: auth.Credentials{Name: in.Body.Username, Password: in.Body.Password},
	})
}

func (a *Endpoints) signIn(in *loginInput) (auth.Login, error) {
	if err := a.Auth.Hosts.SameOrigin(in.HTTP()); err != nil {
		return auth.Login{}, err
	}
	if in.Body.Token != "" {
		return a.Auth.SignInByLink(in.Writer(), in.HTTP(), in.Body.Token, in.Body.Replace)
	}
	if in.Body.Username == "" || in.Body.Password == "" {
		return auth.Login{}, fault.Errorf(fault.Invalid, "give username and password, or the token of a sign-in link")
	}
	return a.Auth.SignIn(in.Writer(), in.HTTP(), auth.Credentials{Name: in.Body.Username, Password: in.Body.Password, Browser: in.Body.Browser})
}

// Me is the data that a client needs at its start.
type Me struct {
	User            User   `json:"user"`
	MustSetPassword bool   `json:"must_set_password"`
	Model           string `json:"model" doc:"provider/model"`
	Demo            bool   `json:"demo"`
	Version         string `json:"version"`
	TemporalUI      string `json:"temporal_ui" doc:"Path of the Temporal UI, empty if this user may not open it."`
	Theme           string `json:"theme,omitempty" enum:"auto,light,dark" doc:"Chosen for the page, on all devices; auto: as their system is; missing: that of each device."`
	Language        string `json:"language,omitempty" enum:"en,zh" doc:"Chosen for the page, on all devices; missing: that of each browser."`
}

func (a *Endpoints) registerAccount(h huma.API) {
	huma.Register(h, huma.Operation{OperationID: "logout", Method: http.MethodPost, Path: "/api/logout", Summary: "Sign out of this browser", DefaultStatus: http.StatusNoContent, Security: endpoint.Secured},
		func(_ context.Context, in *struct{ endpoint.Request }) (*struct{}, error) {
			return nil, a.Problem(a.Auth.SignOut(in.Writer(), in.HTTP()))
		})
	huma.Register(h, huma.Operation{OperationID: "me", Method: http.MethodGet, Path: "/api/me", Summary: "Get the signed-in user and the server's features", Security: endpoint.Secured},
		func(ctx context.Context, _ *struct{}) (*struct{ Body Me }, error) {
			me, err := a.me(ctx)
			return &struct{ Body Me }{me}, a.Problem(err)
		})
	huma.Register(h, huma.Operation{OperationID: "set-password", Method: http.MethodPost, Path: "/api/me/password", Summary: "Set my password; signs out my other browsers and invalidates unused sign-in links", DefaultStatus: http.StatusNoContent, Security: endpoint.Secured},
		func(ctx context.Context, in *struct {
			Body struct {
				Password string `json:"password" maxLength:"256" doc:"10 to 72 bytes."`
				Current  string `json:"current,omitempty" maxLength:"256" doc:"Needed if there is one."`
				Revoke   bool   `json:"revoke_tokens,omitempty" doc:"Also revoke my access tokens, except the one of this request."`
			}
			endpoint.Request
		}) (*struct{}, error) {
			return nil, a.Problem(a.Auth.SetPassword(in.HTTP(), auth.User(ctx), auth.PasswordChange{
				Current: in.Body.Current, New: in.Body.Password, RevokeTokens: in.Body.Revoke,
			}))
		})
	a.registerPasses(h)
	a.registerTokens(h)
}

// PassBody is an address that a browser opens directly.
type PassBody struct {
	URL string `json:"url" doc:"The address with a pass; good for a minute, in this browser."`
}

func (a *Endpoints) registerPasses(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "create-pass", Method: http.MethodPost, Path: "/api/passes", Summary: "Create a URL that this browser can open without headers, such as a download",
		DefaultStatus: http.StatusCreated, Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		Body struct {
			URL string `json:"url" minLength:"1" maxLength:"8192" doc:"Path and query, beginning with /api/."`
		}
	}) (*struct{ Body PassBody }, error) {
		address, err := a.Auth.Pass(ctx, in.Body.URL)
		return &struct{ Body PassBody }{PassBody{address}}, a.Problem(err)
	})
}

func (a *Endpoints) me(ctx context.Context) (Me, error) {
	u := auth.User(ctx)
	must, err := a.mustSetPassword(ctx, u)
	if err != nil {
		return Me{}, err
	}
	model, err := a.Usual.Of(ctx, u.ID)
	if err != nil {
		return Me{}, err
	}
	chosen, _, err := a.Settings.Preferences(ctx, u.ID)
	m := Me{
		User: userBody(u), MustSetPassword: must, Model: model, Demo: endpoint.IsDemo(model), Version: a.Info.Version,
		Theme: chosen[settings.Theme], Language: chosen[settings.PageLanguage],
	}
	if u.Admin && a.Info.TemporalUI {
		m.TemporalUI = a.Auth.Under(ctx, temporalui.Root)
	}
	return m, err
}

// NewToken is a token, shown once.
type NewToken struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Token string `json:"token" doc:"Shown once; only its hash is kept."`
}

func (a *Endpoints) registerTokens(h huma.API) {
	huma.Register(h, huma.Operation{OperationID: "list-tokens", Method: http.MethodGet, Path: "/api/tokens", Summary: "List my access tokens", Security: endpoint.Secured},
		func(ctx context.Context, _ *struct{}) (*struct {
			Body struct {
				Tokens []users.Token `json:"tokens"`
			}
		}, error) {
			out := &struct {
				Body struct {
					Tokens []users.Token `json:"tokens"`
				}
			}{}
			tokens, err := a.Users.Tokens(ctx, auth.User(ctx).ID)
			out.Body.Tokens = tokens
			return out, a.Problem(err)
		})
	huma.Register(h, huma.Operation{OperationID: "create-token", Method: http.MethodPost, Path: "/api/tokens", Summary: "Create an access token", DefaultStatus: http.StatusCreated, Security: endpoint.Secured},
		func(ctx context.Context, in *struct {
			Body struct {
				Name  string `json:"name" minLength:"1" maxLength:"128"`
				Scope string `json:"scope,omitempty" enum:"read,chat,administration" default:"administration" doc:"Scope: read; read and write in conversations; or all of my rights, including those of an administrator."`
				Days  int    `json:"days,omitempty" minimum:"0" maximum:"3650" doc:"Validity in days; 0: until revoked."`
			}
		}) (*struct{ Body NewToken }, error) {
			token, hash := secret.NewToken()
			made := users.Token{Name: in.Body.Name, Scope: users.Scope(in.Body.Scope)}
			if in.Body.Days > 0 {
				made.ExpiresAt = new(time.Now().AddDate(0, 0, in.Body.Days))
			}
			id, err := a.Users.CreateToken(ctx, auth.User(ctx).ID, made, hash)
			return &struct{ Body NewToken }{NewToken{ID: id, Name: in.Body.Name, Token: token}}, a.Problem(err)
		})
	huma.Register(h, huma.Operation{OperationID: "revoke-token", Method: http.MethodDelete, Path: "/api/tokens/{id}", Summary: "Revoke a token", DefaultStatus: http.StatusNoContent, Security: endpoint.Secured},
		func(ctx context.Context, in *struct {
			ID int64 `path:"id"`
		}) (*struct{}, error) {
			return nil, a.Problem(a.Users.RevokeToken(ctx, auth.User(ctx).ID, in.ID))
		})
}
