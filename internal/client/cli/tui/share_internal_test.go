package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"xbot/internal/client/apiclient"
)

func TestShare_ALinkIsShownOnceInFrontOfTheConversationAndStandsNowhereElse(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.typed("/share", tea.KeyEnter)
	s.shows("Not shared: the session begins with its first message")
	s.typed("hi", tea.KeyEnter)
	s.shows("you said hi.")
	key := s.m.session.Key

	s.typed("/share 30", tea.KeyEnter)
	s.shows("Links to this session", "Link 1: whoever has it reads the conversation as it is now", s.server.Endpoint().URL+"/shared/token-1", "esc closes")
	require.Len(t, s.server.Links(key), 1)
	s.typed("", tea.KeyEscape)
	s.shows("you said hi.")
	s.lacks("/shared/")
	transcript, err := s.client.ListMessages(t.Context(), key, apiclient.ListMessagesParams{Limit: 10})
	require.NoError(t, err)
	require.Len(t, transcript.Messages, 2, "it is no message")

	s.server.PublicURL("https://xbot.example.org")
	s.typed("/share", tea.KeyEnter)
	s.shows("https://xbot.example.org/shared/token-2")
	s.ctrl('c')
	s.lacks("/shared/")

	s.typed("/share list", tea.KeyEnter)
	s.shows("2  made ", "1  made ", "good until ")
	s.lacks("token-")
	s.typed("", tea.KeyEscape)
	s.typed("/share revoke 2", tea.KeyEnter)
	s.shows("Link 2 is useless now.")
	require.Len(t, s.server.Links(key), 1)
	for typed, said := range map[string]string{
		"/share revoke 7": "no link of this conversation has the number 7",
		"/share 91":       "a link is good for 1 to 90 days",
		"/share soon":     "say /share, /share DAYS, /share list or /share revoke N",
	} {
		s.typed(typed, tea.KeyEnter)
		s.shows("Not shared: " + said)
	}
	require.Len(t, s.server.Links(key), 1)
}

func TestShare_IsListedAndCompleted(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.typed("/sha")
	s.shows("/share [days|list|revoke N]")
	s.typed("", tea.KeyTab)
	s.shows("list", "revoke")
	s.typed("rev", tea.KeyTab)
	require.Equal(t, "/share revoke ", s.m.input.Value())
}
