package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/user/users"
)

func (b *bundle) kind(err error) fault.Kind {
	b.t.Helper()
	require.Error(b.t, err)
	return fault.KindOf(err)
}

func TestAccounts_ANameBelongsToOnePersonInWhateverCase(t *testing.T) {
	b := setup(t)
	ann := b.member("Ann")
	require.False(t, ann.Admin)
	for name, want := range map[string]fault.Kind{
		"ann": fault.Conflict, "ANN": fault.Conflict, "a": fault.Invalid, "web:ann": fault.Invalid, "a  nn": fault.Invalid, "an\nn": fault.Invalid, "": fault.Invalid,
	} {
		_, err := b.Users.CreateUser(t.Context(), name, users.RoleMember)
		require.Equal(t, want, b.kind(err), "%q", name)
	}
	people, err := b.Users.Accounts(t.Context())
	require.NoError(t, err)
	require.Len(t, people, 2)
	require.Equal(t, "admin", people[0].Name)
	require.Equal(t, 1, people[0].Conversations)
	require.Nil(t, people[1].SeenAt, "she never came")
}

func TestAccounts_TheLastAdministratorStaysOne(t *testing.T) {
	b := setup(t)
	require.Equal(t, fault.Conflict, b.kind(b.Users.Disable(t.Context(), b.user.ID, nil)))
	require.Equal(t, fault.Conflict, b.kind(b.Users.SetRole(t.Context(), b.user.ID, users.RoleMember)))

	ann := b.member("ann")
	require.NoError(t, b.Users.SetRole(t.Context(), ann.ID, users.RoleAdmin))
	require.NoError(t, b.Users.Disable(t.Context(), b.user.ID, &ann.ID))
	require.Equal(t, fault.Conflict, b.kind(b.Users.SetRole(t.Context(), ann.ID, users.RoleMember)), "one who is shut out does not count")
	first, err := b.Users.EnsureAdmin(t.Context(), "admin")
	require.NoError(t, err)
	require.Equal(t, ann.ID, first.ID, "one who is shut out administers nothing")
}

func TestAccounts_OfTwoAdministratorsWhoRemoveEachOtherOneStays(t *testing.T) {
	b := setup(t)
	ann := b.member("ann")
	require.NoError(t, b.Users.SetRole(t.Context(), ann.ID, users.RoleAdmin))
	var wg sync.WaitGroup
	errs := make([]error, 2)
	for i, id := range []chat.UserID{b.user.ID, ann.ID} {
		wg.Go(func() { errs[i] = b.Users.Disable(t.Context(), id, nil) })
	}
	wg.Wait()
	require.NotEqual(t, errs[0] == nil, errs[1] == nil, "%v", errs)
}

func TestDisable_EndsEverythingThatLetsAPersonInForGood(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	ann := b.member("ann")
	_, err := b.Users.CreateToken(ctx, ann.ID, users.Token{Name: "script"}, []byte("token"))
	require.NoError(t, err)
	require.NoError(t, b.Users.CreateWebSession(ctx, ann.ID, []byte("cookie"), time.Now().Add(time.Hour)))
	require.NoError(t, b.Users.CreateLoginLink(ctx, ann.ID, []byte("link"), time.Now().Add(time.Hour)))
	require.NoError(t, b.Runners.CreateRunner(ctx, ann.ID, "laptop", []byte("runner")))
	_, err = b.Users.CreateToken(ctx, b.user.ID, users.Token{Name: "script"}, []byte("of another"))
	require.NoError(t, err)

	in := func(want bool) {
		t.Helper()
		_, _, err := b.Users.TokenUser(ctx, []byte("token"))
		require.Equal(t, want, err == nil, "token")
		_, _, err = b.Users.WebSessionUser(ctx, []byte("cookie"))
		require.Equal(t, want, err == nil, "login")
		_, _, _, err = b.Runners.RunnerByToken(ctx, []byte("runner"))
		require.Equal(t, want, err == nil, "runner")
	}
	in(true)
	require.NoError(t, b.Users.Disable(ctx, ann.ID, &b.user.ID))
	require.NoError(t, b.Users.Disable(ctx, ann.ID, nil), "it may be done again")
	in(false)
	require.Equal(t, fault.Conflict, b.kind(b.Users.MayEnter(ctx, ann.ID)))
	people, err := b.Users.Accounts(ctx)
	require.NoError(t, err)
	require.Equal(t, "admin", people[1].DisabledBy, "the second time changes nothing")
	_, _, err = b.Users.TokenUser(ctx, []byte("of another"))
	require.NoError(t, err)

	require.NoError(t, b.Users.Enable(ctx, ann.ID))
	require.NoError(t, b.Users.MayEnter(ctx, ann.ID))
	in(false)
	_, err = b.Users.UseLoginLink(ctx, []byte("link"))
	require.Equal(t, fault.Denied, b.kind(err))
	require.Equal(t, fault.NotFound, b.kind(b.Users.Enable(ctx, 4711)))
}

