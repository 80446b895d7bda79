package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"xbot/internal/chat"
	"xbot/internal/extension/oauth/oauthstore"
	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
	"xbot/internal/tool"
)

const (
	// oneChance is the time after the replacement of a refused token in which another refusal is final.
	oneChance = 10 * time.Minute
	// ahead is the time before its end at which a token is renewed: longer than a request with it waits to be sent.
	ahead = time.Minute
	// holdTime limits the lock of an account, including the wait for it.
	holdTime = 4 * answerTime
	// maxAnswer limits the answers of providers that are read here, in bytes.
	maxAnswer = 1 << 20
)

// Token returns an access token of a user at a provider, valid for a minute at least unless the provider cannot be reached. It is
// renewed before its end, by one process at a time. A NotConnectedError: there is none without an action of the user. Unavailable: the
// provider does not answer, and the old token has ended.
func (s *Accounts) Token(ctx context.Context, user chat.UserID, provider string) (string, error) {
	p, err := s.enabled(ctx, user, provider)
	if err != nil {
		return "", err
	}
	a, ok, err := s.account(ctx, user, provider)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", notConnected(p, "none is connected")
	}
	if a.Problem == "" && fresh(a, ahead) {
		t, err := s.tokens(p, a)
		return t.Access, err
	}
	return s.renewed(ctx, p, user, "")
}

// Refused records that a server has refused an access token of a user, and returns nil if Token has another one now: another caller
// has renewed it in the meantime, or the renewal here, which is tried once, succeeded. A NotConnectedError: there is none, and the user has to connect
// the account again, which is stored. It returns Unavailable if the provider does not answer; nothing has changed.
func (s *Accounts) Refused(ctx context.Context, user chat.UserID, provider, access string) error {
	p, err := s.enabled(ctx, user, provider)
	if err != nil || access == "" {
		return err
	}
	_, err = s.renewed(ctx, p, user, access)
	return err
}

// fresh reports whether the access token of an account holds for a time at least.
func fresh(a oauthstore.Account, least time.Duration) bool {
	return a.ExpiresAt == nil || time.Until(*a.ExpiresAt) > least
}

// tokens returns the tokens of an account.
func (s *Accounts) tokens(p oauthstore.Provider, a oauthstore.Account) (t tokens, err error) {
	if err := s.open(a.Tokens, &t); err != nil || t.Access == "" {
		return t, notConnected(p, "what is stored of it cannot be read any more")
	}
	return t, nil
}

// renewed returns the token after a renewal, because it ends or a server has refused it. Equal requests of this process share one renewal, which
// locks the account. The end of ctx ends the waiting, not the renewal: the provider may have invalidated the old refresh token by then.
func (s *Accounts) renewed(ctx context.Context, p oauthstore.Provider, user chat.UserID, refused string) (access string, err error) {
	flight := s.renewals.DoChan(fmt.Sprint(user, " ", p.ID, " ", refused), func() (any, error) {
		ctx := context.WithoutCancel(ctx)
		end, err := s.holding.take(ctx, user)
		if err != nil {
			return "", err
		}
		defer end()
		ctx, cancel := context.WithTimeout(ctx, holdTime)
		defer cancel()
		return s.renew(ctx, p, user, refused)
	})
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case done := <-flight:
		access, _ = done.Val.(string)
		return access, done.Err
	}
}

// renew locks the account, renews its token unless another renewal was faster, and returns it.
func (s *Accounts) renew(ctx context.Context, p oauthstore.Provider, user chat.UserID, refused string) (access string, err error) {
	var broken error
	err = s.OAuth.HoldOAuthAccount(ctx, user, p.ID, func(a *oauthstore.Account) (oauthstore.AccountChange, error) {
		access, broken = "", nil
		if a.Problem != "" {
			return oauthstore.Unchanged, notConnected(p, a.Problem)
		}
		t, err := s.tokens(p, *a)
		if err != nil {
			return oauthstore.Unchanged, err
		}
		access = t.Access
		if refused != "" && t.Access != refused || refused == "" && fresh(*a, ahead) { // another renewal was faster
			return oauthstore.Unchanged, nil
		}
		return s.refresh(ctx, p, a, t, refused != "", &access, &broken)
	})
	if fault.Is(err, fault.NotFound) {
		return "", notConnected(p, "it was disconnected")
	}
	if err != nil {
		return "", err
	}
	return access, broken
}

// refresh asks a provider for a new token of a locked account, whose old one may have been refused by a server. broken: the account must
// be connected again, which is stored.
func (s *Accounts) refresh(ctx context.Context, p oauthstore.Provider, a *oauthstore.Account, t tokens, refused bool, access *string, broken *error) (oauthstore.AccountChange, error) {
	config, err := s.config(p)
	if err != nil {
		return oauthstore.Unchanged, err
	}
	end := func(problem string, left tokens) (oauthstore.AccountChange, error) {
		*access, a.Problem, a.Tokens = "", problem, s.seal(left)
		*broken = notConnected(p, problem)
		return oauthstore.Renewed, nil
	}
	holds := !refused && fresh(*a, 0)
	switch {
	case refused && (t.Refresh == "" || time.Since(t.Instead) < oneChance):
		return end("a server does not accept its token any more", t) // its valid tokens are revoked when it is disconnected
	case t.Refresh == "" && holds:
		return oauthstore.Unchanged, nil
	case t.Refresh == "":
		return end("it has expired", tokens{})
	}
	now, err := config.TokenSource(s.with(ctx, p), &oauth2.Token{RefreshToken: t.Refresh}).Token()
	switch {
	case forGood(err):
		return end("the provider does not accept it any more", tokens{})
	case err != nil && holds:
		return oauthstore.Unchanged, nil // the old one holds still
	case err != nil:
		return oauthstore.Unchanged, fault.Errorf(fault.Unavailable, "the token of the account at %s is not accepted any more, and no new one was given: %s", p.Name, why(err))
	case !tokenFits(now):
		return oauthstore.Unchanged, fault.Errorf(fault.Unavailable, "%s gave a token that cannot be used", p.Name)
	}
	*access = now.AccessToken
	next := tokens{Access: now.AccessToken, Refresh: now.RefreshToken}
	if refused {
		next.Instead = time.Now()
	}
	a.Tokens, a.Scopes, a.ExpiresAt = s.seal(next), granted(now, a.Scopes), expiry(now)
	return oauthstore.Renewed, nil
}

