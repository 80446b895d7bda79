package oauth

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"xbot/internal/chat"
	"xbot/internal/extension/oauth/oauthstore"
	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
	"xbot/internal/secret"
	"xbot/internal/tool"
	"xbot/internal/turn/calls"
)

// stateBytes is the size of a state: 128 bits.
const stateBytes = 16

// verifier is the sealed part of a flow.
type verifier struct {
	Verifier string `json:"verifier,omitempty"`
}

// Begin stores a flow for a browser that is sent to the provider of a ticket, and returns the address. browser is the cookie that identifies it on
// its return. It returns NotFound if there is no such provider any more, and Conflict if the call of the ticket does not wait any more.
func (s *Accounts) Begin(ctx context.Context, t Ticket, browser string) (address string, err error) {
	p, err := s.enabled(ctx, t.User, t.Provider)
	if err != nil {
		return "", err
	}
	config, err := s.config(p)
	if err != nil {
		return "", err
	}
	scopes := union(p.Scopes, t.Scopes)
	if had, ok, err := s.account(ctx, t.User, t.Provider); err != nil {
		return "", err
	} else if ok { // a provider may revoke scopes that are not requested again
		scopes = union(scopes, intersection(had.Asked, p.MoreScopes))
	}
	raw := make([]byte, stateBytes)
	rand.Read(raw) // never fails
	state, v := hex.EncodeToString(raw), verifier{oauth2.GenerateVerifier()}
	if err := s.OAuth.AddOAuthFlow(ctx, secret.HashToken(state), oauthstore.Flow{
		User: t.User, Provider: p.ID, Scopes: scopes, Verifier: s.seal(v), Browser: secret.HashToken(browser), Login: t.Login, Call: t.Call,
	}, FlowLife); err != nil {
		return "", err
	}
	config.Scopes = scopes
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(v.Verifier)}
	if p.Resource != "" {
		options = append(options, oauth2.SetAuthURLParam("resource", p.Resource))
	}
	return config.AuthCodeURL(state, options...), nil
}

// Return holds the parameters of a browser that returns from a provider.
type Return struct {
	State, Code        string
	Error, Description string // of the provider
	Issuer             string // the issuer that the provider names
	Browser            string // the cookie that it was sent away with
	Person             chat.UserID
}

// Connected is the result of a flow.
type Connected struct {
	User            chat.UserID
	ProviderID      string
	Provider, Label string
	Scopes          []string
	Answered        bool // a call has waited for it
}

// RefusedError reports that a provider, or the user there, refuses.
type RefusedError struct{ Provider, Said string }

// Error returns a sentence for users and the model.
func (e *RefusedError) Error() string { return e.Provider + " says: " + e.Said }

// Errors of a returning browser: another user, another provider, or a user without access.
var (
	ErrDisabled    = fault.Errorf(fault.Denied, "the account is disabled")
	ErrOtherLogin  = fault.Errorf(fault.Denied, "whoever began to connect this account is not signed in here")
	ErrOtherIssuer = fault.Errorf(fault.Denied, "the response comes from a different provider than requested")
)

// Finish ends the flow of a returning browser, once: it stores the account and answers the calls of its user that wait for it. It returns
// oauthstore.ErrNoFlow if the state is unknown, used, expired, or another browser's. A RefusedError answers the call of the flow, too; after other errors it still waits.
func (s *Accounts) Finish(ctx context.Context, r Return) (Connected, error) {
	f, err := s.OAuth.TakeOAuthFlow(ctx, secret.HashToken(r.State), secret.HashToken(r.Browser))
	if err != nil {
		return Connected{}, err
	}
	p, err := s.enabled(ctx, f.User, f.Provider)
	switch {
	case err != nil:
		return Connected{}, err
	case f.Login && f.User != r.Person, !f.Login && r.Person != 0 && f.User != r.Person:
		return Connected{}, ErrOtherLogin
	case p.Issuer != "" && p.Issuer != r.Issuer && !(p.SilentIssuer && r.Issuer == ""):
		return Connected{}, ErrOtherIssuer
	}
	who, err := s.Users.UserByID(ctx, f.User)
	if err == nil && who.Disabled {
		err = ErrDisabled
	}
	if err != nil {
		return Connected{}, err
	}
	if r.Error != "" {
		return Connected{}, s.refused(ctx, p, r, f.Call, who.Name)
	}
	return s.connect(ctx, p, f, r.Code)
}

