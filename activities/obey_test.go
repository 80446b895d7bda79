package activities_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
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

func (o *orders) obey(t *testing.T) error {
	t.Helper()
	known := []activities.Order{activities.RewindOrder(o)}
	return (&activities.Orders{Book: o, Known: known}).Obey(t.Context(), activities.ObeyInput{Turn: "t1"})
}

func TestObey_CarriesOutWhatThePersonWrote(t *testing.T) {
	for text, want := range map[string]string{
		"/rewind":       "rewind t1 1 0",
		" /REWIND 3 ":   "rewind t1 3 0",
		"/rewind m12":   "rewind t1 0 12",
		"/rewind twice": "answer t1 " + i18n.Say(i18n.English, i18n.RewindUsage),
		"/rewind 到哪里":   "answer t1 " + i18n.Say(i18n.Chinese, i18n.RewindUsage),
		"/tidy":         "answer t1 " + i18n.Say(i18n.English, i18n.OrderUnknown, "tidy"),
	} {
		book := &orders{order: chat.Order{Turn: "t1", Text: text, Lang: string(i18n.Of(text))}}
		require.NoError(t, book.obey(t), text)
		require.Equal(t, []string{want}, book.done, text)
	}
}

func TestObey_LeavesAloneWhatWasAnsweredOrIsGone(t *testing.T) {
	for _, book := range []*orders{
		{order: chat.Order{Turn: "t1", Text: "/rewind", Answered: true}},
		{err: fault.Errorf(fault.NotFound, "the session was deleted")},
	} {
		require.NoError(t, book.obey(t))
		require.Empty(t, book.done)
	}
}

func TestObey_ARefusalIsTheAnswerAndAFaultIsTriedAgain(t *testing.T) {
	var fail error
	known := []activities.Order{{Names: []string{"tidy", "neat"}, Obey: func(context.Context, chat.Order, string) error { return fail }}}
	book := &orders{order: chat.Order{Turn: "t1", Text: "/neat up"}}
	obey := func() error {
		return (&activities.Orders{Book: book, Known: known}).Obey(t.Context(), activities.ObeyInput{Turn: "t1"})
	}
	require.NoError(t, obey())
	fail = fault.Errorf(fault.Unavailable, "away")
	require.Error(t, obey())
	require.Empty(t, book.done)
	fail = fault.Errorf(fault.NotFound, "there is no such folder")
	require.NoError(t, obey())
	require.Equal(t, []string{"answer t1 there is no such folder"}, book.done)
}
