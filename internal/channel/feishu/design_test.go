package feishu_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/channel/card"
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
		{Kind: card.Select, In: "lunch", Name: "place", Text: "Place <at id=all></at>", Options: []string{"Noodles", "Rice"}},
		{Kind: card.Date, In: "lunch", Name: "day", Text: "Day"},
		{Kind: card.Button, In: "lunch", Text: "Go"},
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

func TestDesign_ShowsEveryElementAndAnswersByMenuAreaBoxAndPersons(t *testing.T) {
	t.Parallel()
	w := newWorld(t, feishutest.Config{})
	made, err := card.Check(card.Card{Title: "Trip", Elements: []card.Element{
		{Kind: card.Columns, Name: "two", Count: 2},
		{Kind: card.Markdown, In: "two", Column: 1, Text: "left"},
		{Kind: card.Person, In: "two", Column: 2, People: []string{"Ann"}},
		{Kind: card.People, People: []string{"Ann", "Nobody", "所有人"}},
		{Kind: card.Image, Text: "a beach", Files: []string{"/p/1.png"}}, {Kind: card.Images, Files: []string{"/p/1.png", "/p/2.png", "/p/lost.png"}},
		{Kind: card.Panel, Name: "more", Text: "More"}, {Kind: card.Divider, In: "more"},
		{Kind: card.Chart, Chart: "bar", Text: "Costs", Columns: []string{"day", "food"}, Rows: [][]string{{"Monday", "12.5"}}},
		{Kind: card.Area, Name: "take", Text: "Take the train"}, {Kind: card.Markdown, In: "take", Text: "two hours"},
		{Kind: card.Form, Name: "trip"},
		{Kind: card.Checker, In: "trip", Name: "sure", Text: "I am sure"},
		{Kind: card.PickPerson, In: "trip", Name: "who", Text: "Who leads"},
		{Kind: card.PickPeople, In: "trip", Name: "with", Text: "Who comes"},
		{Kind: card.PickImage, In: "trip", Name: "view", Text: "View", Options: []string{"Sea", "Hills"}, Files: []string{"/p/1.png", "/p/2.png"}},
		{Kind: card.Button, In: "trip", Text: "Book"},
		{Kind: card.Button, In: "trip", Text: "Rules [1]", URL: "https://example.com/a_(b)"},
		{Kind: card.Overflow, Options: []string{"Later", "Never"}},
	}})
	require.NoError(t, err)
	w.run(t)
	png := channel.File{Name: "1.png", Type: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}
	q := channel.Question{ID: "call1", Title: "Trip", Design: &made, Images: map[string]channel.File{
		"/p/1.png": png, "/p/2.png": png, "/p/lost.png": {Name: "lost.png", Type: "text/html", Data: []byte("<html>")},
	}}
	to := channel.Address{ChatType: chat.ChatGroup, Chat: w.group}
	sent, err := w.account.Send(t.Context(), to, channel.Message{Key: "k.0", Card: &q, Mentions: map[string]string{ann.OpenID: "Ann", "all": "所有人"}})
	require.NoError(t, err)
	shown := w.Shown(w.group, "")
	last := shown[len(shown)-1]
	require.Equal(t, []string{"Take the train", "Book", "Later", "Never"}, last.Buttons)
	for _, part := range []string{"left\nAnn\n", "Nobody, 所有人", "More", "🖼 1.png, 2.png, lost.png", `"y":12.5`, "[Rules (1)](https://example.com/a_%28b%29)"} {
		require.Contains(t, last.Text, part)
	}
	require.Equal(t, 1, strings.Count(last.Content, `"tag":"img"`))
	require.Equal(t, 1, strings.Count(last.Content, `"combination_mode":"double"`), "what is no picture is named")
	require.Equal(t, 1, strings.Count(last.Content, `"tag":"select_img"`))
	for name, want := range map[string]map[string][]string{
		"Take the train": {channel.PressAction: {"Take the train"}},
		"Never":          {channel.PressAction: {"Never"}},
		"Book":           {channel.PressAction: {"Book"}, "sure": {"true"}, "who": {"Ann"}, "with": {"Ann", "ou_nobody"}, "view": {"Sea"}},
	} {
		var form map[string]any
		if name == "Book" {
			form = map[string]any{"f0": true, "f1": ann.OpenID, "f2": []string{ann.OpenID, "ou_nobody"}, "f3": "Sea"}
		}
		_, err = w.Press(sent.ID, name, ann, form)
		require.NoError(t, err)
		w.inbox.mu.Lock()
		press := w.pressed[len(w.pressed)-1]
		w.inbox.mu.Unlock()
		require.Equal(t, want, press.Values)
		require.Equal(t, chat.PressSend, press.Button)
	}
	require.NoError(t, w.account.(channel.Asker).Settle(t.Context(), to, sent.ID, q, "Book, by Ann"))
	shown = w.Shown(w.group, "")
	require.Equal(t, []string{"Rules [1]"}, shown[len(shown)-1].Buttons, "what opens an address stays")
	require.Contains(t, shown[len(shown)-1].Text, "two hours")
	require.Empty(t, w.Broken())
}
