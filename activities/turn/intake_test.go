package turn_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities"
	"xbot/activities/activitiestest"
	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/llm"
	conversationrows "xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/slashcommand"
	slashcontext "xbot/slash/context"
	"xbot/slash/conversation"
)

func TestClaim_RepeatedFindsItsOwnAndTellsTheSettings(t *testing.T) {
	b := setup(t, "say something rather long, longer than a summary may be", "and more")
	in := turn.ClaimInput{Session: activitiestest.Key, Turn: activitiestest.Turn, Run: "run"}
	var out turn.ClaimOutput
	require.NoError(t, b.Run(t.Context(), activities.NameClaim, in, &out))
	require.Equal(t, "web", out.Channel)
	require.Equal(t, "alice", out.User)
	require.Equal(t, "openai/scripted", out.Model)
	require.Equal(t, 7, out.MaxSteps)
	require.Equal(t, `"say something rather long, longer than …"`, out.Words)
	require.Len(t, b.Transcript(), 1)

	b.Intake.Words = false
	require.NoError(t, b.Run(t.Context(), activities.NameClaim, in, &out))
	var silent turn.ClaimOutput
	require.NoError(t, b.Run(t.Context(), activities.NameClaim, in, &silent))
	require.Empty(t, silent.Words, "no word of a message stands in a history")
}

func TestClaim_OfAnEmptyInboxClaimsNothing(t *testing.T) {
	b := setup(t, "say x")
	require.NoError(t, b.Run(t.Context(), activities.NameFinish, turn.FinishInput{Session: activitiestest.Key, Turn: activitiestest.Turn, State: chat.TurnDone}, nil))
	var out turn.ClaimOutput
	require.NoError(t, b.Run(t.Context(), activities.NameClaim, turn.ClaimInput{Session: activitiestest.Key, Turn: "next", Run: "run"}, &out))
	require.Equal(t, turn.ClaimOutput{}, out)
}

func TestPeek_SeesTheStopOfItsOwnTurn(t *testing.T) {
	b := setup(t, "say x")
	peek := func(id chat.TurnID) bool {
		var out turn.PeekOutput
		require.NoError(t, b.Run(t.Context(), activities.NamePeek, turn.PeekInput{Session: activitiestest.Key, Turn: id}, &out))
		return out.Stop
	}
	require.False(t, peek(activitiestest.Turn))
	user, err := b.Users.UserByName(t.Context(), "alice")
	require.NoError(t, err)
	_, err = b.Turns.Stop(t.Context(), engine.NewRow{Session: activitiestest.Key, User: user.ID, Channel: "web", PlatformID: "s1"}, i18n.English)
	require.NoError(t, err)
	require.True(t, peek(activitiestest.Turn))
	const other = chat.SessionKey("agent:main:web:thread:other")
	_, err = b.Conversations.CreateSession(t.Context(), conversationrows.NewSession{Key: other, Owner: user.ID, Channel: "web"})
	require.NoError(t, err)
	_, err = b.Turns.Accept(t.Context(), engine.NewRow{Session: other, User: user.ID, Channel: "web", PlatformID: "m9", Text: "go"})
	require.NoError(t, err)
	_, _, err = b.Turns.Claim(t.Context(), other, "another", "run", 0)
	require.NoError(t, err)
	require.False(t, peek("another"))
	require.True(t, peek("gone"), "a turn that was deleted ends")
}

