package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/apiclient/apitest"
	"xbot/internal/client/cli/location"
)

// TestMain looks for goroutines that are left. A tick that still waits for its time is none, nor is the clock of the
// regular expressions that highlight code, which ends by itself.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("charm.land/bubbletea/v2.Tick.func1"),
		goleak.IgnoreAnyFunction("github.com/dlclark/regexp2.runClock"),
		goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"),
	)
}

// screen runs a model as the program does, against a real server, and looks at what it draws.
type screen struct {
	t      *testing.T
	server *apitest.Server
	client *apiclient.Client
	m      *model
	msgs   chan tea.Msg
	quit   bool
}

func setup(t *testing.T, script apitest.Script) *screen {
	t.Helper()
	server := apitest.New(t, script)
	server.Knows(nil, []chat.Runner{{Name: "local", Kind: chat.RunnerLocal, Workspace: "/srv", Active: true}})
	return open(t, server, chat.Session{})
}

// open starts a terminal of 80 columns and 24 lines on a session.
func open(t *testing.T, server *apitest.Server, session chat.Session) *screen {
	t.Helper()
	return openIn(t, server, session, location.Finder{Own: true, Cwd: "/work"})
}

// openIn is open for commands that run elsewhere.
func openIn(t *testing.T, server *apitest.Server, session chat.Session, finder location.Finder) *screen {
	t.Helper()
	s := &screen{t: t, server: server, client: server.Client(), msgs: make(chan tea.Msg, 1000)}
	finder.Client = s.client
	s.m = newModel(t.Context(), Options{Client: s.client, Me: apiclient.Me{Model: "demo/demo", Demo: true}, Session: session, Place: finder})
	s.m.tell = func(msg tea.Msg) { s.msgs <- msg }
	t.Cleanup(func() {
		s.m.close()
		s.client.Close()
	})
	s.run(s.m.Init())
	s.take(tea.WindowSizeMsg{Width: 80, Height: 24})
	return s
}

// run does a command in a goroutine, as the program does.
func (s *screen) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		msg := cmd()
		select {
		case s.msgs <- msg:
		case <-s.t.Context().Done():
		}
	}()
}

func (s *screen) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, cmd := range msg {
			s.run(cmd)
		}
	case tea.QuitMsg:
		s.quit = true
	default:
		_, cmd := s.m.Update(msg)
		s.run(cmd)
	}
}

// until lets the program run until the screen is as wanted.
func (s *screen) until(why string, wanted func() bool) {
	s.t.Helper()
	deadline := time.After(10 * time.Second)
	for !wanted() {
		select {
		case msg := <-s.msgs:
			s.take(msg)
		case <-deadline:
			require.FailNow(s.t, "did not come: "+why, s.text())
		}
	}
}

// shows waits until the screen holds all of the texts.
func (s *screen) shows(wanted ...string) {
	s.t.Helper()
	s.until(strings.Join(wanted, ", "), func() bool {
		text := s.text()
		for _, want := range wanted {
			if !strings.Contains(text, want) {
				return false
			}
		}
		return true
	})
}

// lacks requires that the screen does not hold a text.
func (s *screen) lacks(text string) {
	s.t.Helper()
	require.NotContains(s.t, s.text(), text)
}

// text is the screen without colours.
func (s *screen) text() string { return ansi.Strip(s.m.View().Content) }

// typed types a text, then presses keys.
func (s *screen) typed(text string, keys ...rune) {
	for _, r := range text {
		s.take(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	for _, key := range keys {
		s.take(tea.KeyPressMsg{Code: key})
	}
}

func (s *screen) ctrl(key rune) { s.take(tea.KeyPressMsg{Code: key, Mod: tea.ModCtrl}) }

// hello answers everything with a greeting.
func hello(turn *apitest.Turn, text string) {
	turn.Say("Hello, ")
	turn.Say("you said **" + text + "**.")
	turn.Answer()
}
