package conversation_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/llm"
	"xbot/internal/turn/slashcommand"
	"xbot/slash/conversation"
)

// began notes how conversations begin anew, and what is taken out of them.
type began struct{ done []string }

func (b *began) ResetSession(_ context.Context, turn chat.TurnID, reason, model, say string) error {
	b.done = append(b.done, fmt.Sprintf("reset %s %s %q %s", turn, reason, model, say))
	return nil
}

func (b *began) Rewind(_ context.Context, turn chat.TurnID, back int, to chat.MessageID) error {
	b.done = append(b.done, fmt.Sprint("rewind ", turn, " ", back, " ", to))
	return nil
}

func (b *began) AskAgain(_ context.Context, turn chat.TurnID, back int, to chat.MessageID, text string) error {
	b.done = append(b.done, fmt.Sprintf("again %s %d %d %q", turn, back, to, text))
	return nil
}

func (b *began) Branch(_ context.Context, turn chat.TurnID, to chat.MessageID) error {
	b.done = append(b.done, fmt.Sprint("branch ", turn, " ", to))
	return nil
}

// uncalled is a model that is never called.
type uncalled struct{ llm.Client }

func (uncalled) Model() string                                                       { return "p/a" }
func (n uncalled) For(context.Context, chat.SessionKey) (llm.Client, error)          { return n, nil }
func (uncalled) Generate(context.Context, llm.Request, llm.Sink) (llm.Answer, error) { panic("called") }

func TestNew_BeginsAnewAndNamesTheModelWithoutCallingIt(t *testing.T) {
	greet := func(lang i18n.Lang, model string) string { return i18n.Say(lang, i18n.ResetGreet, model) }
	for _, c := range []struct {
		command slashcommand.TurnRunner
		args    string
		want    string
	}{
		{conversation.New{}, "", `reset t1 new "" ` + greet(i18n.English, "p/a")},
		{conversation.New{}, "p/large", `reset t1 new "p/large" ` + greet(i18n.English, "p/large")},
		{conversation.Reset{}, "", `reset t1 new "" ` + greet(i18n.English, "p/a")},
	} {
		sessions := &began{}
		switch known := c.command.(type) {
		case conversation.New:
			known.Answering, known.Sessions = uncalled{}, sessions
			c.command = known
		case conversation.Reset:
			known.Answering, known.Sessions = uncalled{}, sessions
			c.command = known
		}
		require.NoError(t, c.command.RunInTurn(t.Context(), chat.TurnCommand{Turn: "t1", Lang: string(i18n.English)}, c.args))
		require.Equal(t, []string{c.want}, sessions.done)
	}
}
