package store_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
	"xbot/internal/turn/policy"
)

// beginAs begins a conversation of a key; without a name, if it is to have none.
func (b *bundle) beginAs(by servicestore.Caller, unnamed bool) (service.Conversation, error) {
	b.t.Helper()
	return b.Services.BeginConversation(b.t.Context(), servicestore.NewConversation{Caller: by, Source: service.SourceAPI, Unnamed: unnamed})
}

// begun begins a conversation without a name in which something was said.
func (b *bundle) begun(by servicestore.Caller) service.Conversation {
	b.t.Helper()
	c, err := b.beginAs(by, true)
	require.NoError(b.t, err)
	b.asksService(c, "first "+c.ID, "hello")
	turn := chat.TurnID("t-" + c.ID)
	_, _, err = b.Turns.Claim(b.t.Context(), c.Session, turn, "run-"+c.ID, 0)
	require.NoError(b.t, err)
	_, err = b.Turns.FinishTurn(b.t.Context(), c.Session, turn, chat.TurnDone, "")
	require.NoError(b.t, err)
	return c
}

func (b *bundle) idles(all ...service.Conversation) {
	b.t.Helper()
	for _, c := range all {
		_, err := b.pool.Exec(b.t.Context(), "UPDATE sessions SET last_interaction_at = last_interaction_at - interval '61 minutes' WHERE key = $1", c.Session)
		require.NoError(b.t, err)
	}
}

func (b *bundle) isThere(by servicestore.Caller, c service.Conversation) bool {
	b.t.Helper()
	_, err := b.Services.ConsumerConversation(b.t.Context(), by, c.ID)
	if err != nil {
		require.Equal(b.t, fault.NotFound, b.kind(err))
	}
	return err == nil
}

func TestServiceSpace_AnIdleConversationWithoutANameMakesRoomForANewOne(t *testing.T) {
	b := setup(t)
	_, key := b.service(service.Patch{MaxConversations: new(3)})
	by := b.caller(key)
	named, err := b.beginAs(by, false)
	require.NoError(t, err)
	b.asksService(named, "m", "keep this")
	first, second := b.begun(by), b.begun(by)
	_, err = b.beginAs(by, true)
	require.Equal(t, fault.Conflict, b.kind(err), "all are in use")
	b.idles(named, first, second, first)

	_, err = b.beginAs(by, true)
	require.NoError(t, err)
	require.Equal(t, []bool{true, false, true}, []bool{b.isThere(by, named), b.isThere(by, first), b.isThere(by, second)}, "the one that was used longest ago goes")
	due, err := b.DeletionsToStart(t.Context())
	require.NoError(t, err)
	require.Equal(t, []chat.UserID{first.User}, due, "by a workflow")

	b.asksService(second, "again", "are you there?")
	_, err = b.beginAs(by, true)
	require.Equal(t, fault.Conflict, b.kind(err), "a message waits there")
	require.True(t, b.isThere(by, second))
}

func TestServiceSpace_WhatSomebodyHasTakenOrWasAskedStays(t *testing.T) {
	b := setup(t)
	made, key := b.service(service.Patch{MaxConversations: new(2), Capabilities: &[]service.Capability{service.HumanChat}})
	by := b.caller(key)
	taken, asked := b.begun(by), b.begun(by)
	b.take(taken)
	_, err := b.contact(asked, "call", "help")
	require.NoError(t, err)
	b.idles(taken, asked)
	_, err = b.beginAs(by, true)
	require.Equal(t, fault.Conflict, b.kind(err), made.ID)
}

func TestServiceSpace_OneInWhichNothingWasSaidMakesRoom(t *testing.T) {
	b := setup(t)
	_, key := b.service(service.Patch{MaxConversations: new(1)})
	by := b.caller(key)
	empty, err := b.beginAs(by, false)
	require.NoError(t, err)
	_, err = b.beginAs(by, false)
	require.Equal(t, fault.Conflict, b.kind(err))
	b.idles(empty)
	_, err = b.beginAs(by, false)
	require.NoError(t, err)
	require.False(t, b.isThere(by, empty))
}

func TestServiceSpace_AKeyThatHasMoreThanItMayBeginsOnAndHasFewerEachTime(t *testing.T) {
	b := setup(t)
	made, key := b.service(service.Patch{MaxConversations: new(100)})
	mine := b.caller(key)
	var own []service.Conversation
	for range 100 {
		c, err := b.beginAs(mine, true)
		require.NoError(t, err)
		own = append(own, c)
	}
	b.idles(own...)
	b.key(made) // from now on it may have 75
	left := func() int {
		return b.count("SELECT count(*) FROM service_conversations c JOIN users u ON u.id = c.user_id WHERE c.service_id = $1 AND u.disabled_at IS NULL", made.ID)
	}
	for _, want := range []int{81, 75, 75} {
		_, err := b.beginAs(mine, true)
		require.NoError(t, err)
		require.Equal(t, want, left())
	}
	_, err := b.Services.ChangeService(t.Context(), made.ID, 0, service.Patch{MaxConversations: new(40)})
	require.NoError(t, err)
	_, err = b.beginAs(b.caller(key), true)
	require.NoError(t, err, "a lower limit shuts nobody out")
	require.Less(t, left(), 75)
}

