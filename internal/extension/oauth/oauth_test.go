package oauth_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/oauth"
	"xbot/internal/extension/oauth/oauthstore"
	"xbot/internal/extension/oauth/oauthtest"
	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
	"xbot/internal/pg"
	"xbot/internal/secret"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/turn/calls"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/user/users"
)

const browser = "the cookie of a browser"

type bundle struct {
	*oauth.Accounts

	t        *testing.T
	pool     *pgxpool.Pool
	store    *store.Store
	provider *oauthtest.Provider
	user     chat.UserID
}

func setup(t *testing.T, allowed ...string) *bundle {
	t.Parallel()
	pool := pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate)
	s := store.New(pool, store.Options{})
	user, err := s.Users.EnsureAdmin(t.Context(), "ann")
	require.NoError(t, err)
	if allowed == nil {
		allowed = []string{"127.0.0.1"}
	}
	allow, err := safehttp.ParseAllow(allowed)
	require.NoError(t, err)
	b := &bundle{t: t, pool: pool, store: s, provider: oauthtest.New(t), user: user.ID, Accounts: &oauth.Accounts{Calls: s.Calls, Conversations: s.Conversations, OAuth: s.OAuth, Users: s.Users, Key: secret.NewKey(), HTTP: safehttp.NewTransport(allow), Public: "http://xbot.test"}}
	b.save(b.draft())
	return b
}

func (b *bundle) draft() oauth.Draft {
	at := b.provider.URL
	return oauth.Draft{Secret: oauthtest.ClientSecret, OAuthProviderConfig: chat.OAuthProviderConfig{
		ID: "acme", Name: "Acme", Issuer: at, AuthorizeURL: at + "/authorize?access_type=offline", TokenURL: at + "/token", RevokeURL: at + "/revoke", AccountURL: at + "/account",
		Scopes: []string{"read"}, MoreScopes: []string{"write"}, ClientID: oauthtest.ClientID, Enabled: true,
	}}
}

func (b *bundle) save(d oauth.Draft) chat.OAuthProvider {
	b.t.Helper()
	p, err := b.Save(b.t.Context(), d, b.user)
	require.NoError(b.t, err)
	return p
}

// back sends a browser to the provider, and returns what it brings back.
func (b *bundle) back(scopes ...string) oauth.Return {
	b.t.Helper()
	return b.backFrom("acme", scopes...)
}

func (b *bundle) backFrom(provider string, scopes ...string) oauth.Return {
	b.t.Helper()
	address, err := b.Begin(b.t.Context(), oauth.Ticket{User: b.user, Provider: provider, Scopes: scopes}, browser)
	require.NoError(b.t, err)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, address, nil)
	require.NoError(b.t, err)
	resp, err := client.Do(r)
	require.NoError(b.t, err)
	require.NoError(b.t, resp.Body.Close())
	require.Equal(b.t, http.StatusFound, resp.StatusCode)
	to, err := resp.Location()
	require.NoError(b.t, err)
	require.Equal(b.t, "http://xbot.test/oauth/callback", to.Scheme+"://"+to.Host+to.Path)
	q := to.Query()
	return oauth.Return{State: q.Get("state"), Code: q.Get("code"), Error: q.Get("error"), Description: q.Get("error_description"), Issuer: q.Get("iss"), Browser: browser}
}

func (b *bundle) connect(scopes ...string) oauth.Connected {
	b.t.Helper()
	done, err := b.Finish(b.t.Context(), b.back(scopes...))
	require.NoError(b.t, err)
	return done
}

func (b *bundle) token() string {
	b.t.Helper()
	token, err := b.Token(b.t.Context(), b.user, "acme")
	require.NoError(b.t, err)
	return token
}

// ends says when the access token ends, as if time had gone by.
func (b *bundle) ends(in time.Duration) {
	b.t.Helper()
	_, err := b.pool.Exec(b.t.Context(), "UPDATE oauth_accounts SET expires_at = now() + $1::float8 * interval '1 second'", in.Seconds())
	require.NoError(b.t, err)
}

func (b *bundle) account() chat.OAuthAccount {
	b.t.Helper()
	a, ok, err := b.Account(b.t.Context(), b.user, "acme")
	require.NoError(b.t, err)
	require.True(b.t, ok)
	return a
}

