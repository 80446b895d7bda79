package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/llm/llmtest"
)

// inForce sets the policy of the server.
func (s *server) inForce(text string) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "policy.json5")
	require.NoError(s.t, os.WriteFile(file, []byte(text), 0o600))
	require.Contains(s.t, s.operated("policy", "set", file), "is in force.")
}

// replied sends a message, waits for the end of its turn and returns the request that the model got last.
func (k *talk) replied(lines ...string) llmtest.Request {
	k.t.Helper()
	require.Equal(k.t, chat.TurnDone, k.untilEnded(time.Minute, k.send(lines...)).State)
	requests := k.model.Requests()
	return requests[len(requests)-1]
}

func TestModel_ChosenInTheMiddleOfAConversationAnswersFromTheNextTurnOn(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.inForce(`{models: [{id: "openai/small", alias: ["fast"]}]}`)
	k := s.newTalk()
	require.Equal(t, "scripted", k.replied("say one").Model)
	k.untilEnded(time.Minute, k.send("/model fast"))
	require.Eventually(t, func() bool {
		got, err := s.client.GetSession(t.Context(), k.key)
		return err == nil && got.Model == "openai/small"
	}, time.Minute, 50*time.Millisecond)
	second := k.replied("say two")
	require.Equal(t, "small", second.Model)
	require.Contains(t, string(second.Raw), "say one", "the conversation goes on")
	require.Equal(t, "openai/small", k.lastModel())
	k.untilEnded(time.Minute, k.send("/model default"))
	require.Equal(t, "scripted", k.replied("say three").Model)
}

func TestThink_OfAMessageHoldsForThatMessageAlone(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	require.Contains(t, string(k.replied("/think high say why").Raw), `"reasoning_effort":"high"`)
	require.NotContains(t, string(k.replied("say and now").Raw), "reasoning_effort")
	k.send("/think low")
	require.Contains(t, string(k.replied("say still").Raw), `"reasoning_effort":"low"`)
}

func TestAgents_DifferInModelPromptToolsMemoryAndFolder(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	folder := filepath.Join(s.home, "clerk")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	s.inForce(`{
		models: [{id: "openai/small"}],
		agents: {list: [{id: "main", default: true}, {id: "clerk", model: "openai/small", prompt: "Answer like a clerk.", workspace: "` + folder + `",
			tools: {allow: ["memory_*", "Shell"]}}]},
	}`)
	talkTo := func(agent string) *talk {
		got, err := s.client.CreateSession(t.Context(), apiclient.NewSession{Agent: agent})
		require.NoError(t, err)
		require.Equal(t, agent, got.Agent)
		return &talk{server: s, key: got.Key}
	}
	names := func(r llmtest.Request) (out []string) {
		for _, tool := range r.Tools {
			out = append(out, tool.Name)
		}
		return out
	}
	clerk, usual := talkTo("clerk"), talkTo("main")
	asked := clerk.replied(`call memory_write {"path":"secret.md","content":"the clerk knows"}`, `call Shell {"command":"pwd"}`, "say done")
	require.Equal(t, "small", asked.Model)
	require.Contains(t, asked.System, "Answer like a clerk.")
	require.ElementsMatch(t, []string{"Shell", "memory_list", "memory_write"}, names(asked))
	require.Contains(t, string(asked.Raw), folder)

	plain := usual.replied("say hi")
	require.Equal(t, "scripted", plain.Model)
	require.NotContains(t, plain.System, "clerk")
	require.Contains(t, names(plain), "Read")
	require.Contains(t, talkTo("clerk").replied("say hi").System, "the clerk knows", "a memory of its own")
	require.NotContains(t, talkTo("main").replied("say hi").System, "the clerk knows")
}

func TestSilence_LeavesNoByteInTheEventStream(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.inForce(`{channels: {web: {soul: "---\noutput_contract: {suppress_token: 'QUIETLYQUIET'}\n---\nSay little."}}}`)
	k := s.newTalk()
	first := k.send("reply with the token", "say QUIETLYQUIET", "stream 12 30ms")
	// what the person wrote holds the token: only what came from the model counts
	var leaked []string
	var turn chat.TurnID
	k.until(time.Minute, "the end of the turn", func(e chat.Event) bool {
		switch e.Kind {
		case chat.EventDelta:
			leaked = append(leaked, string(e.Data))
		case chat.EventMessage:
			if m := decode[chat.Message](t, e); m.Role == chat.RoleUser && m.Inbox == first {
				turn = m.Turn
			} else if strings.Contains(string(e.Data), "QUIET") {
				leaked = append(leaked, string(e.Data))
			}
		case chat.EventTurn:
			ended := decode[chat.Turn](t, e)
			return ended.ID == turn && ended.State == chat.TurnDone
		}
		return false
	})
	require.Empty(t, leaked)
	messages := k.transcript().Messages
	last := messages[len(messages)-1]
	require.True(t, last.Silent)
	require.Empty(t, last.Content)
}