func TestServiceSpace_NoKeyTakesAllConversationsFromOthers(t *testing.T) {
	b := setup(t)
	made, key := b.service(service.Patch{MaxConversations: new(4)})
	other := b.key(made)
	mine, theirs := b.caller(key), b.caller(other)
	var own []service.Conversation
	for range 3 {
		own = append(own, b.begun(mine))
	}
	_, err := b.beginAs(mine, true)
	require.Equal(t, fault.Conflict, b.kind(err), "three quarters")
	last := b.begun(theirs)
	b.idles(last)
	_, err = b.beginAs(mine, true)
	require.Equal(t, fault.Conflict, b.kind(err))
	require.True(t, b.isThere(theirs, last), "a key that has its share takes from no other")
	b.idles(own[0])
	_, err = b.beginAs(mine, true)
	require.NoError(t, err)
	require.Equal(t, []bool{false, true}, []bool{b.isThere(mine, own[0]), b.isThere(theirs, last)}, "but from itself")

	b.idles(own[1])
	again := b.begun(theirs)
	require.False(t, b.isThere(theirs, last), "its own goes first")
	_, err = b.beginAs(theirs, true)
	require.NoError(t, err)
	require.Equal(t, []bool{false, true}, []bool{b.isThere(mine, own[1]), b.isThere(theirs, again)}, "then what others left")

	require.NoError(t, b.Services.RevokeServiceKey(t.Context(), made.ID, theirs.Key))
	b.idles(again)
	_, err = b.beginAs(mine, true)
	require.NoError(t, err)
	_, err = b.beginAs(mine, true)
	require.Equal(t, fault.Conflict, b.kind(err), "the limit of the service")
}

func TestServiceSpace_ThePicturesOfAllConversationsOfAServiceAreAsManyAsAPersonMayKeep(t *testing.T) {
	q := throttled(t, policy.Limits{Person: policy.PersonLimits{Storage: 1}})
	ctx := t.Context()
	made, key := q.service(service.Patch{})
	_, another := q.service(service.Patch{})
	half := func(c service.Conversation) {
		data := bytes.Repeat([]byte(c.ID), 1<<19/len(c.ID))
		require.NoError(t, q.Attachments.AddPicture(ctx, c.Session, chat.Picture{PictureRef: chat.PictureRef{Hash: fmt.Sprintf("%064s", c.ID), MediaType: "image/png", Width: 1, Height: 1}, Data: data}))
	}
	one, two, third := q.beginWith(q.caller(key)), q.beginWith(q.caller(key)), q.beginWith(q.caller(q.key(made)))
	half(one)
	require.NoError(t, q.Attachments.CheckSpace(ctx, two.User, 1<<18))
	half(two)
	for _, user := range []chat.UserID{one.User, two.User, third.User, made.User} {
		err := q.Attachments.CheckSpace(ctx, user, 1<<18)
		require.Equal(t, fault.TooLarge, q.kind(err))
		require.NotContains(t, err.Error(), "limits.person", "the house is not told of")
	}
	require.NoError(t, q.Attachments.CheckSpace(ctx, q.beginWith(q.caller(another)).User, 1<<18), "another service has its own")
	require.NoError(t, q.Attachments.CheckSpace(ctx, q.user.ID, 1<<18), "and so has their administrator")
}

func TestServiceSpace_TheRoomsOfAServiceHoldTogetherWhatAPersonMayKeep(t *testing.T) {
	q := throttled(t, policy.Limits{Person: policy.PersonLimits{Storage: 1}})
	ctx := t.Context()
	_, key := q.service(service.Patch{})
	_, another := q.service(service.Patch{})
	open := func(key string) chat.UserID {
		c := q.beginWith(q.caller(key))
		_, err := q.Services.KeepServiceStorage(ctx, c.User, "laptop", "")
		require.NoError(t, err)
		return c.User
	}
	one, two, other := open(key), open(key), open(another)
	require.NoError(t, q.Services.ServiceStorageHolds(ctx, one, true, 1<<18))
	require.NoError(t, q.Services.ServiceStorageGrows(ctx, one, true, 1<<18))
	require.NoError(t, q.Services.ServiceStorageHolds(ctx, one, false, 0), "the two folders are counted apart")
	require.NoError(t, q.Services.ServiceStorageHolds(ctx, two, false, 1<<18))
	require.NoError(t, q.Services.ServiceStorageHolds(ctx, other, true, 1<<19))
	require.NoError(t, q.Services.ServiceStorageGrows(ctx, two, true, 1<<18))
	for _, user := range []chat.UserID{one, two} {
		require.Equal(t, fault.TooLarge, q.kind(q.Services.ServiceStorageHolds(ctx, user, false, 1<<18)), "together it is all")
	}
	require.NoError(t, q.Services.ServiceStorageHolds(ctx, other, true, 1<<19))
	require.NoError(t, q.Services.ServiceStorageGone(ctx, one))
	require.NoError(t, q.Services.ServiceStorageHolds(ctx, two, false, 1<<18), "what is deleted makes room")
	require.Equal(t, fault.Denied, q.kind(q.Services.ServiceStorageHolds(ctx, one, true, 1)), "and nothing is written there any more")
}
