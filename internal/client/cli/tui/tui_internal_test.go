package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/apiclient/apitest"
)

func TestScreen_AsksAndAnswers(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.shows("Ask anything, or say what is to be done.", "Commands run on this machine, in /work.", "No model is configured", "demo/demo · /work")
	s.typed("good morning", tea.KeyEnter)
	s.shows("▌ good morning", "Hello, you said good morning.", "demo/demo · 1.2k in, 34 out")
	s.lacks("Ask anything")
	require.Equal(t, "/work", s.server.Session(s.m.session.Key).Cwd)
	require.Equal(t, "xbot · good morning", s.m.View().WindowTitle)
	require.False(t, s.m.running())
}

func TestScreen_ShowsWhatATurnDoes(t *testing.T) {
	t.Parallel()
	step := make(chan struct{})
	s := setup(t, func(turn *apitest.Turn, _ string) {
		turn.Think("I should look.")
		turn.Wait(step)
		turn.Say("Looking.")
		turn.Calls(chat.ToolCall{Name: "Shell", Summary: "go test ./...", Arguments: `{"command":"go test ./...","timeout":60}`}, chat.ToolCall{Name: "Read", Summary: "a.go"})
		turn.Todos(chat.Todo{ID: "1", Text: "look", Done: true}, chat.Todo{ID: "2", Text: "mend"})
		turn.Run(0, "line 1\nline 2\n", "\x1b[31mline 3\x1b[0m\nline 4\n")
		turn.Wait(step)
		turn.Done(0, "line 1\nline 2\nline 3\nline 4\n[exit code 0, 1s]", false)
		turn.Run(1)
		turn.Done(1, "Error: a.go does not exist\nPlease fix the issue and try again.", true)
		turn.Say("wrong sta")
		turn.Retry("rate limit")
		turn.Wait(step)
		turn.Say("It works.")
		turn.Answer()
	})
	s.typed("does it work?", tea.KeyEnter)
	s.shows("∴ I should look.", "thinking · ", "ctrl+c stops")
	step <- struct{}{}
	s.shows("∴ reasoning", "● Shell go test ./...", "│ line 2", "│ line 4", "○ Read a.go", "1 of 2 done · mend", "running Shell")
	s.lacks("line 1")
	step <- struct{}{}
	s.shows("✓ Shell go test ./...", "✗ Read a.go", "    a.go does not exist", "retrying 2/5", "trying again")
	s.lacks("line 4")
	s.lacks("Please fix")
	step <- struct{}{}
	s.shows("It works.", "1.2k in")
	s.lacks("wrong")
	s.lacks("retrying")

	s.ctrl('o')
	s.shows("I should look.", "│ timeout: 60", "│ line 1", "│ line 4", "│ Error: a.go does not exist")
	s.lacks("command: go test")
	s.ctrl('o')
	s.lacks("│ line 1")
	s.ctrl('t')
	s.shows("☑ look", "☐ mend")
}

func TestScreen_StopsAtCtrlCAndLeavesAtASecondOne(t *testing.T) {
	t.Parallel()
	s := setup(t, func(turn *apitest.Turn, _ string) {
		turn.Say("a long sto")
		<-turn.Stopping()
		turn.Fail(chat.TurnStopped, "Stopped as you asked.")
	})
	s.typed("tell me a story", tea.KeyEnter)
	s.shows("a long sto")
	s.ctrl('c')
	s.shows("Stopping. Ctrl-C again leaves.")
	s.shows("! Stopped as you asked.", "(not finished)")
	require.False(t, s.quit)
	s.until("the end of the turn", func() bool { return !s.m.running() })
	s.ctrl('c')
	s.until("the end", func() bool { return s.quit })
	require.True(t, s.m.interrupted)
}

func TestScreen_CtrlCClearsWhatIsTypedFirst(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.typed("half a thou")
	s.ctrl('c')
	s.shows("Ctrl-C again leaves.")
	require.Empty(t, s.m.input.Value())
	s.typed("x") // any other key disarms it
	s.ctrl('c')
	require.False(t, s.quit)
}

