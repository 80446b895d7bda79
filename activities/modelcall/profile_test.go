package modelcall_test

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities"
	"xbot/activities/activitiestest"
	"xbot/activities/modelcall"
	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/internal/tool"
	"xbot/internal/tool/memory"
	"xbot/internal/tool/tooltest"
	"xbot/internal/turn/agentprofile"
	"xbot/internal/turn/policy"
)

// answeredBy puts a policy in force, for a model with everything that it asks of who answers.
func (b *fixture) answeredBy(home, text string) {
	b.T.Helper()
	_, _, err := policy.Parse([]byte(text))
	require.NoError(b.T, err)
	s, owner, err := b.Conversations.Session(b.T.Context(), activitiestest.Key)
	require.NoError(b.T, err)
	require.Equal(b.T, "main", s.Agent)
	_, err = b.Settings.SetPolicy(b.T.Context(), owner, []byte(text))
	require.NoError(b.T, err)
	book := &agentprofile.Resolver{Subagents: b.Store.Agents, Settings: b.Store.Settings, Policies: &policy.Live{Services: b.Store.Services, Settings: b.Store.Settings}, Home: home, Log: slog.New(slog.DiscardHandler)}
	b.Model.Profiles, b.Intake.Profiles = book, book
	b.Catalog.Profiles = book
}

func TestGenerate_SilenceLeavesNothingInTheStream(t *testing.T) {
	for _, word := range []string{"[[SILENT]]", "no_reply"} {
		t.Run(word, func(t *testing.T) {
			b := setup(t, "say <will>3</will>"+word, "chunks 7")
			b.answeredBy("", `{"channels": {"web": {"soul": "---\noutput_contract: {hidden_tags: [will], suppress_token: '[[SILENT]]'}\n---\n"}}}`)
			live := b.Bus.Subscribe(activitiestest.Key)
			defer live.Close()
			_, err := b.Generate(t.Context(), 0)
			require.NoError(t, err)
			m := b.LastMessage()
			require.True(t, m.Silent)
			require.Empty(t, m.Content)
			for _, e := range b.EventsOf(chat.EventMessage) {
				var seen chat.Message
				require.NoError(t, json.Unmarshal(e.Data, &seen))
				require.False(t, seen.Role == chat.RoleAssistant && seen.Content != "", "%s", e.Data)
			}
			for len(live.Live()) > 0 {
				e := <-live.Live()
				require.False(t, e.Kind == chat.EventDelta && strings.Contains(string(e.Data), `"text"`), "%s", e.Data)
			}
			w, err := b.Conversations.Window(t.Context(), activitiestest.Key)
			require.NoError(t, err)
			require.Equal(t, "<will>3</will>"+word, w.Lines[len(w.Lines)-1].Message.Content, "the model knows what it said")
		})
	}
}

func TestGenerate_PeopleSeeAnAnswerWithoutItsHiddenParts(t *testing.T) {
	b := setup(t, "say <will>80</will>Hello <motion>nods</motion>there", "chunks 9")
	b.answeredBy("", `{"channels": {"web": {"soul": "---\noutput_contract: {reply_will_tag: will, motion_tag: motion}\n---\n"}}}`)
	_, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, "Hello there", b.LastMessage().Content)
	require.False(t, b.LastMessage().Silent)
	w, err := b.Conversations.Window(t.Context(), activitiestest.Key)
	require.NoError(t, err)
	require.Contains(t, w.Lines[len(w.Lines)-1].Message.Content, "<will>80</will>")
}

func TestGenerate_AnAgentHasTheToolsThatThePolicyGivesIt(t *testing.T) {
	b := setup(t, `call Shell {"command":"echo ran >> ran"}`, "say done")
	b.answeredBy("", `{"agents": {"list": [{"id": "main", "tools": {"allow": ["Sh*", "Read"], "deny": ["shell"]}}]}}`)
	b.AskForCalls()
	require.Len(t, b.Server.Requests()[0].Tools, 1)
	require.Equal(t, "Read", b.Server.Requests()[0].Tools[0].Name)
	_, err := b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	require.Contains(t, b.ResultOf(0).Result, `there is no tool named "Shell"`)
}

