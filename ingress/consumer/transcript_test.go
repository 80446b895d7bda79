package consumer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/consumer"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/service"
)

// tells has a task of the service begin a turn in a conversation.
func (b *bundle) tells(c service.Conversation, id chat.TurnID) turn {
	b.T.Helper()
	_, err := b.Tell(b.T.Context(), chat.InternalMessage{Session: c.Session, Key: string(id), Origin: chat.OriginCron, Text: "[cron] tell them the news"})
	require.NoError(b.T, err)
	turn := b.claims(c, id)
	turn.begins(0)
	return turn
}

// asks sends a message whose turn a test plays.
func (b *bundle) asks(c service.Conversation, text string, id chat.TurnID) turn {
	b.T.Helper()
	b.chats(c, text).until("accepted")
	turn := b.claims(c, id)
	turn.begins(0)
	return turn
}

// ends is what a message says, and how its turn ended.
func ends(all []consumer.Message) (out []string) {
	for _, m := range all {
		text := m.Content
		if m.Stopped {
			text += " (stopped)"
		}
		if m.Error != "" {
			text += " (failed)"
		}
		out = append(out, text)
	}
	return out
}

func TestTranscript_ATaskThatSaysNothingShowsNothingHoweverItEnds(t *testing.T) {
	b := setup(t)
	for _, state := range []chat.TurnState{chat.TurnStopped, chat.TurnFailed, chat.TurnLost} {
		c := b.conversation()
		b.asks(c, "hello", chat.TurnID("asked-"+c.ID)).answers("Hello!")
		task := b.tells(c, chat.TurnID("task-"+c.ID))
		if state == chat.TurnStopped {
			b.takes(c)
		}
		task.ends(state, i18n.Broken)
		require.Equal(t, []string{"hello", "Hello!"}, ends(b.read(c).Transcript), state)
	}
}

func TestTranscript_HowATurnEndedIsSaidOfItsOwnWordsAlone(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	turn := b.asks(c, "hello", "t1")
	turn.calls(turn.says(0, "I look.", "Read")[0], "found")
	b.personSays(c, "s1", "I read along.")
	turn.ends(chat.TurnStopped, i18n.Stopped)
	task := b.tells(c, "t2")
	task.calls(task.says(0, "The news:", "Read")[0], "found")
	task.ends(chat.TurnFailed, i18n.Broken)
	b.personSays(c, "s2", "There are none.")
	b.asks(c, "and now?", "t3").ends(chat.TurnFailed, i18n.Broken)
	b.personSays(c, "s3", "Ask me.")
	require.Equal(t, []string{
		"hello", "I look. (stopped)", "I read along.", "The news: (failed)", "There are none.", "and now?", " (failed)", "Ask me.",
	}, ends(b.read(c).Transcript))
}

func TestTranscript_APersonWhoSpeaksWithinAnAnswerEndsItNot(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	turn := b.asks(c, "hello", "t1")
	turn.calls(turn.says(0, "I look.", "Read")[0], "found")
	b.personSays(c, "s1", "I read along.")
	turn.begins(1)
	turn.calls(turn.says(1, "I look again.", "Read")[0], "found")
	turn.ends(chat.TurnStopped, i18n.Stopped)
	require.Equal(t, []string{"hello", "I look.", "I read along.", "I look again. (stopped)"}, ends(b.read(c).Transcript))
}
