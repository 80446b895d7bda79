package auth

import (
	"net/http"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/secret"
	"xbot/internal/user/users"
)

// Visitor returns the user of the login cookie of a browser, or 0 if it has none. That is half of a login: it can forbid what is allowed for another
// reason, and allows nothing alone.
func (a *Auth) Visitor(r *http.Request) (chat.UserID, error) {
	user, err := a.visitor(r)
	return user.ID, err
}

// visitor returns the user of the browser's login cookie; zero if there is none.
func (a *Auth) visitor(r *http.Request) (users.User, error) {
	cookie, err := r.Cookie(CookieName)
	if err != nil {
		return users.User{}, nil //nolint:nilerr // not signed in
	}
	user, _, err := a.Accounts.WebSessionUser(r.Context(), secret.HashToken(cookie.Value))
	if fault.Is(err, fault.NotFound) {
		return users.User{}, nil
	}
	return user, err
}
