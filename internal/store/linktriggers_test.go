package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/trigger/triggerstore"
	"xbot/internal/chat"
	"xbot/internal/user/users"
)

// trigger keeps a trigger; session empty: it calls a conversation of its own.
func (b *bundle) trigger(owner users.User, id, name string, key, answerIn chat.SessionKey) {
	b.t.Helper()
	if key == "" {
		key = chat.SessionKey("hook:" + id)
	}
	_, err := b.Triggers.AddTrigger(b.t.Context(), triggerstore.OwnedTrigger{
		Owner: owner.ID, Secret: []byte("sealed"),
		Trigger: chat.Trigger{ID: id, TriggerDraft: chat.TriggerDraft{Name: name, Source: chat.TriggerGeneric, Session: key, AnswerIn: answerIn, PerMinute: 60}},
	})
	require.NoError(b.t, err)
}

func (b *bundle) triggersOf(user users.User) map[string]string {
	b.t.Helper()
	all, err := b.Triggers.Triggers(b.t.Context(), user.ID)
	require.NoError(b.t, err)
	out := map[string]string{}
	for _, t := range all {
		out[t.ID] = t.Name
	}
	return out
}

func TestLink_TriggersGoWhereTheirConversationsGo(t *testing.T) {
	b := setup(t)
	one, oneKey := b.met("feishu", "ou_1")
	two, twoKey := b.met("qq", "u2")
	third, err := b.Users.Person(t.Context(), "qq", "", "u3", "")
	require.NoError(t, err)
	b.trigger(one, "first", "ci", oneKey, "")
	b.trigger(two, "calls", "ci", twoKey, "")
	b.trigger(two, "answers", "build", "", twoKey)
	b.trigger(two, "alone", "alone", "", "")
	b.trigger(third, "others", "ci", "", "")
	call := func(id, key string) error {
		_, err := b.Triggers.CallTrigger(t.Context(), triggerstore.Delivery{Trigger: id, Key: key, Bytes: 2, Text: "[hook called]"})
		return err
	}
	require.NoError(t, call("calls", "d-1"))
	require.NoError(t, call("answers", "d-1"))

	b.link(one, two, "qq", "u2")
	require.Equal(t, map[string]string{"first": "ci", "calls": "ci calls", "answers": "build"}, b.triggersOf(one), "no name is there twice")
	require.Equal(t, map[string]string{"alone": "alone"}, b.triggersOf(two), "what belongs to no conversation that moved stays")
	require.Equal(t, map[string]string{"others": "ci"}, b.triggersOf(third))
	require.Equal(t, one.ID, b.owner("hook:answers"), "the conversation of its own comes along")
	for _, id := range []string{"calls", "answers", "first"} {
		require.NoError(t, call(id, "d-2"), id)
	}
	called, err := b.Triggers.CallTrigger(t.Context(), triggerstore.Delivery{Trigger: "calls", Key: "d-1", Bytes: 2, Text: "[hook called]"})
	require.NoError(t, err)
	require.True(t, called.Duplicate, "a delivery from before the link is known")
	fires, err := b.Triggers.TriggerFires(t.Context(), one.ID, "calls", 10)
	require.NoError(t, err)
	require.Len(t, fires, 2)
	_, err = b.Triggers.TriggerFires(t.Context(), two.ID, "calls", 10)
	require.Error(t, err)
}