func TestFlow_ConnectsAnAccountWhoseTokenThePersonCanUse(t *testing.T) {
	b := setup(t)
	done := b.connect("write")
	require.Equal(t, oauth.Connected{User: done.User, ProviderID: "acme", Provider: "Acme", Label: "lena@example.com", Scopes: []string{"read", "write"}}, done)
	account, ok := b.provider.Accepts(b.token())
	require.True(t, ok)
	require.Equal(t, "lena@example.com", account)
	_, err := b.Token(t.Context(), b.user+1, "acme")
	missing, ok := errors.AsType[*oauth.NotConnectedError](err)
	require.True(t, ok, "%v", err)
	require.Contains(t, missing.Error(), "call oauth_authorize with provider acme")
}

func TestFlow_AStateCountsOnceAndInItsOwnBrowserForItsOwnPerson(t *testing.T) {
	b := setup(t)
	back := b.back()
	for name, change := range map[string]func(r *oauth.Return){
		"another browser": func(r *oauth.Return) { r.Browser = "another" }, "no cookie": func(r *oauth.Return) { r.Browser = "" }, "another state": func(r *oauth.Return) { r.State += "0" },
	} {
		changed := back
		change(&changed)
		_, err := b.Finish(t.Context(), changed)
		require.ErrorIs(t, err, oauthstore.ErrNoFlow, name)
	}
	_, err := b.Finish(t.Context(), back)
	require.NoError(t, err, "what others tried has not used it up")
	_, err = b.Finish(t.Context(), back)
	require.ErrorIs(t, err, oauthstore.ErrNoFlow)
	require.Equal(t, 1, b.provider.Count("/token"))

	other := b.back()
	other.Person = b.user + 1
	_, err = b.Finish(t.Context(), other)
	require.ErrorIs(t, err, oauth.ErrOtherLogin)
	_, err = b.Begin(t.Context(), oauth.Ticket{User: b.user, Provider: "acme", Login: true}, browser)
	require.NoError(t, err)
	require.Equal(t, 1, b.provider.Count("/token"))
}

func TestFlow_EndsWhereItsPersonIsNotSignedInWhoHasToBeOrIsDisabled(t *testing.T) {
	b := setup(t)
	for _, person := range []chat.UserID{0, b.user + 1} {
		address, err := b.Begin(t.Context(), oauth.Ticket{User: b.user, Provider: "acme", Login: true}, browser)
		require.NoError(t, err)
		at, err := url.Parse(address)
		require.NoError(t, err)
		_, err = b.Finish(t.Context(), oauth.Return{State: at.Query().Get("state"), Code: "c", Issuer: b.provider.URL, Browser: browser, Person: person})
		require.ErrorIs(t, err, oauth.ErrOtherLogin)
	}
	back := b.back()
	_, err := b.pool.Exec(t.Context(), "UPDATE users SET disabled_at = now() WHERE id = $1", b.user)
	require.NoError(t, err)
	_, err = b.Finish(t.Context(), back)
	require.ErrorIs(t, err, oauth.ErrDisabled)
	require.Zero(t, b.provider.Count("/token"))
}

func TestFlow_EndsAfterHalfAnHour(t *testing.T) {
	b := setup(t)
	back := b.back()
	_, err := b.pool.Exec(t.Context(), "UPDATE oauth_flows SET expires_at = expires_at - interval '1799 seconds'")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		var open bool
		require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT expires_at > now() FROM oauth_flows").Scan(&open))
		return !open
	}, 5*time.Second, 20*time.Millisecond)
	_, err = b.Finish(t.Context(), back)
	require.ErrorIs(t, err, oauthstore.ErrNoFlow)
}

func TestFlow_AnotherProviderCannotAnswerInItsPlace(t *testing.T) {
	b := setup(t)
	b.provider.Rule(oauthtest.Rules{Issuer: "https://evil.example"})
	_, err := b.Finish(t.Context(), b.back())
	require.ErrorIs(t, err, oauth.ErrOtherIssuer)
	b.provider.Rule(oauthtest.Rules{})
	back := b.back()
	back.Issuer = ""
	_, err = b.Finish(t.Context(), back)
	require.ErrorIs(t, err, oauth.ErrOtherIssuer, "one that does not say who it is could be anybody")
	require.Zero(t, b.provider.Count("/token"))
}

