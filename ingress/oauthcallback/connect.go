// Package oauthcallback sends browsers to OAuth providers and completes the sign-in when they return. A signed ticket names the user who may
// begin, and a cookie proves that the browser that returns is the one that was sent.
package oauthcallback

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/extension/oauth"
	"xbot/internal/extension/oauth/oauthstore"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/secret"
	"xbot/internal/turn/question"
	"xbot/internal/user/users"
)

// cookieRoot begins the names of the cookies of a browser during a sign-in at a provider. Each sign-in has a separate one: a user may connect
// two accounts at once.
const cookieRoot = "xbot_oauth_"

// cookieName returns the name of the cookie of a state. It does not reveal the state, which a log of cookies must not give away.
func cookieName(state string) string {
	return cookieRoot + hex.EncodeToString(secret.HashToken(state)[:8])
}

// Visitors know who is signed in in a browser.
type Visitors interface {
	Visitor(r *http.Request) (chat.UserID, error)
}

// Origins refuse what another site's page has sent.
type Origins interface {
	SameOrigin(r *http.Request) error
}

// People finds the users whose accounts are connected.
type People interface {
	UserByID(ctx context.Context, id chat.UserID) (users.User, error)
}

// Servers are the MCP servers to which connected accounts authorize requests.
type Servers interface {
	// AccountConnected records that a user has connected an account, and returns at once. Vouches: the user is an administrator.
	AccountConnected(user chat.UserID, provider string, vouches bool)
}

// Connect serves the paths under oauth.Root.
type Connect struct {
	Accounts *oauth.Accounts
	Visitors Visitors
	Origins  Origins
	People   People
	Servers  Servers // nil: there are none
	Log      *slog.Logger
}

// Handler returns the routes.
func (c *Connect) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+oauth.Start+"{ticket}", c.ask)
	mux.HandleFunc("POST "+oauth.Start+"{ticket}", c.begin)
	mux.HandleFunc("GET "+oauth.Callback, c.end)
	return mux
}

// admitted reads the ticket of a request, and finds its user. Programs that preview a link change nothing by that.
func (c *Connect) admitted(r *http.Request) (t oauth.Ticket, who users.User, err error) {
	if t, err = c.Accounts.Ticket(r.Context(), r.PathValue("ticket")); err != nil {
		return t, who, err
	}
	if who, err = c.People.UserByID(r.Context(), t.User); err != nil {
		return t, who, err
	}
	if who.Disabled {
		return t, who, oauth.ErrDisabled
	}
	visitor, err := c.Visitors.Visitor(r)
	if err == nil && visitor != t.User && (visitor != 0 || t.Login) {
		err = errOther
	}
	return t, who, err
}

var (
	errOther   = fault.Errorf(fault.Denied, "somebody else is signed in")
	errFraming = fault.Errorf(fault.Denied, "the form was sent from elsewhere")
)

// ask shows the visitor of a link for which user an account is connected: another user may have sent it to them.
func (c *Connect) ask(w http.ResponseWriter, r *http.Request) {
	t, who, err := c.admitted(r)
	if err != nil {
		c.refuse(w, r, err)
		return
	}
	p, err := c.Accounts.Provider(r.Context(), t.User, t.Provider)
	if err != nil {
		c.refuse(w, r, err)
		return
	}
	lang := languageOf(r)
	lines := []string{i18n.Say(lang, i18n.OAuthWhose, p.Name, who.Name), i18n.Say(lang, i18n.OAuthNotYou)}
	if p.MCPServer != 0 { // it may have named a provider at which the user has an account for something else
		lines = append(lines, i18n.Say(lang, i18n.OAuthForServer, host(p.Resource), host(p.AuthorizeURL)))
	}
	show(w, http.StatusOK, page{Lang: string(lang), Title: i18n.Say(lang, i18n.OAuthTitle, p.Name), Button: i18n.Say(lang, i18n.OAuthGo, p.Name), Lines: lines})
}

// host returns the host of an address.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// begin sends a browser to the provider.
func (c *Connect) begin(w http.ResponseWriter, r *http.Request) {
	if c.Origins.SameOrigin(r) != nil {
		c.refuse(w, r, errFraming)
		return
	}
	t, _, err := c.admitted(r)
	if err != nil {
		c.refuse(w, r, err)
		return
	}
	browser := rand.Text()
	address, err := c.Accounts.Begin(r.Context(), t, browser)
	if err != nil {
		c.refuse(w, r, err)
		return
	}
	to, err := url.Parse(address)
	if err != nil {
		c.refuse(w, r, err)
		return
	}
	setCookie(w, r, cookieName(to.Query().Get("state")), browser, int(oauth.FlowLife.Seconds()))
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, address, http.StatusSeeOther) //nolint:gosec // an administrator chose it
}

