package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/messages"
	"xbot/internal/chat"
)

// answered is a whole turn of a message that waits.
func (b *bundle) answered(key chat.SessionKey, turn chat.TurnID) {
	b.t.Helper()
	_, ok, err := b.store.Turns.Claim(b.t.Context(), key, turn, "run", 0)
	require.NoError(b.t, err)
	require.True(b.t, ok)
	_, err = b.store.Turns.FinishTurn(b.t.Context(), key, turn, chat.TurnDone, "")
	require.NoError(b.t, err)
}

func again(key chat.SessionKey, id chat.MessageID) string {
	return path(key, fmt.Sprintf("/messages/%d/again", id))
}

func TestBranches_AMessageIsAskedAgainOnceAndSwitchedBack(t *testing.T) {
	b := setup(t)
	key := b.alice.session("agent:main:web:thread:b").Key
	b.exchange(key, "t1", "hello")
	asked := b.alice.transcript(key).Messages[0]
	require.Empty(t, asked.Branches)

	retry := map[string]any{"client_message_id": "a1"}
	var first, repeated messages.Accepted
	b.alice.post(again(key, asked.ID), retry).is(http.StatusAccepted, &first)
	b.alice.post(again(key, asked.ID), retry).is(http.StatusAccepted, &repeated)
	require.Equal(t, messages.Accepted{ID: first.ID, Duplicate: true}, repeated)
	require.Equal(t, "hello", b.alice.transcript(key).Queued[0].Text)
	require.Len(t, b.alice.transcript(key).Messages, 2, "nothing leaves before its turn")
	b.answered(key, "t2")
	now := b.alice.transcript(key).Messages
	require.Len(t, now, 1)
	require.Equal(t, []chat.MessageID{asked.ID, now[0].ID}, now[0].Branches)

	edit := map[string]any{"client_message_id": "a2", "text": "/help is no command here"}
	b.alice.post(again(key, now[0].ID), edit).is(http.StatusAccepted, nil)
	b.answered(key, "t3")
	now = b.alice.transcript(key).Messages
	require.Equal(t, "/help is no command here", now[0].Content)
	require.Len(t, now[0].Branches, 3)
	b.alice.post(again(key, asked.ID), map[string]any{"client_message_id": "a2", "text": "other"}).problem(http.StatusConflict)

	for range 2 {
		b.alice.put(path(key, "/branch"), map[string]any{"message_id": asked.ID}).is(http.StatusNoContent, nil)
		now = b.alice.transcript(key).Messages
		require.Len(t, now, 2)
		require.Equal(t, asked.ID, now[0].ID)
	}
}

func TestBranches_RefuseWhatIsNotThereOrNotOnesOwn(t *testing.T) {
	b := setup(t)
	key := b.alice.session("agent:main:web:thread:b").Key
	b.exchange(key, "t1", "hello")
	m := b.alice.transcript(key).Messages
	retry := map[string]any{"client_message_id": "a1"}
	b.alice.post(again(key, 999999), retry).problem(http.StatusNotFound)
	b.alice.post(again(key, m[1].ID), retry).problem(http.StatusConflict)
	b.alice.post(again(key, 0), retry).problem(http.StatusUnprocessableEntity)
	b.alice.post(again(key, m[0].ID), map[string]any{}).problem(http.StatusUnprocessableEntity)
	b.alice.post(again(key, m[0].ID), map[string]any{"client_message_id": "a1", "text": strings.Repeat("x", 200_001)}).problem(http.StatusRequestEntityTooLarge)
	b.bob.post(again(key, m[0].ID), retry).problem(http.StatusNotFound)
	b.do(nil, http.MethodPost, again(key, m[0].ID), retry).problem(http.StatusUnauthorized)

	to := func(id chat.MessageID) map[string]any { return map[string]any{"message_id": id} }
	b.alice.put(path(key, "/branch"), to(999999)).problem(http.StatusNotFound)
	b.alice.put(path(key, "/branch"), to(m[1].ID)).problem(http.StatusConflict)
	b.alice.put(path(key, "/branch"), to(0)).problem(http.StatusUnprocessableEntity)
	b.bob.put(path(key, "/branch"), to(m[0].ID)).problem(http.StatusNotFound)
	b.do(nil, http.MethodPut, path(key, "/branch"), to(m[0].ID)).problem(http.StatusUnauthorized)

	own := b.bob.session("agent:main:web:thread:bobs").Key
	b.bob.post(again(own, m[0].ID), retry).problem(http.StatusNotFound)
	b.bob.put(path(own, "/branch"), to(m[0].ID)).problem(http.StatusNotFound)
	require.Empty(t, b.alice.transcript(key).Queued)

	b.alice.say(key, "m2", "more").is(http.StatusAccepted, nil)
	_, _, err := b.store.Turns.Claim(t.Context(), key, "t2", "run", 0)
	require.NoError(t, err)
	require.Contains(t, b.alice.put(path(key, "/branch"), to(m[0].ID)).problem(http.StatusConflict), "being written")
}