func TestFlow_ARefusalIsToldInTheWordsOfTheProvider(t *testing.T) {
	b := setup(t)
	b.provider.Rule(oauthtest.Rules{Deny: "access_denied"})
	_, err := b.Finish(t.Context(), b.back())
	require.EqualError(t, err, "Acme says: access_denied (the person said no)")
	all, err := b.List(t.Context(), b.user)
	require.NoError(t, err)
	require.Empty(t, all)
}

func TestFlow_ACodeIsWorthNothingWithoutItsVerifier(t *testing.T) {
	b := setup(t)
	first, second := b.back(), b.back()
	second.Code = first.Code
	_, err := b.Finish(t.Context(), second)
	require.ErrorContains(t, err, "invalid_grant")
}

func TestToken_IsRenewedBeforeItsEndOnceForAllWhoAsk(t *testing.T) {
	b := setup(t)
	b.provider.Rule(oauthtest.Rules{Life: time.Hour})
	b.connect()
	first := b.token()
	require.Equal(t, 1, b.provider.Count("/token"))
	b.ends(30 * time.Second)
	var all sync.WaitGroup
	got := make([]string, 8)
	for i := range got {
		all.Go(func() { got[i], _ = b.Token(context.Background(), b.user, "acme") })
	}
	all.Wait()
	for _, token := range got {
		require.Equal(t, got[0], token)
	}
	require.NotEqual(t, first, got[0])
	require.Equal(t, 2, b.provider.Count("/token"))
	b.ends(-time.Hour)
	_, ok := b.provider.Accepts(b.token())
	require.True(t, ok, "the refresh token that the first renewal brought was kept")
	require.Equal(t, 3, b.provider.Count("/token"))
}

func TestToken_OfAnAccountThatTheProviderAcceptsNoMoreHasToBeConnectedAgain(t *testing.T) {
	b := setup(t)
	b.provider.Rule(oauthtest.Rules{Life: time.Hour})
	b.connect()
	b.provider.Withdraw()
	b.ends(30 * time.Second)
	for range 2 {
		_, err := b.Token(t.Context(), b.user, "acme")
		_, ok := errors.AsType[*oauth.NotConnectedError](err)
		require.True(t, ok, "%v", err)
	}
	require.Equal(t, 2, b.provider.Count("/token"), "it is not tried again")
	require.Contains(t, b.account().Problem, "does not accept")
	b.connect()
	require.Empty(t, b.account().Problem)
	_, ok := b.provider.Accepts(b.token())
	require.True(t, ok)
}

func TestToken_RefreshesTakeFewConnectionsOfTheDatabase(t *testing.T) {
	b := setup(t)
	b.provider.Rule(oauthtest.Rules{Life: time.Hour})
	people := []chat.UserID{b.user}
	for _, name := range []string{"ben", "cho", "dee", "eve", "fay"} {
		u, err := b.store.Users.CreateUser(t.Context(), name, users.RoleMember)
		require.NoError(t, err)
		people = append(people, u.ID)
	}
	for _, b.user = range people {
		b.connect()
	}
	b.ends(30 * time.Second)
	came, release := b.heldRefresh()
	var all sync.WaitGroup
	for _, user := range people {
		for range 8 {
			all.Go(func() { _, _ = b.Token(context.Background(), user, "acme") })
		}
	}
	for range 4 {
		<-came
	}
	inTime, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := b.Token(inTime, people[0], "acme")
	require.ErrorIs(t, err, context.DeadlineExceeded, "whoever waits may leave")
	require.LessOrEqual(t, int(b.pool.Stat().AcquiredConns()), 4)
	release()
	all.Wait()
	require.Equal(t, 2*len(people), b.provider.Count("/token"), "one for each")
}

func TestToken_ARefusalThatIsForGoodEndsTheAccountAndOneOfTheInstallationDoesNot(t *testing.T) {
	b := setup(t)
	for code, ends := range map[string]bool{
		"bad_refresh_token": true, "access_denied": true, "temporarily_unavailable": false, "server_error": false, "slow_down": false, "invalid_client": false,
		"unauthorized_client": false, "invalid_request": false, "incorrect_client_credentials": false,
	} {
		b.provider.Rule(oauthtest.Rules{Life: time.Hour})
		b.connect()
		b.ends(-time.Second)
		b.provider.Rule(oauthtest.Rules{BreakAt: "/token", Break: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if code != "bad_refresh_token" { // GitHub answers with 200
				w.WriteHeader(http.StatusBadRequest)
			}
			_, _ = w.Write([]byte(`{"error":"` + code + `"}`))
		}})
		_, err := b.Token(t.Context(), b.user, "acme")
		_, ok := errors.AsType[*oauth.NotConnectedError](err)
		require.Equal(t, ends, ok, "%s: %v", code, err)
		require.Equal(t, ends, b.account().Problem != "", code)
		if !ends {
			require.True(t, fault.Is(err, fault.Unavailable), "%s: %v", code, err)
		}
	}
}