func TestDisable_NothingOfThePersonBeginsAndWhatRunsIsListedUntilItIsStopped(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	ann := b.member("ann")
	const hers, idle = chat.SessionKey("agent:main:web:thread:hers"), chat.SessionKey("agent:main:web:thread:idle")
	for _, key := range []chat.SessionKey{hers, idle} {
		_, err := b.Conversations.CreateSession(ctx, conversation.NewSession{Key: key, Owner: ann.ID, Channel: "web"})
		require.NoError(t, err)
	}
	say := func(key chat.SessionKey, id string) {
		_, err := b.Turns.Accept(ctx, engine.NewRow{Session: key, User: ann.ID, Channel: "web", PlatformID: id, Text: "hello"})
		require.NoError(t, err)
	}
	say(hers, "m1")
	_, ok, err := b.Turns.Claim(ctx, hers, "t1", "run", 0)
	require.NoError(t, err)
	require.True(t, ok)
	say(hers, "m2")
	b.send("m3", "of somebody else")
	require.NoError(t, b.Users.Disable(ctx, ann.ID, nil))

	say(idle, "m4") // it was on its way
	_, ok, err = b.Turns.Claim(ctx, idle, "t2", "run", 0)
	require.NoError(t, err)
	require.False(t, ok, "no turn of hers begins")
	due, err := b.Turns.Due(ctx, engine.Trusted{})
	require.NoError(t, err)
	require.True(t, due.Disabled)
	work, err := b.Users.DisabledWork(ctx)
	require.NoError(t, err)
	require.Equal(t, []users.DisabledWork{
		{Session: hers, User: ann.ID, Channel: "web", Turn: "t1"}, {Session: idle, User: ann.ID, Channel: "web"},
	}, work)

	require.NoError(t, b.Users.Enable(ctx, ann.ID))
	still, err := b.Users.DisabledWork(ctx)
	require.NoError(t, err)
	require.Equal(t, work[:1], still, "what began before is stopped all the same")
	require.NoError(t, b.Users.Disable(ctx, ann.ID, nil))

	for _, w := range work {
		_, err := b.Turns.Stop(ctx, engine.NewRow{Session: w.Session, User: w.User, Channel: w.Channel, PlatformID: "disabled-" + string(w.Turn)}, i18n.English)
		require.NoError(t, err)
	}
	work, err = b.Users.DisabledWork(ctx)
	require.NoError(t, err)
	require.Empty(t, work)
	stop, err := b.Turns.StopRequested(ctx, hers, "t1")
	require.NoError(t, err)
	require.True(t, stop)
	pending, err := b.Turns.FinishTurn(ctx, hers, "t1", chat.TurnStopped, i18n.Stopped)
	require.NoError(t, err)
	require.False(t, pending)
	last, err := b.Agents.LastMessages(ctx, hers, 1)
	require.NoError(t, err)
	require.Equal(t, i18n.Say(i18n.English, i18n.ShutOut), last[0].Content, "she reads why")
	due, err = b.Turns.Due(ctx, engine.Trusted{})
	require.NoError(t, err)
	require.False(t, due.Disabled)
	_, ok = b.claim("t3")
	require.True(t, ok, "others go on")
}

func TestDisable_WhatThePersonWroteToOthersHoldsUpNobody(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	ann := b.member("ann")
	hers := b.inbound("m1", "hers, in a conversation of others")
	hers.User = ann.ID
	_, err := b.Turns.Accept(ctx, hers)
	require.NoError(t, err)
	b.send("m2", "of somebody else")
	require.NoError(t, b.Users.Disable(ctx, ann.ID, nil))
	_, ok := b.claim("t1")
	require.False(t, ok, "hers is first, and gets no turn")
	due, err := b.Turns.Due(ctx, engine.Trusted{})
	require.NoError(t, err)
	require.True(t, due.Disabled)
	require.NoError(t, b.Inbox.DropDisabled(ctx))
	got, ok := b.claim("t1")
	require.True(t, ok)
	require.Equal(t, "of somebody else", got.Text)
	due, err = b.Turns.Due(ctx, engine.Trusted{})
	require.NoError(t, err)
	require.False(t, due.Disabled)
}

func TestDisable_KillsBackgroundTasksOfThePersonAndNobodyElse(t *testing.T) {
	b := setup(t)
	ann := b.member("ann")
	require.NoError(t, b.Users.SetRole(t.Context(), ann.ID, users.RoleAdmin))
	b.working("t1")
	task := b.task("t1", 0)
	require.NoError(t, b.Users.Disable(t.Context(), ann.ID, nil))
	asked, err := b.Calls.KillRequested(t.Context(), task)
	require.NoError(t, err)
	require.False(t, asked)

	require.NoError(t, b.Users.Enable(t.Context(), ann.ID))
	require.NoError(t, b.Users.Disable(t.Context(), b.user.ID, &ann.ID))
	asked, err = b.Calls.KillRequested(t.Context(), task)
	require.NoError(t, err)
	require.True(t, asked)
	require.True(t, b.end(task))
	_, ok := b.claim("t2")
	require.False(t, ok, "its end begins no turn")
}

