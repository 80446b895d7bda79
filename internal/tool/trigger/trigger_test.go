package trigger_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/trigger"
	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/secret"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/tool/tooltest"
	tooltrigger "xbot/internal/tool/trigger"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
)

type bundle struct {
	t     *testing.T
	store *store.Store
	book  *trigger.Store
	box   *tooltest.Box
	user  chat.UserID
	talk  chat.SessionKey
}

func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{t: t, box: tooltest.New(t), talk: "agent:main:napcat:dm:7"}
	b.store = store.New(pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate), store.Options{})
	b.book = &trigger.Store{Triggers: b.store.Triggers, Users: b.store.Users, Key: secret.Key{1}, Base: "https://xbot.example"}
	user, err := b.store.Users.EnsureAdmin(t.Context(), "alice")
	require.NoError(t, err)
	b.user = user.ID
	_, err = b.store.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: b.talk, Owner: b.user, Channel: "napcat"})
	require.NoError(t, err)
	return b
}

func (b *bundle) call(id chat.CallID, arguments string) chat.ToolResult {
	b.t.Helper()
	c := b.box.Call(id, arguments)
	c.User, c.Session = b.user, b.talk
	result, err := tooltrigger.New(b.book).Run(b.t.Context(), c)
	require.NoError(b.t, err)
	return result
}

func (b *bundle) list() []chat.Trigger {
	b.t.Helper()
	all, err := b.book.List(b.t.Context(), b.user)
	require.NoError(b.t, err)
	return all
}

func TestEventTrigger_IsMadeOnceHoweverOftenTheCallRuns(t *testing.T) {
	b := setup(t)
	const add = `{"action":"add","name":"ci","source":"github","template":"{{.EventType}}"}`
	first := b.call("t.0.0", add)
	require.False(t, first.IsError, first.Content)
	require.Equal(t, first, b.call("t.0.0", add))
	all := b.list()
	require.Len(t, all, 1)
	require.Contains(t, first.Content, "POST "+all[0].URL)
	require.True(t, b.call("t.0.1", add).IsError, "another call cannot have the same name")
}

func TestEventTrigger_ShowsTheModelNoSecret(t *testing.T) {
	b := setup(t)
	result := b.call("t.0.0", `{"action":"add","name":"ci"}`)
	owned, err := b.store.Triggers.FindTrigger(t.Context(), b.user, "ci")
	require.NoError(t, err)
	plain, err := secret.Key{1}.Open(owned.Secret)
	require.NoError(t, err)
	require.NotContains(t, result.Content, string(plain))
	require.NotContains(t, b.call("t.0.1", `{"action":"list"}`).Content, string(plain))
}

func TestEventTrigger_AnswersWhereItWasMade(t *testing.T) {
	b := setup(t)
	b.call("t.0.0", `{"action":"add","name":"here","here":true}`)
	b.call("t.0.1", `{"action":"add","name":"web"}`)
	_, err := b.store.Turns.Accept(t.Context(), engine.NewRow{
		Session: b.talk, User: b.user, Channel: "napcat", PlatformID: "m1", Text: "hello", To: &chat.Address{ChatType: chat.ChatDirect, Peer: "7"},
	})
	require.NoError(t, err)
	b.call("t.0.2", `{"action":"add","name":"there"}`)
	var said []string
	for _, one := range b.list() {
		said = append(said, one.Name+" "+strings.Replace(string(one.Session), one.ID, "own", 1)+" "+string(one.AnswerIn))
	}
	require.Equal(t, []string{"here " + string(b.talk) + " ", "there hook:own " + string(b.talk), "web hook:own "}, said)
}

func TestEventTrigger_IsSwitchedAndRemovedByName(t *testing.T) {
	b := setup(t)
	require.Equal(t, "There are no triggers.", b.call("t.0.0", `{"action":"list"}`).Content)
	b.call("t.0.1", `{"action":"add","name":"ci"}`)
	require.Equal(t, "Trigger ci is disabled.", b.call("t.0.2", `{"action":"disable","name":"ci"}`).Content)
	require.Contains(t, b.call("t.0.3", `{"action":"list"}`).Content, "ci · generic · POST https://xbot.example/hooks/")
	require.Contains(t, b.call("t.0.3", `{"action":"list"}`).Content, "0 calls so far · disabled")
	require.Equal(t, "Trigger ci is enabled.", b.call("t.0.4", `{"action":"enable","name":"ci"}`).Content)
	require.Equal(t, "Trigger ci is removed.", b.call("t.0.5", `{"action":"remove","name":"ci"}`).Content)
	for arguments, want := range map[string]string{
		`{"action":"remove","name":"ci"}`:                              "no such trigger",
		`{"action":"add"}`:                                             "name is empty",
		`{"action":"fire","name":"x"}`:                                 "action must be",
		`{"action":"add","name":"x","source":"bitbucket"}`:             "is not known",
		`{"action":"add","name":"x","template":"{{printf \"%d\" 1}}"}`: "may not",
	} {
		result := b.call("t.1.0", arguments)
		require.True(t, result.IsError)
		require.Contains(t, result.Content, want)
	}
}

func TestEventTrigger_IsNothingForGroups(t *testing.T) {
	b := setup(t)
	group, err := b.store.Users.GroupUser(t.Context(), "napcat", chat.ChatGroup, "g1")
	require.NoError(t, err)
	b.user = group.ID
	result := b.call("t.0.0", `{"action":"add","name":"ci","here":true}`)
	require.True(t, result.IsError)
	require.Contains(t, result.Content, "not to groups")
}