func TestScreen_GoesOnAcrossARestartInTheMiddleOfAnAnswer(t *testing.T) {
	t.Parallel()
	gone, back := make(chan struct{}), make(chan struct{})
	s := setup(t, func(turn *apitest.Turn, text string) {
		if text != "first" {
			hello(turn, text)
			return
		}
		turn.Say("before ")
		turn.Wait(gone)
		turn.Say("unheard ")
		turn.Wait(back)
		turn.Say("after")
		turn.Answer()
	})
	s.typed("first", tea.KeyEnter)
	s.shows("before", "answering")
	s.server.Stop()
	s.shows("! The server is away", "waiting for the server")
	close(gone)
	s.typed("second", tea.KeyEnter)
	s.typed("third", tea.KeyEnter)
	s.shows("not sent yet: waiting for the server")
	require.NoError(t, s.server.Start())
	s.until("the connection", func() bool { return s.m.away.IsZero() })
	close(back)
	s.shows("before unheard after", "you said second.", "you said third.")
	s.lacks("not sent")
	transcript, err := s.client.ListMessages(t.Context(), s.m.session.Key, apiclient.ListMessagesParams{})
	require.NoError(t, err)
	var asked []string
	for _, m := range transcript.Messages {
		if m.Role == chat.RoleUser {
			asked = append(asked, m.Content)
		}
	}
	require.Equal(t, []string{"first", "second", "third"}, asked, "each once, in order")
}

func TestScreen_ReadsTheConversationAnewWhereWhatItMissedIsForgotten(t *testing.T) {
	t.Parallel()
	back := make(chan struct{})
	s := setup(t, func(turn *apitest.Turn, _ string) {
		turn.Say("before ")
		turn.Wait(back)
		turn.Say("unheard")
		turn.Answer()
	})
	s.typed("first", tea.KeyEnter)
	s.shows("before", "answering")
	s.server.Stop()
	s.shows("! The server is away")
	close(back)
	s.until("the answer that nobody hears", func() bool { return s.server.Session(s.m.session.Key).Running == "" })
	s.server.Prune()
	require.NoError(t, s.server.Start())
	s.shows("first", "before unheard")
	s.lacks("! The server is away")
	s.lacks("answering")
}

func TestScreen_TellsThatAStepWasStartedAgain(t *testing.T) {
	t.Parallel()
	step := make(chan struct{})
	s := setup(t, func(turn *apitest.Turn, _ string) {
		turn.Say("first try")
		turn.Wait(step)
		turn.Attempt++
		turn.Say(" of two")
		turn.Answer()
	})
	s.typed("go", tea.KeyEnter)
	s.shows("first try")
	close(step)
	s.shows("resumed after a restart", "1.2k in")
}

func TestScreen_ShowsQueuedMessagesUntilTheirTurn(t *testing.T) {
	t.Parallel()
	step := make(chan struct{})
	s := setup(t, func(turn *apitest.Turn, text string) {
		turn.Wait(step)
		hello(turn, text)
	})
	s.typed("one", tea.KeyEnter)
	s.shows("thinking")
	s.typed("two", tea.KeyEnter)
	s.shows("▌ two\n", "queued", "1 queued")
	close(step)
	s.shows("you said two.")
	s.lacks("queued")
}

func TestScreen_GivesBackAMessageThatIsRefused(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.typed("one", tea.KeyEnter)
	s.shows("you said one.")
	s.m.outbox = append(s.m.outbox, outgoingMessage{id: "", session: s.m.session.Key, text: "cannot be sent"})
	s.run(s.m.send())
	s.shows("Not sent: client_message_id and text must not be empty.", "› cannot be sent")
	s.typed("", tea.KeyEnter)
	s.shows("you said cannot be sent.")
}

func TestScreen_GivesBackWhatWasNotSentWhenItsSessionIsLeft(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.server.Stop()
	s.typed("one", tea.KeyEnter)
	s.typed("two", tea.KeyEnter)
	s.shows("not sent yet")
	s.typed("/new", tea.KeyEnter)
	require.Equal(t, "one\n\ntwo", s.m.input.Value())
	s.shows("Not sent yet, and given back below.")
	require.NoError(t, s.server.Start())
	s.typed("", tea.KeyEnter)
	s.shows("▌ two", "**one")
	require.Len(t, s.server.Keys(), 1)
}

