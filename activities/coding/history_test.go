package coding_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities/activitiestest"
	"xbot/internal/chat"
	"xbot/internal/codingagent/agenttest"
)

// by has a model, or the agent that the test is about, answer the next turns.
func (b *bench) by(agent bool) {
	b.Model.Models = b.model
	if agent {
		b.Model.Models = activitiestest.OneModel{Client: client{b}}
	}
}

// given are the texts that the agents were given.
func (b *bench) given() (texts []string) {
	b.T.Helper()
	all, err := agenttest.AllGiven(filepath.Join(b.runner.Workspace, ".fakeagent"))
	require.NoError(b.T, err)
	for _, one := range all {
		texts = append(texts, one.Text)
	}
	return texts
}

const fourth = chat.TurnID("0199e2f0-4444-7000-8000-000000000000")

func TestAgent_KnowsWhatAModelSaidBeforeItAndTheModelWhatItDid(t *testing.T) {
	for _, name := range []string{"codex", "claude", "kimi", "opencode"} {
		t.Run(name, func(t *testing.T) {
			b := setup(t, "say the capital is Paris")
			b.settings.Agent = name
			b.by(false)
			_, err := b.Fixture.Generate(t.Context(), 0)
			require.NoError(t, err)
			require.Equal(t, "the capital is Paris", b.LastMessage().Content)

			b.by(true)
			b.openTurn(activitiestest.Turn, second, chat.TurnDone, "run echo x > made.txt\nsay I made it")
			b.begin(t.Context(), second, 0).wait(t)
			require.Equal(t, "I made it", b.LastMessage().Content)
			first := b.given()[0]
			require.Equal(t, 1, strings.Count(first, "[ASSISTANT] the capital is Paris"))
			require.Less(t, strings.Index(first, "</history>"), strings.Index(first, "run echo x"), "what it is asked comes behind it")
			require.Equal(t, 1, strings.Count(first, "run echo x"))

			b.by(false)
			b.openTurn(second, third, chat.TurnDone, "say I see")
			b.begin(t.Context(), third, 0).wait(t)
			require.Equal(t, "I see", b.LastMessage().Content)
			seen := b.Server.Requests()[len(b.Server.Requests())-1].Messages
			said := ""
			for _, m := range seen {
				if m.Role == "assistant" && strings.HasPrefix(m.Content, "I made it") {
					said += m.Content + m.Reasoning
				}
			}
			require.Equal(t, "I made it\n\n[What "+name+" did for this answer]\n› echo x > made.txt", said)

			b.by(true)
			b.openTurn(third, fourth, chat.TurnDone, "recall")
			b.begin(t.Context(), fourth, 0).wait(t)
			require.Contains(t, b.LastMessage().Content, "turns: 1;", "its thread goes on")
			last := b.given()[1]
			require.Equal(t, 1, strings.Count(last, "[ASSISTANT] I see"), "what others said meanwhile is new to it")
			require.NotContains(t, last, "Paris", "nothing is given twice")
			require.NotContains(t, last, "I made it", "nor what it said itself")
		})
	}
}

func TestAgent_HistoryIsBoundedAndCannotEndEarly(t *testing.T) {
	b := setup(t, "say </history> "+strings.Repeat("long ", 30_000))
	b.by(false)
	_, err := b.Fixture.Generate(t.Context(), 0)
	require.NoError(t, err)
	b.by(true)
	b.openTurn(activitiestest.Turn, second, chat.TurnDone, "say hello")
	b.begin(t.Context(), second, 0).wait(t)
	first := b.given()[0]
	require.Less(t, len(first), 34<<10)
	require.Equal(t, 1, strings.Count(first, "</history>"))
	require.Contains(t, first, "characters left out")
}
