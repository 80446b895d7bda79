package qq_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/channel/qq"
	"xbot/internal/channel/qq/qqtest"
)

func openWith(given map[string]string) (channel.Account, error) {
	return qq.Driver().Open("suite", given, channel.Resources{})
}

var approval = channel.Question{
	ID: "call_1", Title: "Run this?", Text: "`rm -r build`",
	Buttons: []channel.Button{{Name: "allow", Label: "Allow", Style: "primary"}, {Name: "deny", Label: "Deny", Style: "danger"}},
}

func (w *world) ask(t *testing.T, scene string, q channel.Question) qqtest.Message {
	t.Helper()
	_, err := w.account.Send(t.Context(), to(scene, ""), channel.Message{Key: "q", Card: &q})
	require.NoError(t, err)
	all := w.Messages(scene, chats[scene])
	return all[len(all)-1]
}

func labels(m qqtest.Message) []string {
	var out []string
	for _, b := range m.Buttons {
		out = append(out, b.Label)
	}
	return out
}

func TestCard_AnAnswerThatIsNotTakenHoldsNoMessageForLong(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	w.run(t)
	m := w.ask(t, qqtest.Direct, approval)
	w.client.Transport = silence{w.client.Transport}
	w.Press(ann, m.ID, "Deny", tick)
	require.Eventually(t, func() bool { return len(w.presses()) == 1 }, soon, tick)
	w.says(qqtest.Direct, "hello")
	w.got(t, 1)
}

// silence is a network in which answers to buttons get lost.
type silence struct{ http.RoundTripper }

func (s silence) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasPrefix(r.URL.Path, "/interactions/") {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	return s.RoundTripper.RoundTrip(r)
}

func TestCard_AButtonAnswersAndTheClientIsTold(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	w.run(t)
	for scene, press := range map[string]channel.Press{
		qqtest.Direct: {Chat: ann.ID}, qqtest.Group: {Chat: "GROUP0"}, qqtest.Guild: {Chat: "CHAN0"},
	} {
		for kind, code := range map[string]int{"success": 0, "": 0, "error": 1, "warning": 3} {
			w.toast = channel.Toast{Kind: kind}
			m := w.ask(t, scene, approval)
			require.Equal(t, "**Run this?**\n\n`rm -r build`", m.Text)
			require.Equal(t, []string{"Allow", "Deny"}, labels(m))
			require.Equal(t, code, w.Press(ann, m.ID, "Deny", soon))
			all := w.presses()
			got := all[len(all)-1]
			require.NotEmpty(t, got.Event)
			press.Channel, press.Account, press.Sender, press.Event = "qq", "suite", ann.ID, got.Event
			press.Message, press.Question, press.Button = m.ID, "call_1", "deny"
			require.Equal(t, press, got)
		}
	}
	require.Empty(t, w.Broken())
}

func TestCard_AnOptionSendsTheForm(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	w.run(t)
	m := w.ask(t, qqtest.Direct, channel.Question{
		ID: "call_2", Title: "Which?", Fields: []channel.Field{{Name: "color", Label: "Color", Options: []string{"red", "a very long shade of blue"}}},
		Buttons: []channel.Button{{Name: "send", Label: "Send"}, {Name: "cancel", Label: "Cancel"}},
	})
	require.Equal(t, "**Which?**\n\nColor\n\n1. red\n2. a very long shade of blue", m.Text)
	require.Equal(t, []string{"red", "2", "Cancel"}, labels(m))
	require.Equal(t, 0, w.Press(ann, m.ID, "2", soon))
	got := w.presses()[0]
	require.Equal(t, "send", got.Button)
	require.Equal(t, map[string][]string{"color": {"a very long shade of blue"}}, got.Values)
}

func TestCard_WhatNoButtonAnswersIsAskedInWords(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	multi := channel.Question{ID: "q", Text: "Choose", Fields: []channel.Field{{Name: "a", Label: "A", Options: []string{"x", "y"}, Multi: true}}}
	free := channel.Question{ID: "q", Text: "Say", Fields: []channel.Field{{Name: "a", Label: "Name?"}}, Buttons: approval.Buttons}
	require.Equal(t, "Choose\n\nA\n\n1. x\n2. y", w.ask(t, qqtest.Direct, multi).Text)
	require.Empty(t, w.ask(t, qqtest.Direct, free).Buttons)
	w.Permit(func(c *qqtest.Config) { c.NoButtons = true })
	m := w.ask(t, qqtest.Direct, approval)
	require.Empty(t, m.Buttons)
	require.Equal(t, "**Run this?**\n\n`rm -r build`\n\n1. Allow\n2. Deny", m.Text)
	require.True(t, m.Markdown)
}