// passing are refusals of a refresh that do not concern the account: the provider may accept it later, or an administrator has to change
// the registration of xbot there.
var passing = map[string]bool{
	"temporarily_unavailable": true, "server_error": true, "slow_down": true, "invalid_client": true, "unauthorized_client": true, "invalid_request": true,
	"incorrect_client_credentials": true, // GitHub's invalid_client
}

// forGood reports whether a refresh was refused in a way that no other attempt will change.
func forGood(err error) bool {
	code, _, refused := refusal(err)
	if !refused || passing[code] {
		return false
	}
	e, _ := errors.AsType[*oauth2.RetrieveError](err)
	return e.Response == nil || e.Response.StatusCode < 500 && e.Response.StatusCode != http.StatusTooManyRequests
}

// refusal returns the error of a provider that refuses a request for a token.
func refusal(err error) (code, description string, ok bool) {
	e, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok || e.ErrorCode == "" {
		return "", "", false
	}
	return e.ErrorCode, e.ErrorDescription, true
}

// Disconnect revokes the tokens of an account at its provider and removes it. untold is the reason why the tokens could not be revoked; the account
// is removed all the same. It returns NotFound if the user has none there.
func (s *Accounts) Disconnect(ctx context.Context, user chat.UserID, provider string) (untold string, err error) {
	ctx = context.WithoutCancel(ctx)
	end, err := s.holding.take(ctx, user)
	if err != nil {
		return "", err
	}
	defer end()
	ctx, cancel := context.WithTimeout(ctx, holdTime)
	defer cancel()
	p, err := s.stored(ctx, user, provider)
	if err != nil {
		return "", err
	}
	err = s.OAuth.HoldOAuthAccount(ctx, user, provider, func(a *oauthstore.Account) (oauthstore.AccountChange, error) {
		var t tokens
		if s.open(a.Tokens, &t) == nil {
			untold = s.giveBack(ctx, p, t)
		}
		return oauthstore.Removed, nil
	})
	return untold, err
}

// giveBack revokes tokens (RFC 7009), the one that can make others first.
func (s *Accounts) giveBack(ctx context.Context, p oauthstore.Provider, t tokens) (untold string) {
	if p.RevokeURL == "" {
		return ""
	}
	for _, one := range []struct{ token, hint string }{{t.Refresh, "refresh_token"}, {t.Access, "access_token"}} {
		if one.token == "" {
			continue
		}
		if problem := s.revoke(ctx, p, one.token, one.hint); problem != "" && untold == "" {
			untold = problem
		}
	}
	return untold
}

func (s *Accounts) revoke(ctx context.Context, p oauthstore.Provider, token, hint string) (problem string) {
	secret, err := s.secretOf(p)
	if err != nil {
		return err.Error()
	}
	form := url.Values{"token": {token}, "token_type_hint": {hint}}
	if p.ClientAuth == chat.OAuthInBody {
		form.Set("client_id", p.ClientID)
		if secret != "" {
			form.Set("client_secret", secret)
		}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.RevokeURL, strings.NewReader(form.Encode()))
	if err != nil {
		return "its address cannot be used"
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if p.ClientAuth == chat.OAuthInHeader {
		r.SetBasicAuth(url.QueryEscape(p.ClientID), url.QueryEscape(secret))
	}
	resp, err := s.client().Do(r)
	if err != nil {
		return safehttp.Reason(err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer)) // so that the connection can be used again
	if resp.StatusCode/100 != 2 {
		return "it answers with status " + resp.Status[:min(len(resp.Status), 3)]
	}
	return ""
}

// maxLabel limits the name of an account, in characters.
const maxLabel = 100

// label asks a provider for the name of an account. It only helps users: without an answer, it is empty.
func (s *Accounts) label(ctx context.Context, p oauthstore.Provider, access string) string {
	if p.AccountURL == "" {
		return ""
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.AccountURL, nil)
	if err != nil {
		return ""
	}
	r.Header.Set("Authorization", "Bearer "+access)
	r.Header.Set("Accept", "application/json")
	resp, err := s.client().Do(r)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil || resp.StatusCode/100 != 2 {
		return ""
	}
	name := strings.ReplaceAll(nameIn(body, true), access, "")
	return tool.OneLine(strings.ToValidUTF8(name, ""), maxLabel)
}

// nameIn returns the user's name from a response of the account endpoint: from the object, or from an object in it if wrapped is set. It does not look
// deeper, because each level is parsed again.
func nameIn(body []byte, wrapped bool) string {
	var about map[string]json.RawMessage
	if json.Unmarshal(body, &about) != nil {
		return ""
	}
	for _, key := range []string{"email", "preferred_username", "login", "username", "name", "sub"} {
		var text string
		if json.Unmarshal(about[key], &text) == nil && strings.TrimSpace(text) != "" {
			return text
		}
	}
	if !wrapped {
		return ""
	}
	for _, key := range []string{"data", "user"} {
		if name := nameIn(about[key], false); name != "" {
			return name
		}
	}
	return ""
}