func TestClaim_NotesThatTheSendPolicyKeepsAnswersFromTheChannel(t *testing.T) {
	b := setup(t, "say hello")
	b.answeredBy("", `{"session": {"sendPolicy": {"rules": [{"action": "deny", "match": {"channel": "web"}}]}}}`)
	var claimed turn.ClaimOutput
	require.NoError(t, b.Run(t.Context(), activities.NameClaim, turn.ClaimInput{Session: activitiestest.Key, Turn: activitiestest.Turn, Run: "run"}, &claimed))
	_, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, "hello", b.LastMessage().Content, "it blocks delivery and not the turn")
	require.True(t, b.LastMessage().Undelivered)
	require.False(t, b.Transcript()[0].Undelivered, "what a person wrote was not to be delivered")
}

func TestSystemPrompt_HoldsTheAgentsPartAndTheSoulOfNewChats(t *testing.T) {
	b := setup(t, "say hi")
	home := t.TempDir()
	soulFile := filepath.Join(home, "SOUL.md")
	require.NoError(t, os.WriteFile(soulFile, []byte("You are a librarian."), 0o600))
	b.answeredBy(home, `{"agents": {"list": [{"id": "main", "name": "Iris", "prompt": "Speak of books."}]}, "channels": {"web": {"soul": "SOUL.md"}}}`)
	prompts := b.personal(home)
	first, _, err := prompts.System(t.Context(), chat.Step{Session: activitiestest.Key, Turn: activitiestest.Turn})
	require.NoError(t, err)
	for _, part := range []string{`"Iris"`, "Speak of books.", "You are a librarian."} {
		require.Contains(t, first, part)
	}
	require.NoError(t, os.WriteFile(soulFile, []byte("You are a pirate."), 0o600))
	second, _, err := b.personal(home).System(t.Context(), b.next("2"))
	require.NoError(t, err)
	require.Equal(t, first, second, "a conversation keeps the soul that it began with")
}

// personal are the prompts of a process that has just begun and knows who answers.
func (b *fixture) personal(home string) *modelcall.SystemPrompts {
	p := b.prompts(home)
	p.Pipeline = b.pipelineOf(home, b.Model.Profiles)
	return p
}

func TestMemory_IsTheAgentsOwnUnlessItIsShared(t *testing.T) {
	b := setup(t, "say hi")
	b.answeredBy("", `{"agents": {"list": [{"id": "main", "default": true}, {"id": "clerk"}, {"id": "twin", "memory": "shared"}]}}`)
	s, owner, err := b.Conversations.Session(t.Context(), activitiestest.Key)
	require.NoError(t, err)
	notes := agentprofile.Notes{Store: b.Store.Memory, Profiles: b.Model.Profiles.(*agentprofile.Resolver)}
	run := func(agent string, of tool.Tool, arguments string) string {
		session := chat.SessionKey(strings.Replace(string(s.Key), "main", agent, 1))
		b.sessionOf(session, owner, agent)
		call := tooltest.New(t).Call("turn.0.0", arguments)
		call.Session, call.User = session, owner
		result, err := of.Run(t.Context(), call)
		require.NoError(t, err)
		return result.Content
	}
	for _, agent := range []string{"main", "clerk"} {
		run(agent, memory.NewWrite(notes), `{"path":"of.md","content":"written by `+agent+`"}`)
	}
	for agent, want := range map[string]string{"main": "main", "clerk": "clerk", "twin": "main"} {
		require.Equal(t, "written by "+want, run(agent, memory.NewList(notes, b.Store.Turns), `{"path":"of.md"}`), agent)
	}
}
