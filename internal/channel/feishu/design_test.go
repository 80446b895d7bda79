package feishu_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/card"
	"xbot/internal/channel"
	"xbot/internal/channel/feishu/feishutest"
	"xbot/internal/chat"
)

func TestDesign_IsShownAnsweredByItsFieldsAndSettledWithoutButtons(t *testing.T) {
	t.Parallel()
	w := newWorld(t, feishutest.Config{})
	table := card.Element{Kind: card.Table, Columns: []string{"a", "b"}, Rows: [][]string{{"1", "2"}}}
	made, err := card.Check(card.Card{Title: "Lunch <at id=all></at>", Elements: []card.Element{
		{Kind: card.Markdown, Text: "<at id=all></at> <AT user_id=\"all\">\n\n| x | y |\n|---|---|\n| 1 | 2 |"}, table, table, table, table,
		{Kind: card.Form, Name: "lunch"},
		{Kind: card.Select, Form: "lunch", Name: "place", Text: "Place <at id=all></at>", Options: []string{"Noodles", "Rice"}},
		{Kind: card.Date, Form: "lunch", Name: "day", Text: "Day"},
		{Kind: card.Button, Form: "lunch", Text: "Go"},
		{Kind: card.Button, Text: "Menu", URL: "https://example.com/menu"},
	}})
	require.NoError(t, err)
	w.run(t)
	q := channel.Question{ID: "call1", Title: "Lunch", Design: &made}
	to := channel.Address{ChatType: chat.ChatGroup, Chat: w.group}
	sent, err := w.account.Send(t.Context(), to, channel.Message{Key: "k.0", Card: &q})
	require.NoError(t, err, "four tables and one in a text are three tables and code")
	value, err := w.Value(sent.ID, "Go")
	require.NoError(t, err)
	require.Equal(t, "call1", value["question"])
	require.Equal(t, chat.PressSend, value["button"], "a button of a model can permit nothing")
	_, err = w.Press(sent.ID, "Go", ann, map[string]any{"f0": "Rice", "f1": "2026-11-27 +0800"})
	require.NoError(t, err)
	w.inbox.mu.Lock()
	presses := slices.Clone(w.pressed)
	w.inbox.mu.Unlock()
	require.Len(t, presses, 1)
	press := presses[0]
	require.Equal(t, "call1", press.Question)
	require.Equal(t, map[string][]string{channel.PressAction: {"Go"}, "place": {"Rice"}, "day": {"2026-11-27 +0800"}}, press.Values)

	require.NoError(t, w.account.(channel.Asker).Settle(t.Context(), to, sent.ID, q, "Rice, by Ann"))
	_, err = w.Value(sent.ID, "Go")
	require.ErrorIs(t, err, feishutest.ErrNoButton)
	var text strings.Builder
	for _, m := range w.Shown(w.group, "") {
		text.WriteString(m.Text)
	}
	require.Contains(t, text.String(), "Rice, by Ann")
	require.Empty(t, w.Broken())
}