// end takes a browser that comes back.
func (c *Connect) end(w http.ResponseWriter, r *http.Request) {
	visitor, err := c.Visitors.Visitor(r)
	if err != nil {
		c.refuse(w, r, err)
		return
	}
	q, back := r.URL.Query(), oauth.Return{Person: visitor}
	back.State, back.Code, back.Error, back.Description, back.Issuer = q.Get("state"), q.Get("code"), q.Get("error"), q.Get("error_description"), q.Get("iss")
	name := cookieName(back.State)
	if cookie, err := r.Cookie(name); err == nil {
		back.Browser = cookie.Value
	}
	done, err := c.Accounts.Finish(r.Context(), back)
	if err == nil || fault.Is(err, fault.Denied) {
		setCookie(w, r, name, "", -1) // this sign-in is used up; others stay open
	}
	if err != nil {
		c.refuse(w, r, err)
		return
	}
	c.Log.Info("account connected", "provider", done.Provider, "answered", done.Answered)
	c.refreshServers(r.Context(), done)
	lang := languageOf(r)
	p := page{Lang: string(lang), Title: question.ConnectedAs(lang, done.Provider, done.Label), Link: i18n.Say(lang, i18n.OAuthToPage)}
	if done.Answered {
		p.Lines = append(p.Lines, i18n.Say(lang, i18n.OAuthGoesOn))
	}
	p.Lines = append(p.Lines, i18n.Say(lang, i18n.OAuthClose))
	show(w, http.StatusOK, p)
}

// refreshServers asks the MCP servers of the account again. If that fails, the user can ask them by hand.
func (c *Connect) refreshServers(ctx context.Context, done oauth.Connected) {
	if c.Servers == nil {
		return
	}
	who, err := c.People.UserByID(ctx, done.User)
	if err != nil {
		c.Log.Warn("the MCP servers of a connected account were not asked", "provider", done.Provider, "error", err)
		return
	}
	c.Servers.AccountConnected(done.User, done.ProviderID, who.Admin)
}

func setCookie(w http.ResponseWriter, r *http.Request, name, value string, age int) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure if the browser's connection is
		Name: name, Value: value, Path: oauth.Root, MaxAge: age, HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https",
	})
}

// refuse shows the error in the browser.
func (c *Connect) refuse(w http.ResponseWriter, r *http.Request, err error) {
	lang := languageOf(r)
	status := http.StatusForbidden
	var text string
	say := func(id i18n.ID, args ...any) string { return i18n.Say(lang, id, args...) }
	said, refused := errors.AsType[*oauth.RefusedError](err)
	switch {
	case refused:
		text = say(i18n.OAuthSays, said.Provider, said.Said)
	case errors.Is(err, oauthstore.ErrNoFlow), fault.Is(err, fault.Conflict):
		status, text = http.StatusGone, say(i18n.OAuthOver)
	case errors.Is(err, errOther), errors.Is(err, oauth.ErrOtherLogin):
		text = say(i18n.OAuthOther)
	case errors.Is(err, oauth.ErrDisabled):
		text = say(i18n.OAuthDisabled)
	case errors.Is(err, errFraming):
		text = say(i18n.OAuthElsewhere)
	case errors.Is(err, oauth.ErrOtherIssuer):
		text = say(i18n.OAuthMixed)
	case fault.Is(err, fault.Denied):
		text = say(i18n.OAuthForged)
	case fault.Is(err, fault.NotFound):
		status, text = http.StatusNotFound, say(i18n.OAuthGone)
	case fault.Is(err, fault.Unavailable), fault.Is(err, fault.Invalid):
		status, text = http.StatusBadGateway, say(i18n.OAuthLater, strings.TrimRight(err.Error(), "."))
	default:
		status, text = http.StatusInternalServerError, say(i18n.OAuthOurs)
	}
	c.Log.Warn("no account was connected", "error", err)
	show(w, status, page{Lang: string(lang), Title: say(i18n.OAuthFailed), Lines: []string{text}, Link: say(i18n.OAuthToPage)})
}

// languageOf returns the language that a browser asks for first.
func languageOf(r *http.Request) i18n.Lang {
	if strings.HasPrefix(strings.ToLower(r.Header.Get("Accept-Language")), "zh") {
		return i18n.Chinese
	}
	return i18n.English
}
