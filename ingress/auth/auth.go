// Package auth authenticates requests. Every endpoint but health and login needs a user: loopback is not
// authentication. Browsers have a cookie and the key of their page, programs a bearer token; cookies and tokens are
// random, stored hashed, and looked up by the hash.
package auth

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/bcrypt"

	"xbot/internal/chat"
	"xbot/internal/document/decode"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/secret"
	"xbot/internal/user/users"
)

const (
	// CookieName is the cookie of a browser's login.
	CookieName = "xbot_session"
	// sessionLife is how long a login lasts after its last use.
	sessionLife = 30 * 24 * time.Hour
	// slideEvery bounds how often the end of a login is written.
	slideEvery = time.Hour
	// MinPassword is the shortest password, in bytes; bcrypt reads at most 72.
	MinPassword = 10
	maxPassword = 72
)

// Accounts is the store of users, passwords, tokens and logins.
type Accounts interface {
	UserByName(ctx context.Context, name string) (users.User, error)
	AnyPassword(ctx context.Context) (bool, error)
	SetPassword(ctx context.Context, id chat.UserID, hash string, effect users.PasswordEffect) error
	CreateLoginLink(ctx context.Context, user chat.UserID, hash []byte, expires time.Time) error
	LoginLinkUser(ctx context.Context, hash []byte) (users.User, error)
	UseLoginLink(ctx context.Context, hash []byte) (users.User, error)
	TokenUser(ctx context.Context, hash []byte) (users.User, users.Scope, error)
	WebSessions
	Invites
}

// WebSessions keeps the logins of browsers.
type WebSessions interface {
	CreateWebSession(ctx context.Context, user chat.UserID, hash []byte, expires time.Time) error
	WebSessionUser(ctx context.Context, hash []byte) (users.User, time.Time, error)
	TouchWebSession(ctx context.Context, hash []byte, expires time.Time) error
	DeleteWebSession(ctx context.Context, hash []byte) error
}

// Invites checks and redeems invitations.
type Invites interface {
	// CheckInvite is Denied unless the invitation can be used now.
	CheckInvite(ctx context.Context, hash []byte) error
	Join(ctx context.Context, hash []byte, name, password string) (users.User, error)
}

// Auth authenticates requests.
type Auth struct {
	Accounts Accounts
	Hosts    Hosts
	Key      secret.Deriver // without it no cookie counts; with another one, browsers sign in again
	Proxies  []netip.Prefix // whose X-Forwarded-For is believed
	attempts limiter
}

type contextKey struct{}

// identity is the sender of a request, by a token or by the cookie of a login.
type identity struct {
	accounts Accounts
	user     users.User
	token    []byte      // hash; nil for a browser
	login    []byte      // hash of a browser's cookie; nil for a program
	scope    users.Scope // of the token
	operator bool        // the user is an administrator, for any scope of the token
}

// identified returns a context of a request in which decoded files count as the user's.
func identified(ctx context.Context, id identity) context.Context {
	return decode.WithUser(context.WithValue(ctx, contextKey{}, id), id.user.ID)
}

// User returns the user of a request that passed Require.
func User(ctx context.Context) users.User {
	id, _ := ctx.Value(contextKey{}).(identity)
	return id.user
}

// InBrowser reports whether a request that passed Require came from a browser that is signed in, and not from a program with a token.
func InBrowser(ctx context.Context) bool {
	id, _ := ctx.Value(contextKey{}).(identity)
	return id.login != nil
}

// Still reports whether the credentials of a request that passed Require are still good: a stream may outlive the token
// or the login that opened it.
func Still(ctx context.Context) error {
	id, ok := ctx.Value(contextKey{}).(identity)
	if !ok {
		return ErrSignIn
	}
	var err error
	if id.login != nil {
		_, _, err = loginUser(ctx, id.accounts, id.login)
	} else {
		_, _, err = tokenUser(ctx, id.accounts, id.token)
	}
	return err
}

func tokenUser(ctx context.Context, accounts Accounts, hash []byte) (users.User, users.Scope, error) {
	user, scope, err := accounts.TokenUser(ctx, hash)
	return user, scope, unknown(err, "this token is unknown, was revoked or has expired")
}

func loginUser(ctx context.Context, accounts Accounts, hash []byte) (users.User, time.Time, error) {
	user, seen, err := accounts.WebSessionUser(ctx, hash)
	return user, seen, unknown(err, "this login has ended; sign in again")
}

