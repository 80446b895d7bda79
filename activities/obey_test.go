package activities_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/phrase"
)

// orders is a book with one order in it. It notes what was asked of it.
type orders struct {
	order chat.Order
	err   error
	done  []string
}

func (o *orders) Order(context.Context, chat.TurnID) (chat.Order, error) { return o.order, o.err }

func (o *orders) Rewind(_ context.Context, turn chat.TurnID, back int, to chat.MessageID) error {
	o.done = append(o.done, fmt.Sprint("rewind ", turn, " ", back, " ", to))
	return nil
}

func (o *orders) AnswerOrder(_ context.Context, turn chat.TurnID, text string) error {
	o.done = append(o.done, fmt.Sprint("answer ", turn, " ", text))
	return nil
}

func TestObey_CarriesOutWhatThePersonWrote(t *testing.T) {
	for text, want := range map[string]string{
		"/rewind":       "rewind t1 1 0",
		" /REWIND 3 ":   "rewind t1 3 0",
		"/rewind m12":   "rewind t1 0 12",
		"/rewind twice": "answer t1 " + phrase.Say(phrase.English, phrase.RewindUsage),
		"/rewind 到哪里":   "answer t1 " + phrase.Say(phrase.Chinese, phrase.RewindUsage),
		"/tidy":         "answer t1 " + phrase.Say(phrase.English, phrase.OrderUnknown, "tidy"),
	} {
		book := &orders{order: chat.Order{Turn: "t1", Text: text}}
		require.NoError(t, (&activities.Orders{Book: book}).Obey(t.Context(), activities.ObeyInput{Turn: "t1"}), text)
		require.Equal(t, []string{want}, book.done, text)
	}
}

func TestObey_LeavesAloneWhatWasAnsweredOrIsGone(t *testing.T) {
	for _, book := range []*orders{
		{order: chat.Order{Turn: "t1", Text: "/rewind", Answered: true}},
		{err: fault.Errorf(fault.NotFound, "the session was deleted")},
	} {
		require.NoError(t, (&activities.Orders{Book: book}).Obey(t.Context(), activities.ObeyInput{Turn: "t1"}))
		require.Empty(t, book.done)
	}
}