func TestScreen_RecallsWhatWasTyped(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.typed("one", tea.KeyEnter)
	s.shows("you said one.")
	s.typed("two", tea.KeyEnter)
	s.shows("you said two.")
	s.typed("draft", tea.KeyUp)
	require.Equal(t, "two", s.m.input.Value())
	s.typed("", tea.KeyUp, tea.KeyUp, tea.KeyUp)
	require.Equal(t, "one", s.m.input.Value())
	s.typed("", tea.KeyDown, tea.KeyDown, tea.KeyDown)
	require.Equal(t, "draft", s.m.input.Value())
}

func TestScreen_TakesSeveralLines(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.typed(`one\`, tea.KeyEnter)
	s.typed("two")
	s.ctrl('j')
	s.typed("three")
	require.Equal(t, "one\ntwo\nthree", s.m.input.Value())
	s.shows("› one", "  two", "  three")
	s.typed("", tea.KeyUp)
	require.Equal(t, "one\ntwo\nthree", s.m.input.Value(), "the arrow goes to the line above first")
	s.typed("", tea.KeyEnter)
	s.shows("▌ one", "▌ two", "▌ three", "1.2k in")
}

func TestCommandLine_PartsALongCommandFromWhatItDoes(t *testing.T) {
	m := &model{}
	require.Equal(t, "/model [NAME|list|status|default] chooses", m.commandLine(about{name: "model", args: "[NAME|list|status|default]", does: "chooses"}))
	require.Equal(t, "/new                 begins", m.commandLine(about{name: "new", does: "begins"}))
}

func TestScreen_KnowsItsCommands(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.typed("/he")
	s.shows("/help", "show this")
	s.typed("", tea.KeyTab)
	require.Equal(t, "/help ", s.m.input.Value())
	s.typed("", tea.KeyEnter)
	s.shows("Commands", "start another session")
	s.typed("", tea.KeyPgDown)
	s.shows("Keys", "stop the answer; twice leaves")
	s.typed("", tea.KeyEscape)
	s.lacks("Commands")
	s.typed("/nonsense", tea.KeyEnter)
	s.shows("There is no command /nonsense; /help lists what there is.")
	s.typed("/stop", tea.KeyEnter)
	s.shows("Nothing is running.")
	s.typed("/resume", tea.KeyEnter)
	s.shows("There is no other session.")
	s.typed("/rename x", tea.KeyEnter)
	s.shows("The session has no message yet.")
	s.typed("/etc/hosts is a path", tea.KeyEnter)
	s.shows("you said /etc/hosts is a path.")
	s.typed("/quit", tea.KeyEnter)
	s.until("the end", func() bool { return s.quit })
}

func TestScreen_MovesBetweenSessions(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.typed("about apples", tea.KeyEnter)
	s.shows("you said about apples.")
	s.typed("/rename Fruit", tea.KeyEnter)
	s.shows("xbot · Fruit")
	s.typed("/new", tea.KeyEnter)
	s.shows("A new session begins", "Ask anything")
	s.lacks("apples")
	s.typed("about bread", tea.KeyEnter)
	s.shows("you said about bread.")
	require.Len(t, s.server.Keys(), 2)

	s.typed("/sessions", tea.KeyEnter)
	s.shows("Sessions", "› about bread", "open · now", "Fruit")
	s.typed("fru")
	s.shows("Sessions with “fru”", "› Fruit")
	s.typed("", tea.KeyEnter)
	s.shows("you said about apples.", "1.2k in")
	s.typed("/resume", tea.KeyEnter)
	s.shows("you said about bread.")
	s.typed("/sessions nothing like it", tea.KeyEnter)
	s.shows("There is no such session.")
}

func TestScreen_ContinuesASession(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.typed("one", tea.KeyEnter)
	s.shows("you said one.")
	again := open(t, s.server, s.server.Session(s.m.session.Key))
	again.shows("you said one.", "1.2k in")
	again.typed("", tea.KeyUp)
	require.Equal(t, "one", again.m.input.Value())
}

func TestScreen_WaitsForAServerThatIsAwayAtTheStart(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.typed("one", tea.KeyEnter)
	s.shows("you said one.")
	session := s.server.Session(s.m.session.Key)
	s.server.Stop()
	again := open(t, s.server, session)
	again.shows("! The server is away")
	require.NoError(t, s.server.Start())
	again.shows("you said one.")
}

func TestScreen_ScrollsAndLoadsWhatIsOlder(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, hello)
	client := server.Client()
	t.Cleanup(client.Close)
	session, err := client.CreateSession(t.Context(), apiclient.NewSession{})
	require.NoError(t, err)
	for i := range 120 {
		_, err := client.Send(t.Context(), session.Key, fmt.Sprint(i), fmt.Sprintf("question-%d.", i))
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool { return server.Session(session.Key).Seq == 600 }, 1e10, 1e7)

	s := open(t, server, session)
	s.shows("question-119.")
	for range 200 {
		s.typed("", tea.KeyPgUp)
	}
	s.shows("question-0.")
	s.shows("↓")
	s.take(tea.KeyPressMsg{Code: tea.KeyEnd, Mod: tea.ModCtrl})
	s.shows("question-119.")
	s.take(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	s.shows("↓ 3 lines")
	s.typed("one more", tea.KeyEnter)
	s.shows("you said one more.")
}

func TestScreen_FitsEverySize(t *testing.T) {
	t.Parallel()
	s := setup(t, func(turn *apitest.Turn, _ string) {
		turn.Say("# A title\n\n" + strings.Repeat("long ", 100) + strings.Repeat("x", 300) + "\n\n```\n" + strings.Repeat("y", 300) + "\n```\n\n| a | b |\n|---|---|\n| 中文 | 2 |\n")
		turn.Calls(chat.ToolCall{Name: "Shell", Summary: strings.Repeat("z", 300), Arguments: "{}"})
		turn.Run(0)
		turn.Done(0, strings.Repeat("output\twith tab\n", 100), true)
		turn.Todos(chat.Todo{ID: "1", Text: strings.Repeat("todo ", 50)})
		turn.Say("end")
		turn.Answer()
	})
	s.typed("测试 "+strings.Repeat("宽", 100), tea.KeyEnter)
	s.shows("1.2k in")
	s.typed("/")
	for width := 20; width <= 130; width += 11 {
		for height := 8; height <= 60; height += 13 {
			s.ctrl('o')
			s.take(tea.WindowSizeMsg{Width: width, Height: height})
			lines := strings.Split(s.m.View().Content, "\n")
			require.Len(t, lines, height, "at %d×%d", width, height)
			for _, line := range lines {
				require.LessOrEqual(t, ansi.StringWidth(line), width, "at %d×%d: %q", width, height, line)
			}
		}
	}
}

func TestScreen_LetsNothingThatOthersWroteDriveTheTerminal(t *testing.T) {
	t.Parallel()
	const evil = "\x1b]0;owned\x07\x1b[2J\x1b[31m\u202eevil\u0007"
	s := setup(t, func(turn *apitest.Turn, _ string) {
		turn.Think(evil)
		turn.Say(evil)
		turn.Calls(chat.ToolCall{Name: "Shell" + evil, Summary: evil, Arguments: `{"a":"` + "b" + `"}`})
		turn.Run(0, evil)
		turn.Done(0, evil, true)
		turn.Todos(chat.Todo{ID: "1", Text: evil})
		turn.Fail(chat.TurnFailed, evil)
	})
	s.typed("go", tea.KeyEnter)
	s.until("the end", func() bool { return len(s.m.story.Ends) == 1 })
	s.ctrl('o')
	content := s.m.View().Content
	require.Contains(t, content, "evil")
	for _, sequence := range []string{"\x1b]", "\x1b[2J", "\x1b[31m", "\u202e", "\u0007"} {
		require.NotContains(t, content, sequence)
	}
}

func TestScreen_RespectsTheWishForNoColours(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.take(tea.ColorProfileMsg{Profile: colorprofile.ASCII})
	s.typed("# one `two`", tea.KeyEnter)
	s.shows("1.2k in")
	require.NotRegexp(t, `\x1b\[[0-9;]*[34]8;`, s.m.View().Content)
	require.NotRegexp(t, `\x1b\[3[0-7]m`, s.m.View().Content)
}
