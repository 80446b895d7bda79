package ingress_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/phrase"
)

// count makes the dispatcher know a command that answers how often it ran.
func (b *bundle) count(fail error) *atomic.Int64 {
	var ran atomic.Int64
	b.dispatch.Commands = ingress.NewCommands(ingress.Command{
		Name: "count", Args: "[WORD]", Help: phrase.HelpUsage,
		Run: func(_ context.Context, in ingress.Inbound, args string) (string, error) {
			ran.Add(1)
			return in.UserName + " " + args, fail
		},
	})
	return &ran
}

func TestCommand_IsAnsweredWithoutATurnAndNotSeenByTheModel(t *testing.T) {
	b := setup(t)
	b.count(nil)
	got, err := b.dispatch.Message(t.Context(), b.inbound(key, "c1", "/count  up "))
	require.NoError(t, err)
	b.dispatch.Wait()
	require.Empty(t, b.wakes.sessions(), "nobody is woken")

	messages := b.transcript(key).Messages
	require.Len(t, messages, 2)
	require.Equal(t, chat.RoleUser, messages[0].Role)
	require.Equal(t, "/count  up ", messages[0].Content)
	require.Equal(t, got.ID, messages[0].Inbox)
	require.Equal(t, "c1", messages[0].ClientMessageID)
	require.Equal(t, chat.RoleNotice, messages[1].Role)
	require.Equal(t, "alice up", messages[1].Content)
	for _, m := range messages {
		require.Equal(t, chat.OriginCommand, m.Origin)
	}
	window, err := b.Window(t.Context(), key)
	require.NoError(t, err)
	require.Empty(t, window.Lines)
	_, claimed, err := b.Claim(t.Context(), key, "t1", "r1", 0)
	require.NoError(t, err)
	require.False(t, claimed, "it is no message for a turn")
}

func TestCommand_SentAgainIsTheSameCommandAndRunsOnce(t *testing.T) {
	b := setup(t)
	ran := b.count(nil)
	var wg sync.WaitGroup
	var fresh atomic.Int64
	for range 20 {
		wg.Go(func() {
			got, err := b.dispatch.Message(t.Context(), b.inbound(key, "c1", "/count"))
			if err == nil && !got.Duplicate {
				fresh.Add(1)
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 1, fresh.Load())
	require.EqualValues(t, 1, ran.Load())
	require.Len(t, b.transcript(key).Messages, 2)

	_, err := b.dispatch.Message(t.Context(), b.inbound(key, "c1", "/count other"))
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	require.EqualValues(t, 1, ran.Load())
}

func TestCommand_ARefusalIsItsAnswer(t *testing.T) {
	b := setup(t)
	b.count(fault.Errorf(fault.Conflict, "that name is taken: choose another one"))
	_, err := b.dispatch.Message(t.Context(), b.inbound(key, "c1", "/count"))
	require.NoError(t, err)
	require.Equal(t, "that name is taken: choose another one", b.transcript(key).Messages[1].Content)
}

func TestCommand_ThatBrokeLeavesNothingAndMayBeSentAgain(t *testing.T) {
	b := setup(t)
	b.count(fault.Errorf(fault.Unavailable, "away"))
	_, err := b.dispatch.Message(t.Context(), b.inbound(key, "c1", "/count"))
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.Empty(t, b.transcript(key).Messages)

	b.count(nil)
	got, err := b.dispatch.Message(t.Context(), b.inbound(key, "c1", "/count"))
	require.NoError(t, err)
	require.False(t, got.Duplicate)
}

func TestCommand_UnknownOnesGoToTheModel(t *testing.T) {
	b := setup(t)
	b.count(nil)
	_, err := b.dispatch.Message(t.Context(), b.inbound(key, "m1", "/counter 3"))
	require.NoError(t, err)
	require.Len(t, b.transcript(key).Queued, 1)
	b.dispatch.Wait()
}

func TestCommand_HelpListsAll(t *testing.T) {
	b := setup(t)
	b.count(nil)
	_, err := b.dispatch.Message(t.Context(), b.inbound(key, "c1", "/help"))
	require.NoError(t, err)
	answer := b.transcript(key).Messages[1].Content
	require.Contains(t, answer, "* `/stop` ")
	require.Contains(t, answer, "* `/count [WORD]` "+phrase.Say(phrase.English, phrase.HelpUsage))
	require.Contains(t, answer, "* `/help` ")
}

func TestCommand_AQueuedOneWaitsForATurnUnderAnyOfItsNames(t *testing.T) {
	b := setup(t)
	b.dispatch.Commands = ingress.NewCommands(ingress.Command{Name: "tidy", Aliases: []string{"neat"}, Help: phrase.HelpCompact, Queued: true})
	_, err := b.dispatch.Message(t.Context(), b.inbound(key, "m1", "hello"))
	require.NoError(t, err)
	for range 2 {
		_, err = b.dispatch.Message(t.Context(), b.inbound(key, "c1", "/neat up"))
		require.NoError(t, err)
	}
	b.dispatch.Wait()
	require.Contains(t, b.wakes.sessions(), key)

	first, _, err := b.Claim(t.Context(), key, "t1", "r1", 0)
	require.NoError(t, err)
	require.False(t, first.Control)
	_, err = b.FinishTurn(t.Context(), key, "t1", chat.TurnDone, "")
	require.NoError(t, err)
	second, _, err := b.Claim(t.Context(), key, "t2", "r2", 0)
	require.NoError(t, err)
	require.True(t, second.Control)
	require.Equal(t, "/neat up", second.Text)
	window, err := b.Window(t.Context(), key)
	require.NoError(t, err)
	require.Len(t, window.Lines, 1, "the model sees the message, and no command")
}

func TestCommand_HelpAnswersInTheLanguageOfTheQuestion(t *testing.T) {
	b := setup(t)
	b.count(nil)
	_, err := b.dispatch.Message(t.Context(), b.inbound(key, "c1", "/help 中文"))
	require.NoError(t, err)
	require.Contains(t, b.transcript(key).Messages[1].Content, phrase.Say(phrase.Chinese, phrase.HelpUsage))
}
