package auth

import (
	"net/http"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/secret"
)

// Visitor is the user whose login a browser has the cookie of; 0: it has none. That is half of a login: it can forbid what is allowed for another
// reason, and allows nothing by itself.
func (a *Auth) Visitor(r *http.Request) (chat.UserID, error) {
	cookie, err := r.Cookie(CookieName)
	if err != nil {
		return 0, nil //nolint:nilerr // nobody is signed in
	}
	user, _, err := a.Accounts.WebSessionUser(r.Context(), secret.HashToken(cookie.Value))
	if fault.Is(err, fault.NotFound) {
		return 0, nil
	}
	return user.ID, err
}
