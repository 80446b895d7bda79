package auth

import (
	"net/http"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/secret"
	"xbot/internal/store/people"
)

// Visitor is the user whose login a browser has the cookie of; 0: it has none. That is half of a login: it can forbid what is allowed for another
// reason, and allows nothing by itself.
func (a *Auth) Visitor(r *http.Request) (chat.UserID, error) {
	user, err := a.visitor(r)
	return user.ID, err
}

// visitor returns the user of the browser's login cookie; zero if there is none.
func (a *Auth) visitor(r *http.Request) (people.User, error) {
	cookie, err := r.Cookie(CookieName)
	if err != nil {
		return people.User{}, nil //nolint:nilerr // not signed in
	}
	user, _, err := a.Accounts.WebSessionUser(r.Context(), secret.HashToken(cookie.Value))
	if fault.Is(err, fault.NotFound) {
		return people.User{}, nil
	}
	return user, err
}
