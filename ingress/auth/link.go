package auth

import (
	"context"
	"net/http"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/secret"
	"xbot/internal/store"
)

const (
	// linkLife is how long a sign-in link works that an administrator makes for somebody.
	linkLife = 24 * time.Hour
	// browserLinkLife is how long a sign-in link works that a browser gets for itself: it is on its way to the page.
	browserLinkLife = 5 * time.Minute
	// linkCookie is the cookie of the browser that a sign-in link is bound to.
	linkCookie = "xbot_sign_in"
	// boundPrefix begins the tokens of links that are bound to a browser.
	boundPrefix = "b."
)

// NewLink makes a one-time sign-in link of a user under the base address.
func (a *Auth) NewLink(ctx context.Context, user chat.UserID, base string) (string, error) {
	token, hash := secret.NewToken()
	if err := a.Accounts.CreateLoginLink(ctx, user, hash, time.Now().Add(linkLife)); err != nil {
		return "", err
	}
	return strings.TrimRight(base, "/") + "/login#token=" + token, nil
}

// NewBrowserLink makes a one-time sign-in link that works for minutes, and in the browser of the request alone, which gets a cookie. attempt names
// the sign-in that the link is for: there is one link for each attempt, and the second one is a Conflict.
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

// boundHash is the hash of a token that works in one browser. No token without a browser has it.
func (a *Auth) boundHash(token, browser string) []byte {
	return a.mac("sign-in link of a browser", []byte(token), []byte{0}, []byte(browser))
}

// linkHash is the hash under which the link of a request is stored.
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

// Link says whom a sign-in link signs in, and in place of whom.
type Link struct {
	User     store.User
	SignedIn store.User // whose login the browser has; zero: nobody's
}

// Replaces reports whether the link would end the login of another user.
func (l Link) Replaces() bool { return l.SignedIn.ID != 0 && l.SignedIn.ID != l.User.ID }

// Link looks at a sign-in link without spending it. Denied: it is unknown, was spent or has expired, or is of another browser.
func (a *Auth) Link(r *http.Request, token string) (Link, error) {
	user, err := a.Accounts.LoginLinkUser(r.Context(), a.linkHash(r, token))
	if err != nil {
		return Link{}, err
	}
	visitor, err := a.visitor(r)
	return Link{User: user, SignedIn: visitor}, err
}

// SignInByLink spends a one-time link and opens a login for a browser. It is a Conflict where the browser has a login of another user that the
// person has not agreed to replace: a link may come from somebody who wants them to work in the wrong account.
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
