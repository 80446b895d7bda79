package turn_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/activities"
	"xbot/activities/activitiestest"
	"xbot/activities/turn"
	"xbot/internal/chat"
)

// try makes an attempt of the first step within a workflow task.
func (b *fixture) try(ctx context.Context, in turn.GenerateInput) turn.GenerateOutput {
	b.T.Helper()
	in.Session, in.Turn = activitiestest.Key, activitiestest.Turn
	var out turn.GenerateOutput
	require.NoError(b.T, b.Run(ctx, activities.NameGenerate, in, &out))
	return out
}

func TestTry_WhatEndsInItsTimeIsTheDecision(t *testing.T) {
	b := setup(t, "say at once")
	out := b.try(t.Context(), turn.GenerateInput{Within: activitiestest.Limit})
	require.False(t, out.Unfinished)
	require.Equal(t, "stop", out.Finish)
	require.Equal(t, "at once", b.LastMessage().Content)
}

func TestTry_WhatDoesNotEndInItsTimeIsTakenOverAndAskedOnce(t *testing.T) {
	b := setup(t, "delay 300ms", "say in the end")
	require.True(t, b.try(t.Context(), turn.GenerateInput{Within: time.Millisecond}).Unfinished)
	out, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, "stop", out.Finish)
	require.Equal(t, "in the end", b.LastMessage().Content)
	require.Equal(t, 1, b.Server.Count(), "the model is asked once")
}

func TestTry_ItsRepetitionTakesItOver(t *testing.T) {
	b := setup(t, "delay 300ms", "say in the end")
	require.True(t, b.try(t.Context(), turn.GenerateInput{Within: time.Millisecond}).Unfinished)
	require.False(t, b.try(t.Context(), turn.GenerateInput{Within: activitiestest.Limit}).Unfinished)
	require.Equal(t, 1, b.Server.Count(), "the model is asked once")
}

func TestTry_AFailureIsThatOfTheActivityWithItsPauseAndItsCount(t *testing.T) {
	b := setup(t, "fail 503 1 after 3s", "say better")
	require.True(t, b.try(t.Context(), turn.GenerateInput{Within: activitiestest.Limit}).Unfinished)
	_, err := b.Generate(t.Context(), 0)
	require.Error(t, err)
	_, again := activitiestest.FaultKind(t, err)
	require.True(t, again)
	require.Equal(t, 1, b.Server.Count())
	require.Len(t, b.EventsOf(chat.EventRetry), 1, "the failure is counted and told once")
	_, err = b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, "better", b.LastMessage().Content)
}

func TestTry_AStopOfTheActivityThatTookItOverKeepsWhatWasWritten(t *testing.T) {
	b := setup(t, "stream 1000 20ms")
	text := ""
	ctx := b.WhenLive(activitiestest.ErrStop, func(e chat.Event) bool {
		var d chat.Delta
		if json.Unmarshal(e.Data, &d) == nil {
			text += d.Text
		}
		return strings.Contains(text, "w3")
	})
	require.True(t, b.try(t.Context(), turn.GenerateInput{Within: time.Millisecond}).Unfinished)
	out, err := b.Generate(ctx, 0)
	require.NoError(t, err)
	require.Equal(t, chat.FinishStopped, out.Finish)
	require.Equal(t, []string{"w1", "w2", "w3"}, strings.Fields(b.LastMessage().Content)[:3])
}

func TestTry_AStopBeforeAnythingTookItOverEndsIt(t *testing.T) {
	b := setup(t, "delay 20s", "say late")
	require.True(t, b.try(t.Context(), turn.GenerateInput{Within: time.Millisecond}).Unfinished)
	require.Equal(t, chat.FinishStopped, b.try(t.Context(), turn.GenerateInput{Stop: true}).Finish)
	require.Len(t, b.Transcript(), 1)
	require.Equal(t, chat.FinishStopped, b.try(t.Context(), turn.GenerateInput{Stop: true}).Finish, "there is nothing left to stop")
}

func TestSpeeds_AModelIsQuickAfterTenQuickAnswersUntilASlowOne(t *testing.T) {
	var s turn.Speeds
	for range 10 {
		require.False(t, s.Quick("small"))
		s.Note("small", 250*time.Millisecond, false)
	}
	require.True(t, s.Quick("small"))
	require.False(t, s.Quick("large"))
	s.Note("small", 251*time.Millisecond, false)
	require.False(t, s.Quick("small"), "a slow answer")
	for range 10 {
		s.Note("small", time.Millisecond, false)
	}
	s.Note("small", time.Millisecond, true)
	require.False(t, s.Quick("small"), "a failure")
}

func TestGenerate_TellsWhichModelsAreQuick(t *testing.T) {
	b := setup(t, "call Shell {}", "then", "say x")
	b.Model.Speeds = &turn.Speeds{}
	client, err := b.Model.Models.For(t.Context(), activitiestest.Key)
	require.NoError(t, err)
	for range 9 {
		b.Model.Speeds.Note(client.Model(), time.Millisecond, false)
	}
	out, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.True(t, out.Quick)
}
