package auth

import (
	"net/http"

	"xbot/internal/secret"
	"xbot/internal/user/users"
)

// Invitation is the request of a user who joins by a link.
type Invitation struct {
	Token string
	Credentials
}

// JoinPath is where the page takes invitations. The token is in the fragment, which browsers do not send.
const JoinPath = "/join#token="

// Join makes the account of a user who comes by an invitation, and opens a login for their browser. The link is checked before the
// password is hashed, which takes long.
func (a *Auth) Join(w http.ResponseWriter, r *http.Request, in Invitation) (Login, error) {
	if err := checkPassword(in.Password); err != nil {
		return Login{}, err
	}
	if err := users.CheckName(in.Name); err != nil {
		return Login{}, err
	}
	token := secret.HashToken(in.Token)
	if err := a.Accounts.CheckInvite(r.Context(), token); err != nil {
		return Login{}, err
	}
	hash, err := hashPassword(r.Context(), lane{name: a.Address(r)}, in.Password)
	if err != nil {
		return Login{}, err
	}
	user, err := a.Accounts.Join(r.Context(), token, in.Name, hash)
	if err != nil {
		return Login{}, err
	}
	return a.open(w, r, user, in.Browser)
}