func TestToken_AProviderThatIsAwayCostsNothingWhileTheOldTokenHolds(t *testing.T) {
	b := setup(t)
	b.provider.Rule(oauthtest.Rules{Life: time.Hour})
	b.connect()
	token := b.token()
	b.provider.Rule(oauthtest.Rules{BreakAt: "/token", Break: func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "later", http.StatusServiceUnavailable) }})
	b.ends(30 * time.Second)
	require.Equal(t, token, b.token())
	b.ends(-time.Second)
	_, err := b.Token(t.Context(), b.user, "acme")
	require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
	require.Empty(t, b.account().Problem)
	b.provider.Rule(oauthtest.Rules{Life: time.Hour})
	require.NotEqual(t, token, b.token())
}

func TestRefused_RenewsOnceAndThenThePersonHasToConnectAgain(t *testing.T) {
	b := setup(t)
	b.connect()
	first := b.token()
	for range 2 { // two calls have used the same one
		require.NoError(t, b.Refused(t.Context(), b.user, "acme", first))
	}
	second := b.token()
	require.NotEqual(t, first, second)
	require.Equal(t, 2, b.provider.Count("/token"))
	err := b.Refused(t.Context(), b.user, "acme", second)
	_, ok := errors.AsType[*oauth.NotConnectedError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, 2, b.provider.Count("/token"))
	_, err = b.Token(t.Context(), b.user, "acme")
	_, ok = errors.AsType[*oauth.NotConnectedError](err)
	require.True(t, ok, "%v", err)
	require.NotEmpty(t, b.account().Problem)
	_, err = b.Disconnect(t.Context(), b.user, "acme")
	require.NoError(t, err)
	require.Zero(t, b.provider.Live(), "what still works is given back")

	b.connect()
	b.provider.Withdraw()
	err = b.Refused(t.Context(), b.user, "acme", b.token())
	_, ok = errors.AsType[*oauth.NotConnectedError](err)
	require.True(t, ok, "the provider refuses the refresh token, too: %v", err)

	b.connect()
	b.provider.Rule(oauthtest.Rules{BreakAt: "/token", Break: func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "later", http.StatusServiceUnavailable) }})
	err = b.Refused(t.Context(), b.user, "acme", b.token())
	require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
	require.Empty(t, b.account().Problem)

	b.provider.Rule(oauthtest.Rules{NoRefresh: true})
	b.connect()
	err = b.Refused(t.Context(), b.user, "acme", "an older one")
	require.NoError(t, err, "the stored one is another")
	err = b.Refused(t.Context(), b.user, "acme", b.token())
	_, ok = errors.AsType[*oauth.NotConnectedError](err)
	require.True(t, ok, "%v", err)
}

// heldRefresh has the provider keep refreshes waiting until the channel that is returned is closed; the other one has a message for each.
func (b *bundle) heldRefresh() (came <-chan struct{}, release func()) {
	at, end := make(chan struct{}, 64), make(chan struct{})
	release = sync.OnceFunc(func() { close(end) })
	b.t.Cleanup(release)
	b.provider.Rule(oauthtest.Rules{Life: time.Hour, Before: func(r *http.Request) {
		if r.URL.Path == "/token" && r.PostFormValue("grant_type") == "refresh_token" {
			at <- struct{}{}
			<-end
		}
	}})
	return at, release
}

// waiting is how many statements wait for a lock.
func (b *bundle) waiting() (n int) {
	b.t.Helper()
	require.NoError(b.t, b.pool.QueryRow(b.t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&n))
	return n
}

func TestToken_ARefreshAndANewConnectionDoNotWaitForEachOther(t *testing.T) {
	b := setup(t)
	b.provider.Rule(oauthtest.Rules{Life: time.Hour})
	b.connect()
	b.ends(30 * time.Second)
	came, release := b.heldRefresh()
	var all sync.WaitGroup
	var refreshed, connected error
	back := b.back()
	all.Go(func() { _, refreshed = b.Token(context.Background(), b.user, "acme") })
	<-came
	all.Go(func() { _, connected = b.Finish(context.Background(), back) })
	require.Eventually(t, func() bool { return b.waiting() > 0 }, 10*time.Second, 10*time.Millisecond)
	release()
	all.Wait()
	require.NoError(t, refreshed)
	require.NoError(t, connected)
	_, ok := b.provider.Accepts(b.token())
	require.True(t, ok)
}

