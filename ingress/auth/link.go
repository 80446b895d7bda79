package auth

import (
	"context"
	"net/http"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/secret"
	"xbot/internal/user/users"
)

const (
	// linkLife is how long a sign-in link made by an administrator works.
	linkLife = 24 * time.Hour
	// browserLinkLife is how long a sign-in link works that is bound to a browser, which opens it at once.
	browserLinkLife = 5 * time.Minute
	// linkCookie is the cookie that binds a sign-in link to a browser.
	linkCookie = "xbot_sign_in"
	// boundPrefix starts the tokens of links that are bound to a browser.
	boundPrefix = "b."
)

// NewLink creates a one-time sign-in link of a user under the base address.
func (a *Auth) NewLink(ctx context.Context, user chat.UserID, base string) (string, error) {
	token, hash := secret.NewToken()
	if err := a.Accounts.CreateLoginLink(ctx, user, hash, time.Now().Add(linkLife)); err != nil {
		return "", err
	}
	return strings.TrimRight(base, "/") + "/login#token=" + token, nil
}

// NewBrowserLink creates a one-time sign-in link that works for minutes, and only in the browser of the request, which gets a cookie. attempt
// identifies the sign-in. Errors are Conflict if the attempt already has a link.
func (a *Auth) NewBrowserLink(w http.ResponseWriter, r *http.Request, user chat.UserID, attempt string) (string, error) {
	token := boundPrefix + text(a.mac("sign-in link of an attempt", []byte(attempt)))
	browser := text(a.mac("browser of an attempt", []byte(attempt)))
	if err := a.Accounts.CreateLoginLink(r.Context(), user, a.boundHash(token, browser), time.Now().Add(browserLinkLife)); err != nil {
		return "", err
	}
	setLinkCookie(w, r, browser, int(browserLinkLife.Seconds()))
	return "/login#token=" + token, nil
}

func setLinkCookie(w http.ResponseWriter, r *http.Request, value string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: linkCookie, Value: value, Path: "/api/login", MaxAge: age, HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https",
	})
}

// boundHash returns the hash of a token that is bound to a browser. No unbound token has the same hash.
func (a *Auth) boundHash(token, browser string) []byte {
	return a.mac("sign-in link of a browser", []byte(token), []byte{0}, []byte(browser))
}

// linkHash returns the hash under which the link of a request is stored.
func (a *Auth) linkHash(r *http.Request, token string) []byte {
	if !strings.HasPrefix(token, boundPrefix) {
		return secret.HashToken(token)
	}
	browser := ""
	if cookie, err := r.Cookie(linkCookie); err == nil {
		browser = cookie.Value
	}
	return a.boundHash(token, browser)
}

// Link is a valid sign-in link.
type Link struct {
	User     users.User
	SignedIn users.User // the user whose login the browser has; zero if there is none
}

// Replaces reports whether the link would end the login of another user.
func (l Link) Replaces() bool { return l.SignedIn.ID != 0 && l.SignedIn.ID != l.User.ID }

// Link looks up a sign-in link without using it. Errors are Denied if it is unknown, used, expired, or bound to another browser.
func (a *Auth) Link(r *http.Request, token string) (Link, error) {
	user, err := a.Accounts.LoginLinkUser(r.Context(), a.linkHash(r, token))
	if err != nil {
		return Link{}, err
	}
	visitor, err := a.visitor(r)
	return Link{User: user, SignedIn: visitor}, err
}

// SignInByLink uses a one-time link and opens a login for a browser. Errors are Conflict if the browser has a login of another user and replace is
// not set: an attacker may send a link to make a user work in the attacker's account.
func (a *Auth) SignInByLink(w http.ResponseWriter, r *http.Request, token string, replace bool) (Login, error) {
	link, err := a.Link(r, token)
	if err != nil {
		return Login{}, err
	}
	if link.Replaces() && !replace {
		return Login{}, fault.Errorf(fault.Conflict, "you are signed in as %s, and this link signs in %s; set replace to sign out %[1]s", link.SignedIn.Name, link.User.Name)
	}
	user, err := a.Accounts.UseLoginLink(r.Context(), a.linkHash(r, token))
	if err != nil {
		return Login{}, err
	}
	if strings.HasPrefix(token, boundPrefix) {
		setLinkCookie(w, r, "", -1)
	}
	return a.open(w, r, user, "")
}