// RequireOperator lets only administrators through, also with a token that may only read.
func (a *Auth) RequireOperator(next http.Handler, refuse func(http.ResponseWriter, *http.Request, error)) http.Handler {
	return a.Require(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if id, _ := r.Context().Value(contextKey{}).(identity); !id.operator {
			refuse(w, r, fault.Errorf(fault.Denied, "only administrators, and programs with a token of theirs, may read this"))
			return
		}
		next.ServeHTTP(w, r)
	}), refuse)
}

// Require lets only authenticated requests through. Cookies count only for requests from our own pages.
func (a *Auth) Require(next http.Handler, refuse func(http.ResponseWriter, *http.Request, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, err := a.identify(w, r)
		if err == nil {
			err = id.may(r)
		}
		if err != nil {
			refuse(w, r, err)
			return
		}
		ctx := pg.Acting(identified(r.Context(), id), id.user.ID)
		if id.narrow() {
			ctx = pg.Narrowly(ctx)
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

func (a *Auth) identify(w http.ResponseWriter, r *http.Request) (identity, error) {
	if scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Bearer") {
		return a.byToken(r.Context(), secret.HashToken(strings.TrimSpace(token)))
	}
	cookie, err := r.Cookie(CookieName)
	if err != nil {
		return identity{}, ErrSignIn
	}
	if err := a.Hosts.SameOrigin(r); err != nil {
		return identity{}, err
	}
	if err := a.shown(r, secret.HashToken(cookie.Value)); err != nil {
		return identity{}, err
	}
	return a.byCookie(w, r, cookie.Value)
}

func (a *Auth) byToken(ctx context.Context, hash []byte) (identity, error) {
	user, scope, err := tokenUser(ctx, a.Accounts, hash)
	operator := user.Admin
	user.Admin = operator && scope == users.ScopeAdmin
	return identity{accounts: a.Accounts, user: user, token: hash, scope: scope, operator: operator}, err
}

func (a *Auth) byCookie(w http.ResponseWriter, r *http.Request, value string) (identity, error) {
	hash := secret.HashToken(value)
	user, seen, err := loginUser(r.Context(), a.Accounts, hash)
	if err != nil {
		return identity{}, err
	}
	if time.Since(seen) > slideEvery {
		if err := a.Accounts.TouchWebSession(r.Context(), hash, time.Now().Add(sessionLife)); err != nil {
			return identity{}, err
		}
		setCookie(w, r, value, int(sessionLife.Seconds()))
	}
	return identity{accounts: a.Accounts, user: user, login: hash, operator: user.Admin}, nil
}

// ErrSignIn is the error of a request without credentials, or with wrong ones.
var ErrSignIn = &SignInError{"sign in first"}

// SignInError is the reason why a request is not authenticated. It is answered with status 401.
type SignInError struct{ text string }

// Error returns the sentence.
func (e *SignInError) Error() string { return e.text }

func unknown(err error, text string) error {
	if fault.Is(err, fault.NotFound) {
		return &SignInError{text}
	}
	return err
}

// Credentials are the sign-in data of a user.
type Credentials struct {
	Name     string
	Password string
	Browser  string // the mark that an earlier login of this user left in this browser; empty: none
}

// Login is an open login of a browser.
type Login struct {
	User    users.User
	PageKey string // for PageHeader
	Browser string // for Credentials, next time
}

// SignIn checks a password and opens a login for a browser.
func (a *Auth) SignIn(w http.ResponseWriter, r *http.Request, c Credentials) (Login, error) {
	user, err := a.Accounts.UserByName(r.Context(), chat.Clean(c.Name))
	if err != nil && !fault.Is(err, fault.NotFound) {
		return Login{}, err
	}
	who := guesser{from: a.laneOf(r, c.Browser, user.ID), name: c.Name}
	if err := a.attempts.begin(who); err != nil {
		return Login{}, err
	}
	hash := user.PasswordHash
	if hash == "" {
		hash = decoyHash() // an unknown name takes as long as a wrong password
	}
	right, err := matches(r.Context(), who.from, hash, c.Password)
	if err != nil {
		return Login{}, err
	}
	if !right || user.PasswordHash == "" || user.Name != c.Name {
		return Login{}, &SignInError{"name or password is wrong"}
	}
	a.attempts.succeeded(who)
	if user.Disabled {
		return Login{}, fault.Errorf(fault.Denied, "an administrator has disabled this account")
	}
	return a.open(w, r, user, c.Browser)
}

// open opens a login, which takes the place of the one that the browser had.
func (a *Auth) open(w http.ResponseWriter, r *http.Request, user users.User, browser string) (Login, error) {
	if before, err := r.Cookie(CookieName); err == nil {
		if err := a.Accounts.DeleteWebSession(r.Context(), secret.HashToken(before.Value)); err != nil {
			return Login{}, err
		}
	}
	token, hash := secret.NewToken()
	if err := a.Accounts.CreateWebSession(r.Context(), user.ID, hash, time.Now().Add(sessionLife)); err != nil {
		return Login{}, err
	}
	setCookie(w, r, token, int(sessionLife.Seconds()))
	if !a.knows(browser, user.ID) {
		browser = a.newBrowser(user.ID)
	}
	return Login{User: user, PageKey: text(a.pageKey(hash)), Browser: browser}, nil
}

// SignOut ends the browser's login.
func (a *Auth) SignOut(w http.ResponseWriter, r *http.Request) error {
	cookie, err := r.Cookie(CookieName)
	if err != nil {
		return nil // a program has no login to end
	}
	setCookie(w, r, "", -1)
	return a.Accounts.DeleteWebSession(r.Context(), secret.HashToken(cookie.Value))
}

// PasswordChange is a change of a user's password.
type PasswordChange struct {
	Current, New string
	RevokeTokens bool // also revokes the user's access tokens, except the one of the request
}

// SetPassword sets the user's password. It checks the current password if there is one, signs out the user's other browsers, and ends unused sign-in
// links.
func (a *Auth) SetPassword(r *http.Request, user users.User, change PasswordChange) error {
	current, password := change.Current, change.New
	if err := checkPassword(password); err != nil {
		return err
	}
	if err := a.confirm(r, user, current); err != nil {
		return err
	}
	hash, err := hashPassword(r.Context(), signedIn(r), password)
	if err != nil {
		return err
	}
	id, _ := r.Context().Value(contextKey{}).(identity)
	return a.Accounts.SetPassword(r.Context(), user.ID, hash, users.PasswordEffect{KeepLogin: id.login, KeepToken: id.token, RevokeTokens: change.RevokeTokens})
}

func checkPassword(password string) error {
	if len(password) < MinPassword || len(password) > maxPassword {
		return fault.Errorf(fault.Invalid, "a password has between %d and %d bytes", MinPassword, maxPassword)
	}
	return nil
}

// hashPassword hashes a password when there is room for the lane.
func hashPassword(ctx context.Context, in lane, password string) (string, error) {
	var hash []byte
	err := hashing.hashed(ctx, in, func() (err error) {
		hash, err = bcrypt.GenerateFromPassword([]byte(password), bcrypt.DefaultCost)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	return string(hash), nil
}

// signedIn returns the lane of a request that is signed in: each login has its own, since a token may have been stolen.
func signedIn(r *http.Request) lane {
	id, _ := r.Context().Value(contextKey{}).(identity)
	return lane{known: true, name: "login " + text(id.login)}
}

// confirm asks for the current password of a user who has one. The first password must be chosen in a browser: a stolen
// token of a script must not be able to set one.
func (a *Auth) confirm(r *http.Request, user users.User, current string) error {
	if id, _ := r.Context().Value(contextKey{}).(identity); user.PasswordHash == "" && id.login == nil {
		return fault.Errorf(fault.Denied, "the first password is set in a browser; \"xbot login-link\" prints a link that signs one in")
	}
	if user.PasswordHash == "" {
		return nil
	}
	who := guesser{from: signedIn(r), name: user.Name}
	if err := a.attempts.begin(who); err != nil {
		return err
	}
	right, err := matches(r.Context(), who.from, user.PasswordHash, current)
	if err != nil {
		return err
	}
	if !right {
		return fault.Errorf(fault.Denied, "the current password is wrong")
	}
	a.attempts.succeeded(who)
	return nil
}

func setCookie(w http.ResponseWriter, r *http.Request, value string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: CookieName, Value: value, Path: "/", MaxAge: age, HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https",
	})
}

var decoyHash = sync.OnceValue(func() string {
	hash, err := bcrypt.GenerateFromPassword([]byte("no user has this password"), bcrypt.DefaultCost)
	if err != nil {
		panic(err) // constant input
	}
	return string(hash)
})
