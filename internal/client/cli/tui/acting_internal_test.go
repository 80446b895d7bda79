package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/apiclient/apitest"
	"xbot/internal/fault"
)

// steered is a terminal whose first message is answered by asking it for an action, after the signal.
func steered(t *testing.T, a chat.ClientAction, before ...chat.Todo) (s *screen, ask chan struct{}, said chan apiclient.ActionAnswer) {
	t.Helper()
	a.Call = "t.0.0"
	ask, said = make(chan struct{}), make(chan apiclient.ActionAnswer, 1)
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
		first := turn.Act(a)
		if first.Outcome != "done" || a.What != "conversation" { // else the terminal has left
			require.Equal(t, first, turn.Act(a), "told again, it answers again")
		}
		said <- first
		turn.Answer()
	})
	s.typed("steer", tea.KeyEnter)
	s.shows("Wait.")
	return s, ask, said
}

// answers lets the program run until the action was answered.
func (s *screen) answers(said chan apiclient.ActionAnswer) apiclient.ActionAnswer {
	s.t.Helper()
	s.until("an answer", func() bool { return len(said) == 1 })
	answer := <-said
	require.Equal(s.t, s.m.acting.client, answer.Client)
	return answer
}

// refuses requires that the terminal refuses an action at once.
func (s *screen) refuses(reason string, a chat.ClientAction) {
	s.t.Helper()
	does, refused, later := s.m.show(steering{ClientAction: a, from: s.m.session.Key})
	require.Equal(s.t, reason, refused, "%+v", a)
	require.Nil(s.t, does)
	require.False(s.t, later)
}

const otherSession = "agent:main:cli:thread:other"

// held is a terminal that was told to open another session, and has loaded it; what was loaded is given to it by the test.
func held(t *testing.T) (s *screen, arrives func(), said chan apiclient.ActionAnswer) {
	t.Helper()
	s, ask, said := steered(t, chat.ClientAction{Action: "open", What: "conversation", Value: otherSession})
	_, err := s.client.CreateSession(t.Context(), apiclient.NewSession{Key: otherSession, Title: "The other one"})
	require.NoError(t, err)
	close(ask)
	var kept tea.Msg
	deadline := time.After(10 * time.Second)
	for kept == nil {
		select {
		case msg := <-s.msgs:
			if opened, ok := msg.(openedMsg); ok && opened.steered != nil {
				kept = msg
			} else {
				s.take(msg)
			}
		case <-deadline:
			require.FailNow(t, "the other session was not loaded")
		}
	}
	return s, func() { s.take(kept) }, said
}

func TestActing_WhatIsTypedWhileASessionLoadsStaysHere(t *testing.T) {
	t.Parallel()
	s, arrives, said := held(t)
	here := s.m.session.Key
	s.typed("half a sent")
	arrives()
	require.Equal(t, apiclient.ActionAnswer{Client: s.m.acting.client, Outcome: "refused", Reason: "not_now"}, s.answers(said))
	require.Equal(t, here, s.m.session.Key)
	require.Equal(t, s.m.wanted, here)
	require.Equal(t, "half a sent", s.m.input.Value())
}

func TestActing_AMessageThatWasSentWhileASessionLoadsGoesToTheOneOnTheScreen(t *testing.T) {
	t.Parallel()
	s, arrives, said := held(t)
	here := s.m.session.Key
	s.typed("for this one", tea.KeyEnter)
	arrives()
	require.Equal(t, "not_now", s.answers(said).Reason)
	s.shows("you said for this one.")
	require.Equal(t, here, s.m.session.Key)
	other, err := s.client.ListMessages(t.Context(), otherSession, apiclient.ListMessagesParams{})
	require.NoError(t, err)
	require.Empty(t, other.Messages)
}

func TestActing_WhatWasTypedForASessionThatDoesNotOpenIsGivenBack(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.typed("one", tea.KeyEnter)
	s.shows("you said one.")
	here := s.m.session.Key
	load := s.m.switchTo("agent:main:cli:thread:none")
	s.typed("for the other", tea.KeyEnter)
	s.run(load)
	s.shows("given back below", "for the other")
	require.Equal(t, here, s.m.session.Key)
	require.Empty(t, s.m.outbox)
	s.lacks("you said for the other.")
}

func TestActing_ASessionThatIsNotThereIsNotSaidToBeOpen(t *testing.T) {
	t.Parallel()
	s, ask, said := steered(t, chat.ClientAction{Action: "open", What: "conversation", Value: "agent:main:cli:thread:none"})
	here := s.m.session.Key
	close(ask)
	got := s.answers(said)
	require.Equal(t, []string{"refused", "not_found"}, []string{got.Outcome, got.Reason})
	require.False(t, s.m.opening)
	require.Equal(t, s.m.wanted, here)
}

func TestActing_WhatAnotherHasTakenIsNotDone(t *testing.T) {
	t.Parallel()
	s := setup(t, func(turn *apitest.Turn, _ string) {
		turn.Taken(chat.ClientAction{Call: "t.0.0", Action: "theme", Value: "light"})
		turn.Say("Wait.")
		turn.Answer()
	})
	s.typed("steer", tea.KeyEnter)
	s.shows("Wait.")
	s.until("the refusal", func() bool { _, known := s.m.acting.known["t.0.0"]; return known })
	require.True(t, s.m.dark)
}

