package activities_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/llm"
	"xbot/internal/store"
)

func TestClaim_RepeatedFindsItsOwnAndTellsTheSettings(t *testing.T) {
	b := setup(t, "say something rather long, longer than a summary may be", "and more")
	in := activities.ClaimInput{Session: key, Turn: turn, Run: "run"}
	var out activities.ClaimOutput
	require.NoError(t, b.run(t.Context(), activities.NameClaim, in, &out))
	require.Equal(t, "web", out.Channel)
	require.Equal(t, "alice", out.User)
	require.Equal(t, "openai/scripted", out.Model)
	require.Equal(t, 7, out.MaxSteps)
	require.Equal(t, `"say something rather long, longer than …"`, out.Words)
	require.Len(t, b.messages(), 1)

	b.intake.Words = false
	require.NoError(t, b.run(t.Context(), activities.NameClaim, in, &out))
	var silent activities.ClaimOutput
	require.NoError(t, b.run(t.Context(), activities.NameClaim, in, &silent))
	require.Empty(t, silent.Words, "no word of a message stands in a history")
}

func TestClaim_OfAnEmptyInboxClaimsNothing(t *testing.T) {
	b := setup(t, "say x")
	require.NoError(t, b.run(t.Context(), activities.NameFinish, activities.FinishInput{Session: key, Turn: turn, State: chat.TurnDone}, nil))
	var out activities.ClaimOutput
	require.NoError(t, b.run(t.Context(), activities.NameClaim, activities.ClaimInput{Session: key, Turn: "next", Run: "run"}, &out))
	require.Equal(t, activities.ClaimOutput{}, out)
}

func TestPeek_SeesTheStopOfItsOwnTurn(t *testing.T) {
	b := setup(t, "say x")
	peek := func(turn chat.TurnID) bool {
		var out activities.PeekOutput
		require.NoError(t, b.run(t.Context(), activities.NamePeek, activities.PeekInput{Session: key, Turn: turn}, &out))
		return out.Stop
	}
	require.False(t, peek(turn))
	user, err := b.UserByName(t.Context(), "alice")
	require.NoError(t, err)
	_, err = b.Stop(t.Context(), store.Inbound{Session: key, User: user.ID, Channel: "web", PlatformID: "s1"}, i18n.English)
	require.NoError(t, err)
	require.True(t, peek(turn))
	const other = chat.SessionKey("agent:main:web:thread:other")
	_, err = b.CreateSession(t.Context(), store.NewSession{Key: other, Owner: user.ID, Channel: "web"})
	require.NoError(t, err)
	_, err = b.Accept(t.Context(), store.Inbound{Session: other, User: user.ID, Channel: "web", PlatformID: "m9", Text: "go"})
	require.NoError(t, err)
	_, _, err = b.Claim(t.Context(), other, "another", "run", 0)
	require.NoError(t, err)
	require.False(t, peek("another"))
	require.True(t, peek("gone"), "a turn that was deleted ends")
}

func TestFinish_TellsThePersonOnceAndForgetsWhatWasLive(t *testing.T) {
	b := setup(t, "say x")
	b.bus.PublishDelta(key, chat.Delta{Turn: turn, Attempt: 1, Text: "half an answer"})
	user, err := b.UserByName(t.Context(), "alice")
	require.NoError(t, err)
	_, err = b.Accept(t.Context(), store.Inbound{Session: key, User: user.ID, Channel: "web", PlatformID: "m2", Text: "next"})
	require.NoError(t, err)
	for range 2 {
		var out activities.FinishOutput
		in := activities.FinishInput{Session: key, Turn: turn, State: chat.TurnFailed, Say: i18n.StepLimit, Steps: 7}
		require.NoError(t, b.run(t.Context(), activities.NameFinish, in, &out))
		require.True(t, out.Pending, "another message waits")
	}
	require.Len(t, b.messages(), 2)
	require.Equal(t, i18n.Say(i18n.English, i18n.StepLimit, 7), b.last().Content)
	late := b.bus.Subscribe(key)
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
	b.intake.Models = only{named{name: "openai/" + strings.Repeat("模", 20_000)}}
	var out activities.ClaimOutput
	require.NoError(t, b.run(t.Context(), activities.NameClaim, activities.ClaimInput{Session: key, Turn: turn, Run: "run"}, &out))
	require.True(t, out.Claimed)
	require.LessOrEqual(t, len(out.Model), 255)
	require.True(t, strings.HasPrefix(out.Model, "openai/模"))
}

func TestClaim_NamesACommandWhateverNameItWasWrittenWith(t *testing.T) {
	b := setup(t, "say x")
	require.NoError(t, b.run(t.Context(), activities.NameFinish, activities.FinishInput{Session: key, Turn: turn, State: chat.TurnDone}, nil))
	for i, text := range []string{"/compact the ports", "/COMPRESS", "/rewind 2"} {
		_, user, err := b.Session(t.Context(), key)
		require.NoError(t, err)
		_, err = b.Accept(t.Context(), store.Inbound{Session: key, User: user, Channel: "web", PlatformID: text, Text: text, Control: true})
		require.NoError(t, err)
		var out activities.ClaimOutput
		next := chat.TurnID(text)
		require.NoError(t, b.run(t.Context(), activities.NameClaim, activities.ClaimInput{Session: key, Turn: next, Run: "run"}, &out))
		require.Equal(t, []string{"compact", "compact", "rewind"}[i], out.Control)
		require.NoError(t, b.run(t.Context(), activities.NameFinish, activities.FinishInput{Session: key, Turn: next, State: chat.TurnDone}, nil))
	}
}

// reporting are turns of which two subagents have answered.
type reporting struct{ activities.Turns }

func (reporting) SubagentsReported(context.Context, chat.TurnID) ([]chat.CallID, error) {
	return []chat.CallID{"t.1.1", "t.1.2"}, nil
}

func TestPeek_LeavesOutTheAnswersThatTheTurnKnows(t *testing.T) {
	b := setup(t, "say x")
	b.intake.Turns = reporting{b.intake.Turns}
	var out activities.PeekOutput
	require.NoError(t, b.run(t.Context(), activities.NamePeek, activities.PeekInput{Session: key, Turn: turn}, &out))
	require.Equal(t, []chat.CallID{"t.1.1", "t.1.2"}, out.Reported)
	out = activities.PeekOutput{}
	require.NoError(t, b.run(t.Context(), activities.NamePeek, activities.PeekInput{Session: key, Turn: turn, Known: []chat.CallID{"t.1.1"}}, &out))
	require.Equal(t, []chat.CallID{"t.1.2"}, out.Reported)
}
