package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/turn/contextview"
	"xbot/internal/turn/prompt"
)

const systemText = "You are of use.\n\n# Project\nBuild with make."

// ask is a whole turn with the request that a worker would make for it.
func (b *bundle) ask(key chat.SessionKey, turn chat.TurnID, text, answer string) (sent llm.Request) {
	b.t.Helper()
	ctx := b.t.Context()
	b.alice.say(key, "id of "+string(turn), text).is(http.StatusAccepted, nil)
	_, ok, err := b.store.Turns.Claim(ctx, key, turn, "run", 0)
	require.NoError(b.t, err)
	require.True(b.t, ok)
	step := chat.Step{Session: key, Turn: turn}
	_, _, _, err = b.store.Turns.BeginStep(ctx, step)
	require.NoError(b.t, err)
	w, err := b.store.Conversations.Window(ctx, key)
	require.NoError(b.t, err)
	tools := []llm.Tool{{Name: "Shell", Description: "runs a command", Parameters: json.RawMessage(`{"type":"object"}`)}}
	what := chat.Sent{ControlUpto: w.Upto, MessageUpto: w.Last(), Reminder: "One thing is open."}
	sent = prompt.Compose(systemText, tools, w, what)
	what.Hash, what.Bytes = prompt.Digest(sent)
	what.Tokens = 90
	_, err = b.store.Turns.CommitStep(ctx, step, chat.Answer{
		Text: answer, Finish: "stop", Model: "demo/demo", Usage: chat.Usage{PromptTokens: 100, CompletionTokens: 7}, Prompt: prompt.Static(sent), Sent: what,
	})
	require.NoError(b.t, err)
	_, err = b.store.Turns.FinishTurn(ctx, key, turn, chat.TurnDone, "")
	require.NoError(b.t, err)
	return sent
}

func (p *person) context(key chat.SessionKey) (got contextview.Context) {
	p.t.Helper()
	p.get(path(key, "/context")).is(http.StatusOK, &got)
	return got
}

func TestContext_TellsHowFullItIsAndWithWhat(t *testing.T) {
	b := setup(t)
	key := b.alice.session("agent:main:web:thread:x").Key
	empty := b.alice.context(key)
	require.Equal(t, "demo/demo", empty.Model)
	require.Equal(t, "default", empty.Mode)
	require.Equal(t, 200_000, empty.MaxContext)
	require.Equal(t, 120_000, empty.MaskAt)
	require.Equal(t, 150_000, empty.CompressAt)
	require.Zero(t, empty.Used)

	b.ask(key, "t1", "hello", "hi")
	got := b.alice.context(key)
	require.Equal(t, 107, got.Used)
	require.Equal(t, "provider", got.Source)
	require.Equal(t, []contextview.ContextPart{{Key: "system", Bytes: len(systemText), Tokens: got.Parts[0].Tokens}}, got.Parts)
	require.Equal(t, 1, got.Tools.Count)
	require.Positive(t, got.Tools.Tokens)
	require.Equal(t, 1, got.Messages.User.Count)
	require.Equal(t, 1, got.Messages.Assistant.Count)
	require.Zero(t, got.Messages.Tool.Count)

	asked := b.alice.transcript(key).Messages[0].ID
	_, _, err := b.store.Conversations.AddControl(t.Context(), key, chat.Control{Kind: chat.ControlEdit, Message: asked, Edit: &chat.Edit{Action: chat.EditDelete, Message: asked}})
	require.NoError(t, err)
	_, _, err = b.store.Conversations.AddControl(t.Context(), key, chat.Control{Kind: chat.ControlCompact, Message: asked, Compaction: &chat.Compaction{
		Summary: "short", Trigger: chat.TriggerManual, Method: chat.CompactedByModel, TokensBefore: 152_000, TokensAfter: 11_000,
	}})
	require.NoError(t, err)
	got = b.alice.context(key)
	require.Equal(t, "estimate", got.Source, "what is shown has changed since the provider counted")
	require.Positive(t, got.Used)
	require.Equal(t, 1, got.Edits)
	require.Len(t, got.Compactions, 1)
	require.Equal(t, "short", got.Compactions[0].Summary)
	require.False(t, got.Compactions[0].Active, "nothing begins with it")
}