// waiting returns the answer to the call of a flow, or nil if none waits.
func (s *Accounts) waiting(ctx context.Context, id chat.CallID, name string) (*calls.Answer, error) {
	if id == "" {
		return nil, nil
	}
	call, err := s.Calls.Call(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil || call.Approval == nil || call.Approval.State != chat.ApprovalOpen || len(call.Questions) == 0 {
		return nil, err
	}
	return &calls.Answer{Session: call.Session, User: call.User, UserName: name, Call: id}, nil
}

// later are refusals of a provider that may be gone when the user tries again.
var later = map[string]bool{"server_error": true, "temporarily_unavailable": true}

// refused answers the call of a flow, and no other that waits for the same account: the refusal is only for this one.
func (s *Accounts) refused(ctx context.Context, p oauthstore.Provider, r Return, call chat.CallID, name string) error {
	refusal := &RefusedError{Provider: p.Name, Said: errorText(r.Error, r.Description)}
	waits, err := s.waiting(ctx, call, name)
	switch {
	case err != nil:
		return err
	case waits == nil, later[r.Error]:
		return refusal
	}
	waits.Note = refusal.Error()
	if err := s.OAuth.RefuseOAuthCall(ctx, *waits); err != nil {
		return err
	}
	return refusal
}

// maxSaid limits an error text of a provider that is repeated, in characters.
const maxSaid = 200

// errorText returns an error of a provider on one line.
func errorText(code, description string) string {
	text := tool.OneLine(strings.ToValidUTF8(code, ""), maxSaid)
	if description = tool.OneLine(strings.ToValidUTF8(description, ""), maxSaid); description != "" {
		text += " (" + description + ")"
	}
	return text
}

// connect exchanges a code. The tokens of the provider are stored even if the browser has left.
func (s *Accounts) connect(ctx context.Context, p oauthstore.Provider, f oauthstore.Flow, code string) (Connected, error) {
	var v verifier
	if err := s.open(f.Verifier, &v); err != nil || v.Verifier == "" {
		return Connected{}, oauthstore.ErrNoFlow // it was sealed with a key that is gone
	}
	config, err := s.config(p)
	if err != nil {
		return Connected{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*answerTime)
	defer cancel()
	t, err := config.Exchange(s.with(ctx, p), code, oauth2.VerifierOption(v.Verifier))
	if err != nil {
		return Connected{}, fault.Errorf(fault.Unavailable, "%s gave no token: %s", p.Name, why(err))
	}
	if !tokenFits(t) {
		return Connected{}, fault.Errorf(fault.Unavailable, "%s gave a token that cannot be used", p.Name)
	}
	a := oauthstore.Account{User: f.User, Tokens: s.seal(tokens{Access: t.AccessToken, Refresh: t.RefreshToken}), OAuthAccount: chat.OAuthAccount{
		Provider: p.ID, Label: s.label(ctx, p, t.AccessToken), Asked: f.Scopes, Scopes: granted(t, f.Scopes), ExpiresAt: expiry(t),
	}}
	before, answered, err := s.store(ctx, a, p.Revision)
	var old tokens
	switch {
	case fault.Is(err, fault.Conflict), errors.Is(err, errTooMany): // the tokens were not stored
		s.giveBack(context.WithoutCancel(ctx), p, tokens{Access: t.AccessToken, Refresh: t.RefreshToken})
	case err == nil && isAnother(before.Label, a.Label) && s.open(before.Tokens, &old) == nil:
		s.giveBack(ctx, p, old)
	}
	return Connected{User: f.User, ProviderID: p.ID, Provider: p.Name, Label: a.Label, Scopes: a.Scopes, Answered: answered > 0}, err
}

// store stores a connected account and returns the one that it replaces, if any. While the replaced one is renewed it waits, with a database
// connection, so it needs a permit. Errors are errTooMany if there was none in time.
func (s *Accounts) store(ctx context.Context, a oauthstore.Account, revision int64) (before oauthstore.Account, answered int, err error) {
	end, err := s.connecting.take(ctx, a.User)
	if err != nil {
		return before, 0, err
	}
	defer end()
	if before, _, err = s.account(ctx, a.User, a.Provider); err != nil {
		return before, 0, err
	}
	answered, err = s.OAuth.ConnectOAuthAccount(ctx, a, revision)
	return before, answered, err
}

// isAnother reports whether two accounts are known to be different ones. For the same account, a provider may revoke the new tokens
// together with the old ones.
func isAnother(before, now string) bool { return before != "" && now != "" && before != now }

// maxToken is the longest token that is stored, in bytes.
const maxToken = 16 << 10

// tokenFits reports whether a token is valid in a header.
func tokenFits(t *oauth2.Token) bool {
	bad := func(r rune) bool { return r <= ' ' || r > '~' }
	return len(t.AccessToken) <= maxToken && len(t.RefreshToken) <= maxToken && !strings.ContainsFunc(t.AccessToken, bad) && !strings.ContainsFunc(t.RefreshToken, bad)
}

func expiry(t *oauth2.Token) *time.Time {
	if t.Expiry.IsZero() {
		return nil
	}
	return &t.Expiry
}

// why returns the reason why a provider gave no token, without text of the provider beyond its error.
func why(err error) string {
	if code, description, ok := refusal(err); ok {
		return errorText(code, description)
	}
	return safehttp.Reason(err)
}

func intersection(a, b []string) (out []string) {
	return Lacking(Lacking(a, b), a)
}
