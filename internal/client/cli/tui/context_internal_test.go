package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/apiclient/apitest"
)

func TestScreen_CompletesAndSendsTheCommandsOfTheServer(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, hello)
	server.Serves(
		apiclient.Command{Name: "compact", Aliases: []string{"compress"}, Args: "[focus]", Help: map[string]string{"en": "makes room"}},
		apiclient.Command{Name: "help", Help: map[string]string{"en": "of the server"}},
	)
	server.Carries(func(text string) (string, bool) { return "Done: " + text, strings.HasPrefix(text, "/comp") })
	s := open(t, server, chat.Session{})
	s.until("the commands", func() bool { return s.m.served != nil })
	s.typed("/com")
	s.shows("/compact [focus]", "makes room")
	s.typed("", tea.KeyTab)
	require.Equal(t, "/compact ", s.m.input.Value())
	s.typed("the ids", tea.KeyEnter)
	s.shows("Done: /compact the ids")
	s.typed("/compress", tea.KeyEnter)
	s.shows("Done: /compress")
	s.typed("/compost", tea.KeyEnter)
	s.shows("There is no command /compost")
	s.typed("/help", tea.KeyEnter)
	s.shows("makes room", "show this")
	s.lacks("of the server")
}

func TestScreen_AnOldServerStillCarriesOutWhatItKnows(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.until("the commands", func() bool { return s.m.served != nil })
	s.server.Carries(func(text string) (string, bool) { return "Done: " + text, text == "/runner" })
	s.typed("/compact", tea.KeyEnter)
	s.shows("There is no command /compact")
	s.typed("/runner", tea.KeyEnter)
	s.shows("Done: /runner")
}

func TestScreen_TellsWhatBecomesOfTheContextQuietly(t *testing.T) {
	t.Parallel()
	step := make(chan struct{})
	s := setup(t, func(turn *apitest.Turn, _ string) {
		turn.Compresses()
		turn.Wait(step)
		turn.Calls(chat.ToolCall{Name: "Read", Summary: "dump.sql", Arguments: "{}", Offload: "ol_5f2c9e01ab"})
		turn.Run(0)
		turn.Done(0, "[offload:ol_5f2c9e01ab] 60000 lines", false)
		turn.Say("It is long.")
		turn.Answer()
	})
	s.typed("read it", tea.KeyEnter)
	s.shows("compressing the context")
	close(step)
	s.shows("It is long.", "── Context compacted: 152 k → 11 k tokens. ──")
	s.lacks("! Context")
	s.lacks("compressing")
	s.lacks("the model saw this summary")
	s.ctrl('o')
	s.shows("the model saw this summary")
}

func TestScreen_TakesOutWhatWasRewound(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.typed("first", tea.KeyEnter)
	s.shows("you said first", "1.2k in")
	s.typed("second", tea.KeyEnter)
	s.shows("you said second")
	s.server.Rewind(s.m.session.Key, "second")
	s.until("the rewind", func() bool { return !strings.Contains(s.text(), "you said second") })
	s.shows("you said first")
}

func TestBranch_WhatIsBroughtBackElsewhereShows(t *testing.T) {
	s := setup(t, hello)
	s.typed("first", tea.KeyEnter)
	s.shows("you said first", "1.2k in")
	s.server.Switch(s.m.session.Key, "first", "the other one", "said before")
	s.until("the switch", func() bool { return strings.Contains(s.text(), "said before") })
	s.shows("the other one")
	s.until("what it replaced to go", func() bool { return !strings.Contains(s.text(), "you said first") })
}