func TestContext_ShowsTheRequestOfAStepAsItWas(t *testing.T) {
	b := setup(t)
	key := b.alice.session("agent:main:web:thread:x").Key
	sent := b.ask(key, "t1", "hello", "hi")
	b.ask(key, "t2", "more", "well")
	at := func(turn string, step int) string {
		return path(key, fmt.Sprint("/turns/", turn, "/steps/", step, "/request"))
	}

	var got contextview.SentRequest
	b.alice.get(at("t1", 0)).is(http.StatusOK, &got)
	require.True(t, got.Exact)
	require.Equal(t, systemText, got.System)
	require.Equal(t, []contextview.SentTool{{Name: "Shell", Description: "runs a command", Parameters: `{"type":"object"}`}}, got.Tools)
	require.Equal(t, []contextview.SentMessage{{Role: "user", Content: sent.Messages[0].Content}}, got.Messages)
	require.Equal(t, "One thing is open.", got.Reminder)
	require.Equal(t, 90, got.EstimatedTokens)
	require.Equal(t, 100, got.PromptTokens)
	require.Len(t, got.Hash, 64)

	b.alice.get(at("t1", 1)).problem(http.StatusNotFound)
	b.alice.get(at("none", 0)).problem(http.StatusNotFound)
	b.bob.get(at("t1", 0)).problem(http.StatusNotFound)
	other := b.alice.session("agent:main:web:thread:y").Key
	b.alice.get(path(other, "/turns/t1/steps/0/request")).problem(http.StatusNotFound)

	var fork chat.Session
	b.alice.post(path(key, "/fork"), map[string]any{}).is(http.StatusCreated, &fork)
	var turns struct{ Turns []chat.Turn }
	b.alice.get(path(fork.Key, "/turns")).is(http.StatusOK, &turns)
	b.alice.get(path(fork.Key, "/turns/"+string(turns.Turns[0].ID)+"/steps/0/request")).is(http.StatusOK, &got)
	require.True(t, got.Exact, "without calls the copy sends the same")
	require.Len(t, got.Messages, 3)
}

func TestContext_ModeIsOfTheSession(t *testing.T) {
	b := setup(t)
	key := b.alice.session("agent:main:web:thread:x").Key
	var got contextview.Context
	b.do(b.alice, http.MethodPut, path(key, "/context"), map[string]string{"mode": "none"}).is(http.StatusOK, &got)
	require.Equal(t, "none", got.Mode)
	var s chat.Session
	b.alice.get(path(key, "")).is(http.StatusOK, &s)
	require.Equal(t, "none", s.ContextMode)
	b.do(b.alice, http.MethodPut, path(key, "/context"), map[string]string{"mode": "some"}).problem(http.StatusUnprocessableEntity)

	b.alice.say(key, "c1", "/context mode default").is(http.StatusAccepted, nil)
	require.Equal(t, "default", b.alice.context(key).Mode)
	b.alice.say(key, "c2", "/context mode some").is(http.StatusAccepted, nil)
	b.alice.say(key, "c3", "/context what").is(http.StatusAccepted, nil)
	messages := b.alice.transcript(key).Messages
	require.Contains(t, messages[3].Content, "`/context mode default`")
	require.Contains(t, messages[5].Content, "/context mode none")
}

func TestContext_AsACommandNamesEveryPartAndWhatWasSent(t *testing.T) {
	b := setup(t)
	key := b.alice.session("agent:main:web:thread:x").Key
	answer := func(id, text string) string {
		b.alice.say(key, id, text).is(http.StatusAccepted, nil)
		m := b.alice.transcript(key).Messages
		return m[len(m)-1].Content
	}
	for i, text := range []string{"/context", "/context list", "/context detail"} {
		require.Contains(t, answer(fmt.Sprintf("none%d", i), text), "has not been called in this conversation yet", text)
	}
	b.ask(key, "t1", "hello | there", "hi")

	short := answer("c1", "/context")
	require.Contains(t, short, "**107 of 200 k tokens (0 %)**, as the provider counted · `demo/demo`")
	require.Contains(t, short, "| messages of people: 1 | ")
	require.NotContains(t, short, "`Shell`")
	whole := answer("c2", "/context list")
	require.Contains(t, whole, fmt.Sprintf("| system prompt · `system` | %d B | ", len(systemText)))
	require.Contains(t, whole, "| · `Shell` | ")
	detail := answer("c3", "/context detail")
	require.Contains(t, detail, "step 0 of turn `t1`")
	require.Contains(t, detail, "Expected 90 tokens; the provider counted 100.")
	require.Contains(t, detail, "the same byte for byte")
	require.Contains(t, detail, "> One thing is open.")
	require.Contains(t, detail, "/turns/t1/steps/0/request")
	require.Contains(t, detail, `hello \| there`)
	require.Contains(t, answer("c4", "/context list 请"), "用法", "in the language of the question")
	require.Contains(t, answer("c5", "/context mode 无"), "用法")
}