func TestFlow_WhatWasAskedForCountsWhateverTheProviderCallsIt(t *testing.T) {
	b := setup(t)
	b.provider.Rule(oauthtest.Rules{Scopes: "https://acme.example/auth/read", Life: time.Hour})
	b.connect("write")
	require.Equal(t, []string{"https://acme.example/auth/read"}, b.account().Scopes)
	b.ends(30 * time.Second)
	b.token()
	require.Equal(t, []string{"read", "write"}, b.account().Asked, "a refresh changes nothing of it")
	address, err := b.Begin(t.Context(), oauth.Ticket{User: b.user, Provider: "acme"}, browser)
	require.NoError(t, err)
	at, err := url.Parse(address)
	require.NoError(t, err)
	require.Equal(t, "read write", at.Query().Get("scope"), "what was granted before is asked for again")
}

// asks has a turn of its own wait for an account with some scopes.
func (b *bundle) asks(turn chat.TurnID, scopes ...string) chat.CallID {
	b.t.Helper()
	key := chat.SessionKey("s-" + string(turn))
	_, err := b.store.Conversations.CreateSession(b.t.Context(), conversation.NewSession{Key: key, Owner: b.user, Channel: "web"})
	require.NoError(b.t, err)
	_, err = b.store.Turns.Accept(b.t.Context(), engine.NewRow{Session: key, User: b.user, Channel: "web", PlatformID: string(turn), Text: "hi"})
	require.NoError(b.t, err)
	_, _, err = b.store.Turns.Claim(b.t.Context(), key, turn, "run-"+string(turn), 0)
	require.NoError(b.t, err)
	step := chat.Step{Session: key, Turn: turn}
	_, _, _, err = b.store.Turns.BeginStep(b.t.Context(), step)
	require.NoError(b.t, err)
	ask := []chat.Inquiry{{Name: "q1", Text: "May I?", Other: true, Connect: &chat.AccountAsk{Provider: "acme", Name: "Acme", Scopes: scopes}}}
	call := chat.ToolCall{ID: chat.NewCallID(turn, 0, 0), Name: "oauth_authorize", Class: chat.ClassRead, Asks: chat.Asks{Questions: ask}}.Ruled()
	_, err = b.store.Turns.CommitStep(b.t.Context(), step, chat.Answer{Finish: "tool_calls", Calls: []chat.ToolCall{call}})
	require.NoError(b.t, err)
	_, err = b.store.Calls.Ask(b.t.Context(), call.ID, chat.Request{})
	require.NoError(b.t, err)
	return call.ID
}

func (b *bundle) approval(id chat.CallID) chat.Approval {
	b.t.Helper()
	call, err := b.store.Calls.Call(b.t.Context(), id)
	require.NoError(b.t, err)
	return *call.Approval
}

func TestFlow_AnswersEveryCallThatWaitsForTheAccountWhereverItWasConnected(t *testing.T) {
	b := setup(t)
	first, second, more := b.asks("t1", "read"), b.asks("t2"), b.asks("t3", "read", "write")
	done := b.connect() // as the page does, without a call
	require.True(t, done.Answered)
	for _, id := range []chat.CallID{first, second} {
		a := b.approval(id)
		require.Equal(t, chat.ApprovalAllowed, a.State)
		require.Equal(t, chat.Answers{"q1": {"connected: Acme as lena@example.com"}}, a.Answers)
		require.Equal(t, "ann", a.AnsweredBy)
	}
	require.Equal(t, chat.ApprovalOpen, b.approval(more).State, "it waits for more than was asked for")
	waits, err := b.store.Calls.Answered(t.Context(), "t1")
	require.NoError(t, err)
	require.Equal(t, []chat.CallID{first}, waits, "the turn goes on")
	b.connect("write")
	require.Equal(t, chat.ApprovalAllowed, b.approval(more).State)
	require.False(t, b.connect().Answered)

	late := b.asks("t4", "read", "write")
	require.Equal(t, chat.ApprovalAllowed, b.approval(late).State, "it was connected between the step of the model and the question")
	_, err = b.Disconnect(t.Context(), b.user, "acme")
	require.NoError(t, err)
	require.Equal(t, chat.ApprovalOpen, b.approval(b.asks("t5", "read")).State)
}