func TestInvites_LetInAsManyAsTheyAreForWhileTheyAreGood(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	soon := time.Now().Add(time.Hour)
	made, err := b.Users.AddInvite(ctx, users.Invite{Note: "the team", Role: users.RoleMember, Uses: 2, ExpiresAt: soon}, &b.user.ID, []byte("link"))
	require.NoError(t, err)

	ann, err := b.Users.Join(ctx, []byte("link"), "ann", "hash")
	require.NoError(t, err)
	require.False(t, ann.Admin)
	require.Equal(t, "hash", ann.PasswordHash)
	_, err = b.Users.Join(ctx, []byte("link"), "Ann", "hash")
	require.Equal(t, fault.Conflict, b.kind(err))
	open, err := b.Users.Invites(ctx)
	require.NoError(t, err)
	require.Len(t, open, 1)
	require.Equal(t, 1, open[0].Used, "a name that was taken costs nothing")

	errs := make([]error, 4)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { _, errs[i] = b.Users.Join(ctx, []byte("link"), "guest "+string(rune('a'+i)), "hash") })
	}
	wg.Wait()
	let := 0
	for _, err := range errs {
		if err == nil {
			let++
		} else {
			require.Equal(t, fault.Denied, b.kind(err))
		}
	}
	require.Equal(t, 1, let)
	require.Equal(t, fault.Denied, b.kind(b.Users.CheckInvite(ctx, []byte("link"))))
	require.NoError(t, b.Users.WithdrawInvite(ctx, made.ID), "nobody is to see it any more")

	for _, bad := range []users.Invite{{Role: users.RoleMember, Uses: 0, ExpiresAt: soon}, {Role: users.RoleMember, Uses: 1001, ExpiresAt: soon}, {Role: users.RoleMember, Uses: 1}} {
		_, err := b.Users.AddInvite(ctx, bad, nil, []byte("bad"))
		require.Equal(t, fault.Invalid, b.kind(err))
	}
}

func TestInvites_AreNoGoodOnceTheirMakerIsNoAdministrator(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	ann := b.member("ann")
	require.NoError(t, b.Users.SetRole(ctx, ann.ID, users.RoleAdmin))
	_, err := b.Users.AddInvite(ctx, users.Invite{Role: users.RoleAdmin, Uses: 9, ExpiresAt: time.Now().Add(time.Hour)}, &ann.ID, []byte("link"))
	require.NoError(t, err)
	boss, err := b.Users.Join(ctx, []byte("link"), "boss", "hash")
	require.NoError(t, err)
	require.True(t, boss.Admin)

	require.NoError(t, b.Users.SetRole(ctx, ann.ID, users.RoleMember))
	_, err = b.Users.Join(ctx, []byte("link"), "another", "hash")
	require.Equal(t, fault.Denied, b.kind(err))
	require.NoError(t, b.Users.SetRole(ctx, ann.ID, users.RoleAdmin))
	require.NoError(t, b.Users.Disable(ctx, ann.ID, nil))
	_, err = b.Users.Join(ctx, []byte("link"), "another", "hash")
	require.Equal(t, fault.Denied, b.kind(err))
	require.NoError(t, b.Users.Enable(ctx, ann.ID))
	require.Equal(t, fault.Denied, b.kind(b.Users.CheckInvite(ctx, []byte("link"))), "what was revoked stays so")
	open, err := b.Users.Invites(ctx)
	require.NoError(t, err)
	require.Empty(t, open)
}

func TestTokens_EndWhenTheirTimeIsOver(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	_, err := b.Users.CreateToken(ctx, b.user.ID, users.Token{Name: "a", Scope: users.ScopeRead, ExpiresAt: new(time.Now().Add(time.Hour))}, []byte("good"))
	require.NoError(t, err)
	_, err = b.Users.CreateToken(ctx, b.user.ID, users.Token{Name: "b", ExpiresAt: new(time.Now().Add(-time.Second))}, []byte("over"))
	require.NoError(t, err)
	_, scope, err := b.Users.TokenUser(ctx, []byte("good"))
	require.NoError(t, err)
	require.Equal(t, users.ScopeRead, scope)
	_, _, err = b.Users.TokenUser(ctx, []byte("over"))
	require.Equal(t, fault.NotFound, b.kind(err))
	all, err := b.Users.Tokens(ctx, b.user.ID)
	require.NoError(t, err)
	require.Len(t, all, 1)
}
