package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"xbot/internal/apiclient"
	"xbot/internal/apiclient/apitest"
	"xbot/internal/chat"
)

// steered is a terminal whose first message is answered by asking it for an action, after the signal.
func steered(t *testing.T, a chat.ClientAction, before ...chat.Todo) (s *screen, ask chan struct{}, said chan apiclient.ActionAnswer) {
	t.Helper()
	a.Call = "t.0.0"
	ask, said = make(chan struct{}), make(chan apiclient.ActionAnswer, 2)
	s = setup(t, func(turn *apitest.Turn, text string) {
		if text != "steer" {
			hello(turn, text)
			return
		}
		if len(before) > 0 {
			turn.Todos(before...)
		}
		turn.Say("Wait.")
		turn.Wait(ask)
		first, again := turn.Act(a)
		said <- first
		said <- again
		turn.Answer()
	})
	s.typed("steer", tea.KeyEnter)
	s.shows("Wait.")
	return s, ask, said
}

// answers lets the program run until the action was answered twice, and requires both to be the same.
func (s *screen) answers(said chan apiclient.ActionAnswer) apiclient.ActionAnswer {
	s.t.Helper()
	s.until("two answers", func() bool { return len(said) == 2 })
	first, again := <-said, <-said
	require.Equal(s.t, first, again)
	require.Equal(s.t, s.m.acting.client, first.Client)
	return first
}

func TestActing_TheIDOfAMessageBeginsWithTheClient(t *testing.T) {
	t.Parallel()
	s, ask, said := steered(t, chat.ClientAction{Action: "theme", Value: "light"})
	s.until("the message", func() bool { return len(s.m.story.Entries) > 0 })
	client, rest, _ := strings.Cut(s.m.story.Entries[0].ClientMessageID, ".")
	require.Equal(t, s.m.acting.client, client)
	require.NotEmpty(t, rest)
	close(ask)
	s.answers(said)
}

func TestActing_OpensAnotherConversation(t *testing.T) {
	t.Parallel()
	s, ask, said := steered(t, chat.ClientAction{Action: "open", What: "conversation", Value: "agent:main:cli:thread:other"})
	_, err := s.client.CreateSession(t.Context(), apiclient.NewSession{Key: "agent:main:cli:thread:other", Title: "The other one"})
	require.NoError(t, err)
	close(ask)
	require.Equal(t, "done", s.answers(said).Outcome)
	s.until("the other session", func() bool { return s.m.session.Title == "The other one" })
}

func TestActing_StaysWhereThePersonIsTyping(t *testing.T) {
	t.Parallel()
	s, ask, said := steered(t, chat.ClientAction{Action: "open", What: "conversation", Value: "agent:main:cli:thread:other"})
	s.typed("half a sent")
	here := s.m.session.Key
	close(ask)
	got := s.answers(said)
	require.Equal(t, "refused", got.Outcome)
	require.Equal(t, "not_now", got.Reason)
	require.Equal(t, s.m.wanted, here)
	require.Equal(t, "half a sent", s.m.input.Value())
}

func TestActing_TakesAThemeUntilTheTerminalsOwnIsWanted(t *testing.T) {
	t.Parallel()
	s, ask, said := steered(t, chat.ClientAction{Action: "theme", Value: "light"})
	require.True(t, s.m.dark)
	close(ask)
	require.Equal(t, "done", s.answers(said).Outcome)
	require.False(t, s.m.dark)
	does, refused := s.m.show(chat.ClientAction{Action: "theme", Value: "system"})
	require.Empty(t, refused)
	require.NotNil(t, does, "it asks the terminal")
	s.take(tea.BackgroundColorMsg{})
	require.True(t, s.m.dark)
}

func TestActing_AThemeMeansNothingWithoutColours(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.m.plain = true
	_, refused := s.m.show(chat.ClientAction{Action: "theme", Value: "light"})
	require.Equal(t, "not_supported", refused)
}

func TestActing_UnfoldsDetailsAndTodos(t *testing.T) {
	t.Parallel()
	s, ask, said := steered(t, chat.ClientAction{Action: "layout", What: "details", Value: "show"}, chat.Todo{ID: "1", Text: "dig"}, chat.Todo{ID: "2", Text: "sow"})
	close(ask)
	require.Equal(t, "done", s.answers(said).Outcome)
	require.True(t, s.m.column.details)
	s.m.show(chat.ClientAction{Action: "layout", What: "details", Value: "hide"})
	require.False(t, s.m.column.details)
	s.lacks("☐ sow")
	s.m.show(chat.ClientAction{Action: "open", What: "todos"})
	s.shows("☐ sow")
}

func TestActing_OpensTheSettingsUnlessSomethingElseIsOpen(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.server.Prefers(apiclient.Setting{Name: "language", Title: "Language", Value: "en", Shown: "English"})
	does, refused := s.m.show(chat.ClientAction{Action: "open", What: "settings"})
	require.Empty(t, refused)
	s.run(does)
	s.shows("Settings", "Language")
	_, refused = s.m.show(chat.ClientAction{Action: "open", What: "settings"})
	require.Equal(t, "not_now", refused)
	_, refused = s.m.show(chat.ClientAction{Action: "open", What: "conversation", Value: "agent:main:cli:thread:other"})
	require.Equal(t, "not_now", refused)
}

func TestActing_RefusesWhatATerminalDoesNotHave(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	for _, a := range []chat.ClientAction{
		{Action: "open", What: "files", Value: "a.go"}, {Action: "open", What: "settings", Value: "models"}, {Action: "layout", What: "sidebar", Value: "show"},
		{Action: "layout", What: "context", Value: "show"}, {Action: "layout", What: "input", Value: "show"}, {Action: "send", Value: "hi"}, {},
	} {
		does, refused := s.m.show(a)
		require.Equal(t, "not_supported", refused, "%+v", a)
		require.Nil(t, does)
	}
	for _, hostile := range []string{``, `null`, `[]`, `{"call_id":""}`, `{"call_id":7}`} {
		require.Nil(t, s.m.act([]byte(hostile)), hostile)
	}
}