func TestFlow_ACallCanBeDeclinedWhoseProviderIsSwitchedOff(t *testing.T) {
	b := setup(t)
	id := b.asks("t1", "read")
	ticket, err := b.ForCall(t.Context(), b.user, id)
	require.NoError(t, err)
	back := b.back()
	d := b.draft()
	d.Revision, d.Enabled = 1, false
	b.save(d)
	_, err = b.Begin(t.Context(), ticket, browser)
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	_, err = b.Finish(t.Context(), back)
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	require.Equal(t, chat.ApprovalOpen, b.approval(id).State)
	_, err = b.store.Calls.Answer(t.Context(), calls.Answer{Session: "s-t1", User: b.user, UserName: "ann", Call: id})
	require.NoError(t, err)
	require.Equal(t, chat.ApprovalDenied, b.approval(id).State)
}

func TestFlow_LeavesCallsAloneThatWaitForSomebodyElse(t *testing.T) {
	b := setup(t)
	id := b.asks("t1")
	other, err := b.store.Users.CreateUser(t.Context(), "ben", users.RoleMember)
	require.NoError(t, err)
	ann := b.user
	b.user = other.ID
	require.False(t, b.connect().Answered)
	require.Equal(t, chat.ApprovalOpen, b.approval(id).State)
	b.user = ann
	require.True(t, b.connect().Answered)
	require.Equal(t, chat.ApprovalAllowed, b.approval(id).State)
}

func TestDisconnect_GivesTheTokensBackAndRemovesThem(t *testing.T) {
	b := setup(t)
	b.connect()
	token := b.token()
	untold, err := b.Disconnect(t.Context(), b.user, "acme")
	require.NoError(t, err)
	require.Empty(t, untold)
	_, ok := b.provider.Accepts(token)
	require.False(t, ok)
	require.Zero(t, b.provider.Live())
	_, err = b.Disconnect(t.Context(), b.user, "acme")
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)

	b.connect()
	b.provider.Rule(oauthtest.Rules{BreakAt: "/revoke", Break: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }})
	untold, err = b.Disconnect(t.Context(), b.user, "acme")
	require.NoError(t, err)
	require.Equal(t, "it answers with status 418", untold)
	all, err := b.List(t.Context(), b.user)
	require.NoError(t, err)
	require.Empty(t, all)
}

func TestFlow_AnotherAccountOfAProviderGivesBackTheTokensOfTheOneBefore(t *testing.T) {
	b := setup(t)
	b.connect()
	first := b.token()
	b.connect("write")
	wider := b.token()
	_, ok := b.provider.Accepts(first)
	require.True(t, ok, "the same account may have taken back what it has just given")
	b.provider.Rule(oauthtest.Rules{Account: "max@example.com"})
	require.Equal(t, "max@example.com", b.connect().Label)
	_, ok = b.provider.Accepts(wider)
	require.False(t, ok)
	account, ok := b.provider.Accepts(b.token())
	require.True(t, ok)
	require.Equal(t, "max@example.com", account)
}