func TestFinish_TellsThePersonOnceAndForgetsWhatWasLive(t *testing.T) {
	b := setup(t, "say x")
	b.Bus.PublishDelta(activitiestest.Key, chat.Delta{Turn: activitiestest.Turn, Attempt: 1, Text: "half an answer"})
	user, err := b.Users.UserByName(t.Context(), "alice")
	require.NoError(t, err)
	_, err = b.Turns.Accept(t.Context(), engine.NewRow{Session: activitiestest.Key, User: user.ID, Channel: "web", PlatformID: "m2", Text: "next"})
	require.NoError(t, err)
	for range 2 {
		var out turn.FinishOutput
		in := turn.FinishInput{Session: activitiestest.Key, Turn: activitiestest.Turn, State: chat.TurnFailed, Say: i18n.StepLimit, Steps: 7}
		require.NoError(t, b.Run(t.Context(), activities.NameFinish, in, &out))
		require.True(t, out.Pending, "another message waits")
	}
	require.Len(t, b.Transcript(), 2)
	require.Equal(t, i18n.Say(i18n.English, i18n.StepLimit, 7), b.LastMessage().Content)
	late := b.Bus.Subscribe(activitiestest.Key)
	defer late.Close()
	require.Empty(t, late.Live())
}

// named is a model of any name.
type named struct {
	llm.Client
	name string
}

func (n named) Model() string { return n.name }

func TestClaim_ShortensTheNameOfAModelToWhatASearchAttributeHolds(t *testing.T) {
	b := setup(t, "say hi")
	b.Intake.Models = activitiestest.OneModel{Client: named{name: "openai/" + strings.Repeat("模", 20_000)}}
	var out turn.ClaimOutput
	require.NoError(t, b.Run(t.Context(), activities.NameClaim, turn.ClaimInput{Session: activitiestest.Key, Turn: activitiestest.Turn, Run: "run"}, &out))
	require.True(t, out.Claimed)
	require.LessOrEqual(t, len(out.Model), 255)
	require.True(t, strings.HasPrefix(out.Model, "openai/模"))
}

func TestClaim_NamesACommandWhateverNameItWasWrittenWith(t *testing.T) {
	b := setup(t, "say x")
	b.Intake.Commands = slashcommand.NewRegistry(nil, slashcontext.Compact{}, conversation.Rewind{})
	require.NoError(t, b.Run(t.Context(), activities.NameFinish, turn.FinishInput{Session: activitiestest.Key, Turn: activitiestest.Turn, State: chat.TurnDone}, nil))
	for i, text := range []string{"/compact the ports", "/COMPRESS", "/rewind 2"} {
		_, user, err := b.Conversations.Session(t.Context(), activitiestest.Key)
		require.NoError(t, err)
		_, err = b.Turns.Accept(t.Context(), engine.NewRow{Session: activitiestest.Key, User: user, Channel: "web", PlatformID: text, Text: text, Control: true})
		require.NoError(t, err)
		var out turn.ClaimOutput
		next := chat.TurnID(text)
		require.NoError(t, b.Run(t.Context(), activities.NameClaim, turn.ClaimInput{Session: activitiestest.Key, Turn: next, Run: "run"}, &out))
		require.Equal(t, []string{"compact", "compact", "rewind"}[i], out.Control)
		require.NoError(t, b.Run(t.Context(), activities.NameFinish, turn.FinishInput{Session: activitiestest.Key, Turn: next, State: chat.TurnDone}, nil))
	}
}

// reporting are the subagents of a turn, two of which have answered.
type reporting struct{ turn.Subagents }

func (reporting) SubagentsReported(context.Context, chat.TurnID) ([]chat.CallID, error) {
	return []chat.CallID{"t.1.1", "t.1.2"}, nil
}

func TestPeek_LeavesOutTheAnswersThatTheTurnKnows(t *testing.T) {
	b := setup(t, "say x")
	b.Intake.Subagents = reporting{b.Intake.Subagents}
	var out turn.PeekOutput
	require.NoError(t, b.Run(t.Context(), activities.NamePeek, turn.PeekInput{Session: activitiestest.Key, Turn: activitiestest.Turn}, &out))
	require.Equal(t, []chat.CallID{"t.1.1", "t.1.2"}, out.Reported)
	out = turn.PeekOutput{}
	require.NoError(t, b.Run(t.Context(), activities.NamePeek, turn.PeekInput{Session: activitiestest.Key, Turn: activitiestest.Turn, Known: []chat.CallID{"t.1.1"}}, &out))
	require.Equal(t, []chat.CallID{"t.1.2"}, out.Reported)
}
