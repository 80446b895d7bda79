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

// completing opens a terminal on a server with commands, models and runners to complete.
func completing(t *testing.T) *screen {
	t.Helper()
	server := apitest.New(t, hello)
	server.Serves(
		apiclient.Command{Name: "think", Aliases: []string{"t"}, Args: "[off|low|high]", Words: []string{"off", "low", "high"}, Help: map[string]string{"en": "sets how much"}},
		apiclient.Command{Name: "model", Args: "[NAME|default]", Words: []string{"default"}, Help: map[string]string{"en": "chooses"}},
		apiclient.Command{Name: "new", Args: "[MODEL] [TEXT…]", Help: map[string]string{"en": "begins anew"}},
		apiclient.Command{Name: "runner", Args: "[list|use NAME|use default|revoke NAME]", Words: []string{"list", "use ", "use default", "revoke "}},
		apiclient.Command{Name: "help", Words: []string{"never"}},
		apiclient.Command{Name: "config", Who: "admin"},
	)
	no := false
	server.Knows([]apiclient.Model{
		{ID: "openai/large", Alias: []string{"large"}}, {ID: "other/small"}, {ID: "third/keyless", Available: &no},
	}, []chat.Runner{{Name: "local"}, {Name: "laptop", Revocable: true}})
	server.Carries(func(text string) (string, bool) { return "Done: " + text, strings.HasPrefix(text, "/") })
	s := open(t, server, chat.Session{})
	s.until("the commands", func() bool { return s.m.served != nil })
	return s
}

// offered are the ways to go on, as they are listed.
func (s *screen) offered() []string {
	labels := []string{}
	for _, o := range s.m.options() {
		labels = append(labels, o.label)
	}
	return labels
}

// offers waits until exactly these ways to go on are listed.
func (s *screen) offers(wanted ...string) {
	s.t.Helper()
	s.until(strings.Join(wanted, ", "), func() bool { return strings.Join(s.offered(), "|") == strings.Join(wanted, "|") })
}

func (s *screen) clears() {
	s.take(tea.KeyPressMsg{Code: tea.KeyEscape})
	s.m.setInput("")
}

func TestComplete_WordsBehindACommandAndItsOtherNames(t *testing.T) {
	t.Parallel()
	s := completing(t)
	s.typed("/think ")
	s.offers("off", "low", "high")
	s.typed("H")
	s.offers("high")
	s.typed("", tea.KeyTab)
	require.Equal(t, "/think high", s.m.input.Value())
	require.Empty(t, s.offered(), "what is finished is not offered")
	s.clears()
	s.typed("/t l", tea.KeyTab)
	require.Equal(t, "/t low", s.m.input.Value())
	s.clears()
	s.typed("/help ")
	require.Empty(t, s.offered(), "the client carries it out")
	s.typed("", tea.KeyEnter)
	s.typed("", tea.KeyEscape)
	s.typed("see /think ")
	require.Empty(t, s.offered(), "it is no command inside a text")
}

func TestComplete_ModelsThatCanBeCalled(t *testing.T) {
	t.Parallel()
	s := completing(t)
	s.typed("/model ")
	s.offers("large", "openai/large", "other/small", "default")
	s.typed("op", tea.KeyTab)
	require.Equal(t, "/model openai/large", s.m.input.Value())
	s.clears()
	s.typed("/new ")
	s.offers("large", "openai/large", "other/small")
	s.typed("large h")
	require.Empty(t, s.offered(), "what follows the model is a message")
}

func TestComplete_RunnersWhereOneMayBeNamed(t *testing.T) {
	t.Parallel()
	s := completing(t)
	s.typed("/runner ")
	s.offers("list", "use", "use default", "revoke")
	s.typed("u", tea.KeyTab)
	require.Equal(t, "/runner use ", s.m.input.Value())
	s.offers("use local", "use laptop", "use default")
	s.clears()
	s.typed("/runner revoke ")
	s.offers("revoke laptop")
}

func TestComplete_TasksThatRun(t *testing.T) {
	t.Parallel()
	s := completing(t)
	s.m.story.Tasks = []chat.Task{{ID: "bg2", State: chat.TaskRunning}, {ID: "bg1", State: chat.TaskExited}}
	s.typed("/kill ")
	s.offers("bg2")
}

func TestComplete_ArrowsChooseEscClosesAndEnterFinishesANameBeforeItSends(t *testing.T) {
	t.Parallel()
	s := completing(t)
	s.typed("/think ", tea.KeyDown, tea.KeyDown, tea.KeyDown, tea.KeyUp)
	s.shows("› high")
	s.typed("", tea.KeyTab, tea.KeyEnter)
	s.shows("Done: /think high")
	s.typed("/thi", tea.KeyEnter)
	require.Equal(t, "/think ", s.m.input.Value())
	s.typed("", tea.KeyEscape)
	require.Empty(t, s.offered())
	s.typed("", tea.KeyUp)
	require.Equal(t, "/think high", s.m.input.Value(), "with the list closed, the arrow goes back to what was typed")
	require.Empty(t, s.offered())
}

func TestComplete_LongListShowsAPartAroundTheChosen(t *testing.T) {
	t.Parallel()
	s := completing(t)
	s.typed("/")
	require.Greater(t, len(s.offered()), menuRows)
	s.shows("› /new", "1 of ")
	s.typed("", tea.KeyUp)
	s.shows("› /runner")
	s.lacks("/config") // for administrators
	s.lacks("/new ")
}