func TestActing_WhatTheServerNoLongerWaitsForIsNotDone(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	a := steering{ClientAction: chat.ClientAction{Call: "t.0.0", Action: "theme", Value: "light"}, receivedAt: time.Now().Add(-actionLasts - time.Second)}
	require.Nil(t, s.m.taken(takenMsg{steering: a}), "the machine slept before the answer of the server came")
	a.receivedAt = time.Now()
	require.Nil(t, s.m.taken(takenMsg{steering: a, err: fault.Errorf(fault.Conflict, "nobody waits")}))
	require.True(t, s.m.dark)
	s.m.taken(takenMsg{steering: a})
	require.False(t, s.m.dark)
}

func TestActing_ActionsBeforeAGapAreCarriedOut(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.typed("one", tea.KeyEnter)
	s.shows("you said one.")
	does := s.m.applyFeed(feedMsg{feed: s.m.feed, updates: []apiclient.Update{
		{Event: &chat.Event{Kind: chat.EventAction, Data: []byte(`{"call_id":"t.0.0","action":"theme","value":"light"}`)}},
		{Hello: &apiclient.Hello{Gap: true}},
	}})
	batch, ok := does().(tea.BatchMsg)
	require.True(t, ok)
	require.Len(t, batch, 2, "the action is taken, and the session loaded anew")
	_, taken := batch[0]().(takenMsg)
	require.True(t, taken)
	s.run(batch[1])
	s.until("the session", func() bool { return !s.m.opening })
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
	s, ask, said := steered(t, chat.ClientAction{Action: "open", What: "conversation", Value: otherSession})
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
	does, refused, _ := s.m.show(steering{ClientAction: chat.ClientAction{Action: "theme", Value: "system"}})
	require.Empty(t, refused)
	require.NotNil(t, does, "it asks the terminal")
	s.take(tea.BackgroundColorMsg{})
	require.True(t, s.m.dark)
}

func TestActing_AThemeMeansNothingWithoutColours(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.m.plain = true
	s.refuses("not_supported", chat.ClientAction{Action: "theme", Value: "light"})
}

func TestActing_UnfoldsDetailsAndTodos(t *testing.T) {
	t.Parallel()
	s, ask, said := steered(t, chat.ClientAction{Action: "layout", What: "details", Value: "show"}, chat.Todo{ID: "1", Text: "dig"}, chat.Todo{ID: "2", Text: "sow"})
	close(ask)
	require.Equal(t, "done", s.answers(said).Outcome)
	require.True(t, s.m.column.details)
	s.m.show(steering{ClientAction: chat.ClientAction{Action: "layout", What: "details", Value: "hide"}})
	require.False(t, s.m.column.details)
	s.lacks("☐ sow")
	s.m.show(steering{ClientAction: chat.ClientAction{Action: "open", What: "todos"}})
	s.shows("☐ sow")
}

func TestActing_OpensTheSettingsUnlessSomethingElseIsOpen(t *testing.T) {
	t.Parallel()
	s, ask, said := steered(t, chat.ClientAction{Action: "open", What: "settings"})
	s.server.Prefers(apiclient.Setting{Name: "language", Title: "Language", Value: "en", Shown: "English"})
	close(ask)
	require.Equal(t, "done", s.answers(said).Outcome)
	s.shows("Settings", "Language")
	s.refuses("not_now", chat.ClientAction{Action: "open", What: "settings"})
	s.refuses("not_now", chat.ClientAction{Action: "open", What: "conversation", Value: otherSession})
}

func TestActing_SettingsThatDoNotOpenAreNotSaidToBeOpen(t *testing.T) {
	t.Parallel()
	s, ask, said := steered(t, chat.ClientAction{Action: "open", What: "settings"})
	close(ask) // this server has none
	require.Equal(t, "not_found", s.answers(said).Reason)
	require.Nil(t, s.m.panel)
	a := steering{from: s.m.session.Key, receivedAt: time.Now()}
	s.typed("yes")
	s.m.showSettings(settingsMsg{steered: &a, settings: []apiclient.Setting{{Name: "language"}}})
	require.Nil(t, s.m.panel, "the keys of what is being typed would choose in it")
}

func TestActing_RefusesWhatATerminalDoesNotHave(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	for _, a := range []chat.ClientAction{
		{Action: "open", What: "files", Value: "a.go"}, {Action: "open", What: "settings", Value: "models"}, {Action: "layout", What: "sidebar", Value: "show"},
		{Action: "layout", What: "context", Value: "show"}, {Action: "layout", What: "input", Value: "show"}, {Action: "send", Value: "hi"}, {},
	} {
		s.refuses("not_supported", a)
	}
	s.refuses("not_found", chat.ClientAction{Action: "open", What: "todos"})
	for _, hostile := range []string{``, `null`, `[]`, `{"call_id":""}`, `{"call_id":7}`} {
		require.Nil(t, s.m.act([]byte(hostile)), hostile)
	}
}
