package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"xbot/internal/client/apiclient"
)

func TestSettings_AreListedAndChangedByKeys(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.server.Prefers(
		apiclient.Setting{Name: "language", Title: "Language of answers", Shown: "the one that you write in", Free: true, Options: []apiclient.Option{{Title: "the one that you write in"}, {Value: "zh", Title: "Chinese"}}},
		apiclient.Setting{Name: "memory", Title: "Memory of conversations", Shown: "on", Options: []apiclient.Option{{Title: "on"}, {Value: "off", Title: "off"}}},
	)
	s.typed("/settings", tea.KeyEnter)
	s.shows("Settings", "› Language of answers", "Memory of conversations", "esc closes")
	s.typed("", tea.KeyEnter)
	s.shows("› the one that you write in", "now", "others: /settings language VALUE")
	s.typed("", tea.KeyDown, tea.KeyEnter)
	s.shows("Language of answers: Chinese.", "› Language of answers")
	s.typed("", tea.KeyDown, tea.KeyDown, tea.KeyEnter)
	s.shows("› on")
	s.typed("", tea.KeyEscape)
	s.shows("› Memory of conversations", "esc closes")
	s.typed("", tea.KeyEscape)
	require.Nil(t, s.m.panel)
	s.shows("Ask anything")

	s.typed("/settings", tea.KeyEnter)
	s.shows("Chinese")
	s.server.Prefers()
	s.typed("", tea.KeyEnter, tea.KeyUp, tea.KeyEnter)
	s.shows("It cannot be that.")
	s.ctrl('c')
	require.Nil(t, s.m.panel, "Ctrl-C closes it")
}

func TestSettings_ServerThatHasNoneSaysSo(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.typed("/settings", tea.KeyEnter)
	s.shows("This server has no settings to choose.")
}
