package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/messages"
	"xbot/internal/chat"
)

// exchange is a whole turn of a session: a message and its answer.
func (b *bundle) exchange(key chat.SessionKey, turn chat.TurnID, text string) {
	b.t.Helper()
	b.alice.say(key, "id of "+string(turn), text).is(http.StatusAccepted, nil)
	_, ok, err := b.store.Turns.Claim(b.t.Context(), key, turn, "run", 0)
	require.NoError(b.t, err)
	require.True(b.t, ok)
	step := chat.Step{Session: key, Turn: turn}
	_, _, _, err = b.store.Turns.BeginStep(b.t.Context(), step)
	require.NoError(b.t, err)
	_, err = b.store.Turns.CommitStep(b.t.Context(), step, chat.Answer{
		Text: "answer to " + text, Finish: "stop", Model: "demo/demo", Usage: chat.Usage{PromptTokens: 1000, CachedTokens: 400, CompletionTokens: 50},
	})
	require.NoError(b.t, err)
	_, err = b.store.Turns.FinishTurn(b.t.Context(), key, turn, chat.TurnDone, "")
	require.NoError(b.t, err)
}

func (p *person) transcript(key chat.SessionKey) (t messages.Transcript) {
	p.t.Helper()
	p.get(path(key, "/messages")).is(http.StatusOK, &t)
	return t
}

func TestCommands_AreListedForWhoeverCompletesThem(t *testing.T) {
	b := setup(t)
	var got messages.CommandsBody
	b.bob.get("/api/commands").is(http.StatusOK, &got)
	byName := map[string]messages.Command{}
	for _, c := range got.Commands {
		byName[c.Name] = c
		require.NotEmpty(t, c.Help["en"], c.Name)
		require.NotEmpty(t, c.Help["zh"], c.Name)
		require.NotEqual(t, c.Help["en"], c.Help["zh"], c.Name)
	}
	require.True(t, byName["rewind"].Queued)
	require.Equal(t, "[N|mID]", byName["rewind"].Args)
	require.False(t, byName["help"].Queued)
	require.Contains(t, byName, "stop")
	b.do(nil, http.MethodGet, "/api/commands", nil).problem(http.StatusUnauthorized)
}

func TestRewind_IsQueuedOnceAsACommandOfTheUser(t *testing.T) {
	b := setup(t)
	key := b.alice.session("agent:main:web:thread:r").Key
	b.exchange(key, "t1", "hello")
	asked := b.alice.transcript(key).Messages[0]
	body := map[string]any{"client_message_id": "r1", "message_id": asked.ID}

	var first, again messages.Accepted
	b.alice.post(path(key, "/rewind"), body).is(http.StatusAccepted, &first)
	b.alice.post(path(key, "/rewind"), body).is(http.StatusAccepted, &again)
	require.Equal(t, messages.Accepted{ID: first.ID, Duplicate: true}, again)
	queued := b.alice.transcript(key).Queued
	require.Len(t, queued, 1)
	require.Equal(t, fmt.Sprintf("/rewind m%d", asked.ID), queued[0].Text)

	claimed, _, err := b.store.Turns.Claim(t.Context(), key, "t2", "run", 0)
	require.NoError(t, err)
	require.True(t, claimed.Control)
	require.NoError(t, b.store.Conversations.Rewind(t.Context(), "t2", 0, asked.ID))
	_, err = b.store.Turns.FinishTurn(t.Context(), key, "t2", chat.TurnDone, "")
	require.NoError(t, err)
	require.Len(t, b.alice.transcript(key).Messages, 2, "the command and its answer")
	var all messages.Transcript
	b.alice.get(path(key, "/messages?rewound=true")).is(http.StatusOK, &all)
	require.Len(t, all.Messages, 4)
	require.True(t, all.Messages[0].Rewound)

	b.alice.post(path(key, "/rewind"), body).is(http.StatusAccepted, &again)
	require.True(t, again.Duplicate, "the same request after it was carried out is the same rewind")
	b.alice.post(path(key, "/rewind"), map[string]any{"client_message_id": "r2", "message_id": asked.ID}).problem(http.StatusConflict)
}

