package activities_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/llm"
)

func (o *orders) ResetSession(_ context.Context, turn chat.TurnID, reason, model, say string) error {
	o.done = append(o.done, fmt.Sprintf("reset %s %s %q %s", turn, reason, model, say))
	return nil
}

// uncalled is a model that is never called.
type uncalled struct{ llm.Client }

func (uncalled) Model() string                                                       { return "p/a" }
func (n uncalled) For(context.Context, chat.SessionKey) (llm.Client, error)          { return n, nil }
func (uncalled) Generate(context.Context, llm.Request, llm.Sink) (llm.Answer, error) { panic("called") }

func TestNewOrder_BeginsAnewAndNamesTheModelWithoutCallingIt(t *testing.T) {
	greet := func(lang i18n.Lang, model string) string { return i18n.Say(lang, i18n.ResetGreet, model) }
	for text, want := range map[string]string{
		"/new":          `reset t1 new "" ` + greet(i18n.English, "p/a"),
		"/clear":        `reset t1 new "" ` + greet(i18n.English, "p/a"),
		"/reset":        `reset t1 new "" ` + greet(i18n.English, "p/a"),
		"/new p/large":  `reset t1 new "p/large" ` + greet(i18n.English, "p/large"),
		"/NEW  p/large": `reset t1 new "p/large" ` + greet(i18n.English, "p/large"),
	} {
		book := &orders{order: chat.Order{Turn: "t1", Text: text, Lang: string(i18n.English)}}
		o := &activities.Orders{Book: book, Known: []activities.Order{activities.NewOrder(book, uncalled{})}}
		require.NoError(t, o.Obey(t.Context(), activities.ObeyInput{Turn: "t1"}), text)
		require.Equal(t, []string{want}, book.done, text)
	}
}