func TestProvider_HostileAnswersStoreNothingAndAreNotRepeated(t *testing.T) {
	b := setup(t)
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	t.Cleanup(inside.Close)
	for name, answer := range map[string]http.HandlerFunc{
		"10 MB": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"access_token":"` + strings.Repeat("x", 10<<20) + `"}`))
		},
		"no JSON":  func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>hello-from-evil")) },
		"no token": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) },
		"a header": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"access_token":"a\r\nX-Evil: 1"}`))
		},
		"a long error": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(400)
			_, _ = w.Write([]byte(`{"error":"` + strings.Repeat("y", 9999) + `"}`))
		},
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, inside.URL, http.StatusTemporaryRedirect)
		},
		"a status alone": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "hello-from-evil", http.StatusInternalServerError)
		},
	} {
		b.provider.Rule(oauthtest.Rules{BreakAt: "/token", Break: answer})
		_, err := b.Finish(t.Context(), b.back())
		require.Error(t, err, name)
		require.Less(t, len(err.Error()), 400, name)
		require.NotContains(t, err.Error(), "hello-from-evil", name)
	}
	all, err := b.List(t.Context(), b.user)
	require.NoError(t, err)
	require.Empty(t, all)

	b.provider.Rule(oauthtest.Rules{BreakAt: "/account", Break: func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"email":"` + strings.Repeat("z", 9999) + `\u0000\u202e"}`))
	}})
	require.Less(t, len(b.connect().Label), 300, "who it is is only shown")
}

func TestProvider_OneInThePrivateNetworkIsReachedOnlyWhereTheOperatorAllowsIt(t *testing.T) {
	b := setup(t, "203.0.113.7")
	_, err := b.Finish(t.Context(), b.back())
	require.ErrorContains(t, err, "XBOT_HTTP_ALLOW")
	require.Zero(t, b.provider.Count("/token"))
}

func TestProvider_TakesTheSecretInTheHeaderWhereItIsSetSo(t *testing.T) {
	b := setup(t)
	b.provider.Rule(oauthtest.Rules{InHeader: true, Scopes: "read,write"})
	_, err := b.Finish(t.Context(), b.back())
	require.ErrorContains(t, err, "invalid_client")
	d := b.draft()
	d.ClientAuth, d.Secret, d.Revision = chat.OAuthInHeader, "", 1
	b.save(d)
	require.Equal(t, []string{"read", "write"}, b.connect().Scopes, "some separate scopes by commas")
}

func TestSave_RefusesWhatCannotBeAProviderAndSecretsThatWouldGoElsewhere(t *testing.T) {
	b := setup(t)
	for says, change := range map[string]func(d *oauth.Draft){
		"id of a provider": func(d *oauth.Draft) { d.ID = "Acme!" },
		"https address":    func(d *oauth.Draft) { d.TokenURL = "http://acme.example/token" },
		"authorize_url":    func(d *oauth.Draft) { d.AuthorizeURL = "javascript:alert(1)" },
		"client id":        func(d *oauth.Draft) { d.ClientID = " " },
		"is no scope":      func(d *oauth.Draft) { d.Scopes = []string{"a b"} },
		"enter the secret": func(d *oauth.Draft) { d.TokenURL = "https://evil.example/token" },
	} {
		d := b.draft()
		d.Secret, d.Revision = "", 1
		change(&d)
		_, err := b.Save(t.Context(), d, b.user)
		require.ErrorContains(t, err, says)
		require.True(t, fault.Is(err, fault.Invalid), says)
	}
	d := b.draft()
	d.Revision = 7
	_, err := b.Save(t.Context(), d, b.user)
	require.True(t, fault.Is(err, fault.Conflict), "%v", err)
}

func TestSave_TokensAreSentToNobodyButWhoGaveThem(t *testing.T) {
	b := setup(t)
	other := oauthtest.New(t)
	for name, change := range map[string]func(d *oauth.Draft){
		"token address":                 func(d *oauth.Draft) { d.TokenURL = other.URL + "/token" },
		"token address, without secret": func(d *oauth.Draft) { d.TokenURL = other.URL + "/token" },
		"revocation address":            func(d *oauth.Draft) { d.RevokeURL = other.URL + "/revoke" },
		"client":                        func(d *oauth.Draft) { d.ClientID = "another" },
	} {
		b.provider.Rule(oauthtest.Rules{Life: time.Hour})
		d := b.draft()
		d.ID = strings.ReplaceAll(strings.ReplaceAll(name, ",", ""), " ", "-")
		public := strings.HasSuffix(name, "without secret")
		if public {
			d.Secret = ""
			b.provider.Rule(oauthtest.Rules{Life: time.Hour, Public: true})
		}
		saved := b.save(d)
		_, err := b.Finish(t.Context(), b.backFrom(d.ID))
		require.NoError(t, err, name)
		_, err = b.pool.Exec(t.Context(), "UPDATE oauth_accounts SET expires_at = now() WHERE provider = $1", d.ID)
		require.NoError(t, err)

		d.Name, d.Revision, d.Secret = "Renamed", saved.Revision, ""
		saved = b.save(d)
		_, err = b.Token(t.Context(), b.user, d.ID)
		require.NoError(t, err, "a change of its name changes nothing: %s", name)
		back := b.backFrom(d.ID)
		if !public {
			d.Secret = oauthtest.ClientSecret
		}
		d.Revision = saved.Revision
		change(&d)
		b.save(d)
		_, err = b.Token(t.Context(), b.user, d.ID)
		missing, ok := errors.AsType[*oauth.NotConnectedError](err)
		require.True(t, ok, "%s: %v", name, err)
		require.Contains(t, missing.Error(), "provider was changed")
		_, err = b.Finish(t.Context(), back)
		require.ErrorIs(t, err, oauthstore.ErrNoFlow, "%s: whoever was on the way begins again", name)
		_, err = b.Disconnect(t.Context(), b.user, d.ID)
		require.NoError(t, err, name)
	}
	require.Zero(t, other.Count("/token"))
	require.Zero(t, other.Count("/revoke"))
}

func TestSave_AConnectionThatIsOnItsWayMeanwhileIsNotStored(t *testing.T) {
	b := setup(t)
	came, end := make(chan struct{}, 8), make(chan struct{})
	b.provider.Rule(oauthtest.Rules{Before: func(r *http.Request) {
		if r.URL.Path == "/token" {
			came <- struct{}{}
			<-end
		}
	}})
	back, finished := b.back(), make(chan error, 1)
	go func() {
		_, err := b.Finish(context.WithoutCancel(t.Context()), back)
		finished <- err
	}()
	<-came
	d := b.draft()
	d.Revision, d.TokenURL = 1, "https://elsewhere.example/token"
	b.save(d)
	close(end)
	require.True(t, fault.Is(<-finished, fault.Conflict))
	all, err := b.List(t.Context(), b.user)
	require.NoError(t, err)
	require.Empty(t, all)
	require.Zero(t, b.provider.Live(), "its tokens were given back")
}

func TestTicket_IsWhatThisServerSignedAndEnds(t *testing.T) {
	b := setup(t)
	read := func(address string) (oauth.Ticket, error) {
		return b.Ticket(t.Context(), strings.TrimPrefix(address, "http://xbot.test/oauth/start/"))
	}
	made := oauth.Ticket{User: b.user, Provider: "acme", Scopes: []string{"write"}, Login: true, Expires: time.Now().Add(time.Minute).Truncate(time.Second)}
	got, err := read(b.Address(made))
	require.NoError(t, err)
	require.Equal(t, made, got)
	_, err = read(b.Address(made) + "a")
	require.True(t, fault.Is(err, fault.Denied), "%v", err)
	made.Expires = time.Now().Add(-time.Second)
	_, err = read(b.Address(made))
	require.True(t, fault.Is(err, fault.Conflict), "%v", err)
	_, err = read(b.Address(oauth.Ticket{Call: "c1"}))
	require.True(t, fault.Is(err, fault.Conflict), "no such call waits: %v", err)
}

func FuzzTicket(f *testing.F) {
	a := &oauth.Accounts{Key: secret.Key{1}}
	f.Add(strings.TrimPrefix(a.Path(oauth.Ticket{User: 1, Provider: "x"}), "/oauth/start/"))
	f.Add("a.b")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := a.Ticket(t.Context(), text)
		if err == nil {
			require.Equal(t, text, strings.TrimPrefix(a.Path(got), "/oauth/start/"))
		}
	})
}

func TestStored_NothingOfAFlowOrAnAccountCanBeReadInTheDatabase(t *testing.T) {
	b := setup(t)
	b.connect()
	b.back()
	address, err := b.Begin(t.Context(), oauth.Ticket{User: b.user, Provider: "acme"}, browser)
	require.NoError(t, err)
	at, err := url.Parse(address)
	require.NoError(t, err)
	secrets := append(b.provider.Secrets(), oauthtest.ClientSecret, at.Query().Get("state"), browser)
	for _, table := range []string{"oauth_providers", "oauth_accounts", "oauth_flows", "changes"} {
		lines, err := b.pool.Query(t.Context(), "SELECT t::text || encode(convert_to(t::text, 'UTF8'), 'escape') FROM "+table+" t")
		require.NoError(t, err)
		for lines.Next() {
			var text string
			require.NoError(t, lines.Scan(&text))
			for _, s := range secrets {
				require.NotContains(t, text, s, table)
				require.NotContains(t, text, hexOf(s), table)
			}
		}
		require.NoError(t, lines.Err())
	}
}

func hexOf(s string) string {
	const digits = "0123456789abcdef"
	var out strings.Builder
	for i := range len(s) {
		out.WriteByte(digits[s[i]>>4])
		out.WriteByte(digits[s[i]&15])
	}
	return out.String()
}