func TestRewind_RefusesWhatIsNotThereOrNotOnesOwn(t *testing.T) {
	b := setup(t)
	key := b.alice.session("agent:main:web:thread:r").Key
	b.exchange(key, "t1", "hello")
	messages := b.alice.transcript(key).Messages
	at := func(id chat.MessageID) map[string]any {
		return map[string]any{"client_message_id": "r1", "message_id": id}
	}
	b.alice.post(path(key, "/rewind"), at(999999)).problem(http.StatusNotFound)
	b.alice.post(path(key, "/rewind"), at(messages[1].ID)).problem(http.StatusConflict)
	b.alice.post(path(key, "/rewind"), at(0)).problem(http.StatusUnprocessableEntity)
	b.bob.post(path(key, "/rewind"), at(messages[0].ID)).problem(http.StatusNotFound)
	b.do(nil, http.MethodPost, path(key, "/rewind"), at(messages[0].ID)).problem(http.StatusUnauthorized)
	require.Empty(t, b.alice.transcript(key).Queued)
}

func TestFork_MakesASessionOfTheSamePerson(t *testing.T) {
	b := setup(t)
	key := b.alice.session("agent:main:cli:thread:f").Key
	b.exchange(key, "t1", "hello")
	b.exchange(key, "t2", "more")
	first := b.alice.transcript(key).Messages[0]

	var whole, part chat.Session
	b.alice.post(path(key, "/fork"), map[string]any{}).is(http.StatusCreated, &whole)
	require.Equal(t, key, whole.ForkOf)
	require.Equal(t, "hello (fork)", whole.Title)
	require.Equal(t, "cli", whole.Channel)
	require.Len(t, b.alice.transcript(whole.Key).Messages, 4)
	b.alice.post(path(key, "/fork"), map[string]any{"message_id": first.ID}).is(http.StatusCreated, &part)
	require.Len(t, b.alice.transcript(part.Key).Messages, 2)
	require.NotEqual(t, whole.Key, part.Key)
	b.bob.get(path(whole.Key, "")).problem(http.StatusNotFound)

	b.alice.post(path(key, "/fork"), map[string]any{"message_id": 999999}).problem(http.StatusNotFound)
	b.bob.post(path(key, "/fork"), map[string]any{}).problem(http.StatusNotFound)
}

func TestFork_AsACommandAnswersWithTheNewSession(t *testing.T) {
	b := setup(t)
	key := b.alice.session("agent:main:web:thread:f").Key
	b.exchange(key, "t1", "hello")
	b.exchange(key, "t2", "more")
	for range 2 {
		b.alice.say(key, "f1", "/fork 1").is(http.StatusAccepted, nil)
	}
	var list sessionList
	b.alice.get("/api/sessions?q=fork").is(http.StatusOK, &list)
	require.Len(t, list.Sessions, 1, "sent twice it is one fork")
	require.Len(t, b.alice.transcript(list.Sessions[0].Key).Messages, 2)
	messages := b.alice.transcript(key).Messages
	require.Contains(t, messages[len(messages)-1].Content, string(list.Sessions[0].Key))

	b.alice.say(key, "f2", "/fork 7").is(http.StatusAccepted, nil)
	b.alice.say(key, "f3", "/fork over there").is(http.StatusAccepted, nil)
	messages = b.alice.transcript(key).Messages
	require.Contains(t, messages[len(messages)-3].Content, "only 2")
	require.Contains(t, messages[len(messages)-1].Content, "/fork m12")
}

func TestCompact_IsQueuedAsACommandWithItsFocus(t *testing.T) {
	b := setup(t)
	key := b.alice.session("agent:main:web:thread:c").Key
	b.exchange(key, "t1", "hello")
	b.alice.post(path(key, "/compact"), map[string]any{"client_message_id": "c1", "focus": "the ports"}).is(http.StatusAccepted, nil)
	queued := b.alice.transcript(key).Queued
	require.Len(t, queued, 1)
	require.Equal(t, "/compact the ports", queued[0].Text)
	claimed, _, err := b.store.Turns.Claim(t.Context(), key, "t2", "run", 0)
	require.NoError(t, err)
	require.True(t, claimed.Control)
}
