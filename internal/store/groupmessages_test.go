package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/groupmessages"
	"xbot/internal/user/users"
)

const groupKey = chat.SessionKey("agent:main:feishu:group:oc_1")

// group makes the conversation of a group.
func (b *bundle) group() users.User {
	b.t.Helper()
	g, err := b.Users.GroupUser(b.t.Context(), "feishu", chat.ChatGroup, "oc_1")
	require.NoError(b.t, err)
	_, err = b.Conversations.CreateSession(b.t.Context(), conversation.NewSession{Key: groupKey, Owner: g.ID, Channel: "feishu", ChatType: chat.ChatGroup})
	require.NoError(b.t, err)
	return g
}

func (b *bundle) overhear(id, sender, text string, at time.Time, limit int) bool {
	b.t.Helper()
	kept, err := b.GroupMessages.Overhear(b.t.Context(), groupmessages.Message{
		Session: groupKey, Channel: "feishu", PlatformID: id, Sender: sender, Text: text, SentAt: at,
	}, limit)
	require.NoError(b.t, err)
	return kept
}

func (b *bundle) groupTalk(key chat.SessionKey) []chat.Message {
	b.t.Helper()
	page, err := b.Conversations.Messages(b.t.Context(), key, conversation.Page{Limit: 100})
	require.NoError(b.t, err)
	return page.Messages
}

func TestOverheard_ComesBeforeTheMessageThatAddressesTheBot(t *testing.T) {
	b := setup(t)
	b.group()
	at := time.Now().Add(-time.Hour)
	require.True(t, b.overhear("m2", "Al", "second\nBob: not his words", at.Add(2*time.Second), 50))
	require.True(t, b.overhear("m1", "Bob", "first", at, 50))
	require.False(t, b.overhear("m1", "Bob", "first", at, 50), "a repeated delivery is nothing new")
	require.True(t, b.overhear("m9", "Bob", "later", at.Add(time.Minute), 50))

	_, err := b.Turns.Accept(t.Context(), engine.NewRow{
		Session: groupKey, User: b.user.ID, Channel: "feishu", PlatformID: "m3", Text: "@bot hello", Sender: "Al", SentAt: at.Add(10 * time.Second),
	})
	require.NoError(t, err)
	_, ok, err := b.Turns.Claim(t.Context(), groupKey, "t1", "r1", 0)
	require.NoError(t, err)
	require.True(t, ok)

	got := b.groupTalk(groupKey)
	require.Len(t, got, 2)
	require.Equal(t, chat.OriginOverheard, got[0].Origin)
	require.Equal(t, "[Chat messages since your last reply, for context]\nBob: first\nAl: second\n  Bob: not his words", got[0].Content)
	require.Equal(t, "@bot hello", got[1].Content)
	require.Equal(t, "Al", got[1].Sender)

	require.False(t, b.overhear("m1", "Bob", "first", at, 50), "also after it came into the transcript")
	w, err := b.Conversations.Window(t.Context(), groupKey)
	require.NoError(t, err)
	require.Contains(t, w.Lines[1].Preface, " · from Al]")
}

func TestOverheard_KeepsTheNewest(t *testing.T) {
	b := setup(t)
	b.group()
	at := time.Now().Add(-time.Hour)
	for i := range 5 {
		require.True(t, b.overhear(fmt.Sprint("m", i), "Bob", fmt.Sprint("text ", i), at.Add(time.Duration(i)*time.Second), 2))
	}
	require.False(t, b.overhear("m0", "Bob", "text 0", at, 2))
	_, err := b.Turns.Accept(t.Context(), engine.NewRow{Session: groupKey, User: b.user.ID, Channel: "feishu", PlatformID: "x", Text: "hi", Sender: "Al"})
	require.NoError(t, err)
	_, _, err = b.Turns.Claim(t.Context(), groupKey, "t1", "r1", 0)
	require.NoError(t, err)
	require.Equal(t, "[Chat messages since your last reply, for context]\nBob: text 3\nBob: text 4", b.groupTalk(groupKey)[0].Content)
}

func TestOverheard_WhatAnotherAccountAcceptedIsNotToldTwice(t *testing.T) {
	b := setup(t)
	b.group()
	at := time.Now().Add(-time.Hour)
	require.True(t, b.overhear("m1", "Al", "@other hello", at, 50))
	_, err := b.Turns.Accept(t.Context(), engine.NewRow{
		Session: groupKey, User: b.user.ID, Channel: "feishu", Account: "other", PlatformID: "m1", Text: "hello", Sender: "Al", SentAt: at,
	})
	require.NoError(t, err)
	require.False(t, b.overhear("m1", "Al", "@other hello", at, 50))
	_, _, err = b.Turns.Claim(t.Context(), groupKey, "t1", "r1", 0)
	require.NoError(t, err)
	require.Len(t, b.groupTalk(groupKey), 1)
}

func TestOverheard_EditedAndRecalled(t *testing.T) {
	b := setup(t)
	b.group()
	at := time.Now().Add(-time.Hour)
	b.overhear("m1", "Bob", "frist", at, 50)
	b.overhear("m2", "Bob", "a secret", at, 50)
	edited, err := b.GroupMessages.EditOverheard(t.Context(), groupmessages.Message{Session: groupKey, Channel: "feishu", PlatformID: "m1", Text: "first"})
	require.NoError(t, err)
	require.True(t, edited)
	recalled, err := b.GroupMessages.RecallOverheard(t.Context(), groupmessages.Message{Session: groupKey, Channel: "feishu", PlatformID: "m2"})
	require.NoError(t, err)
	require.True(t, recalled)
	_, err = b.Turns.Accept(t.Context(), engine.NewRow{Session: groupKey, User: b.user.ID, Channel: "feishu", PlatformID: "x", Text: "hi", Sender: "Al"})
	require.NoError(t, err)
	_, _, err = b.Turns.Claim(t.Context(), groupKey, "t1", "r1", 0)
	require.NoError(t, err)
	require.Equal(t, "[Chat messages since your last reply, for context]\nBob: first", b.groupTalk(groupKey)[0].Content)
	edited, err = b.GroupMessages.EditOverheard(t.Context(), groupmessages.Message{Session: groupKey, Channel: "feishu", PlatformID: "m1", Text: "too late"})
	require.NoError(t, err)
	require.False(t, edited)
}
