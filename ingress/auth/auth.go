// Package auth says who a request comes from. Every endpoint but health and login needs a user: loopback is not
// authentication. Browsers have a cookie, programs a bearer token; both are random, stored hashed, and looked up by
// the hash.
package auth

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/bcrypt"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/secret"
	"xbot/internal/store"
)

const (
	// CookieName is the cookie of a browser's login.
	CookieName = "xbot_session"
	// sessionLife is how long a login lasts after its last use (spec/001 §8.2).
	sessionLife = 30 * 24 * time.Hour
	// slideEvery bounds how often the end of a login is written.
	slideEvery = time.Hour
	// linkLife is how long a one-time sign-in link works.
	linkLife = 24 * time.Hour
	// MinPassword is the shortest password, in bytes; bcrypt reads at most 72.
	MinPassword = 10
	maxPassword = 72
)

// Accounts keeps users and their ways in.
type Accounts interface {
	UserByName(ctx context.Context, name string) (store.User, error)
	AnyPassword(ctx context.Context) (bool, error)
	SetPassword(ctx context.Context, id chat.UserID, hash string, keep []byte) error
	CreateLoginLink(ctx context.Context, user chat.UserID, hash []byte, expires time.Time) error
	UseLoginLink(ctx context.Context, hash []byte) (store.User, error)
	CreateWebSession(ctx context.Context, user chat.UserID, hash []byte, expires time.Time) error
	WebSessionUser(ctx context.Context, hash []byte) (store.User, time.Time, error)
	TouchWebSession(ctx context.Context, hash []byte, expires time.Time) error
	DeleteWebSession(ctx context.Context, hash []byte) error
	TokenUser(ctx context.Context, hash []byte) (store.User, error)
}

// Auth authenticates requests.
type Auth struct {
	Accounts Accounts
	Hosts    Hosts
	attempts limiter
}

type contextKey struct{}

// User returns the user of a request that passed Require.
func User(ctx context.Context) store.User {
	u, _ := ctx.Value(contextKey{}).(store.User)
	return u
}

// Require lets only authenticated requests through. Cookies count only for requests from our own pages.
func (a *Auth) Require(next http.Handler, refuse func(http.ResponseWriter, *http.Request, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, err := a.identify(w, r)
		if err != nil {
			refuse(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), contextKey{}, user)))
	})
}

func (a *Auth) identify(w http.ResponseWriter, r *http.Request) (store.User, error) {
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		user, err := a.Accounts.TokenUser(r.Context(), secret.HashToken(strings.TrimSpace(token)))
		return user, unknown(err, "this token is unknown or was revoked")
	}
	cookie, err := r.Cookie(CookieName)
	if err != nil {
		return store.User{}, ErrSignIn
	}
	if err := a.Hosts.SameOrigin(r); err != nil {
		return store.User{}, err
	}
	hash := secret.HashToken(cookie.Value)
	user, seen, err := a.Accounts.WebSessionUser(r.Context(), hash)
	if err != nil {
		return store.User{}, unknown(err, "this login has ended; sign in again")
	}
	if time.Since(seen) > slideEvery {
		if err := a.Accounts.TouchWebSession(r.Context(), hash, time.Now().Add(sessionLife)); err != nil {
			return store.User{}, err
		}
		setCookie(w, r, cookie.Value, int(sessionLife.Seconds()))
	}
	return user, nil
}

// ErrSignIn is the error of a request without credentials, or with wrong ones.
var ErrSignIn = &SignInError{"sign in first"}

// SignInError says why a request is not authenticated. It is answered with status 401.
type SignInError struct{ text string }

// Error returns the sentence.
func (e *SignInError) Error() string { return e.text }

func unknown(err error, text string) error {
	if fault.Is(err, fault.NotFound) {
		return &SignInError{text}
	}
	return err
}

// SignIn checks a password and opens a login for a browser.
func (a *Auth) SignIn(w http.ResponseWriter, r *http.Request, name, password string) (store.User, error) {
	if wait := a.attempts.next(name); wait > 0 {
		return store.User{}, fault.Limited(wait, "too many attempts for this name; wait %d seconds", int(wait.Seconds())+1)
	}
	user, err := a.Accounts.UserByName(r.Context(), name)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return store.User{}, err
	}
	hash := user.PasswordHash
	if hash == "" {
		hash = decoyHash() // an unknown name takes as long as a wrong password
	}
	if bcrypt.CompareHashAndPassword([]byte(hash), []byte(password)) != nil || user.PasswordHash == "" {
		a.attempts.failed(name)
		return store.User{}, &SignInError{"name or password is wrong"}
	}
	a.attempts.succeeded(name)
	return user, a.open(w, r, user)
}

// SignInByLink spends a one-time link and opens a login for a browser.
func (a *Auth) SignInByLink(w http.ResponseWriter, r *http.Request, token string) (store.User, error) {
	user, err := a.Accounts.UseLoginLink(r.Context(), secret.HashToken(token))
	if err != nil {
		return store.User{}, err
	}
	return user, a.open(w, r, user)
}

func (a *Auth) open(w http.ResponseWriter, r *http.Request, user store.User) error {
	token, hash := secret.NewToken()
	if err := a.Accounts.CreateWebSession(r.Context(), user.ID, hash, time.Now().Add(sessionLife)); err != nil {
		return err
	}
	setCookie(w, r, token, int(sessionLife.Seconds()))
	return nil
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

// SetPassword sets the user's password; the current one is asked for if there is one.
func (a *Auth) SetPassword(r *http.Request, user store.User, current, password string) error {
	if user.PasswordHash != "" && bcrypt.CompareHashAndPassword([]byte(user.PasswordHash), []byte(current)) != nil {
		return fault.Errorf(fault.Denied, "the current password is wrong")
	}
	if len(password) < MinPassword || len(password) > maxPassword {
		return fault.Errorf(fault.Invalid, "a password has between %d and %d bytes", MinPassword, maxPassword)
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.DefaultCost)
	if err != nil {
		return fault.Errorf(fault.Internal, "hash password: %w", err)
	}
	var keep []byte
	if cookie, err := r.Cookie(CookieName); err == nil {
		keep = secret.HashToken(cookie.Value)
	}
	return a.Accounts.SetPassword(r.Context(), user.ID, string(hash), keep)
}

// NewLink makes a one-time sign-in link of a user under the base address.
func (a *Auth) NewLink(ctx context.Context, user chat.UserID, base string) (string, error) {
	token, hash := secret.NewToken()
	if err := a.Accounts.CreateLoginLink(ctx, user, hash, time.Now().Add(linkLife)); err != nil {
		return "", err
	}
	return strings.TrimRight(base, "/") + "/login#token=" + token, nil
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
