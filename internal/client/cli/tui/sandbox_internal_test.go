package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/apiclient/apitest"
)

// asks runs a command after asking, and says how that went.
func asks(turn *apitest.Turn, _ string) {
	turn.Calls(chat.ToolCall{Name: "Shell", Summary: "rm -rf build", Arguments: `{"command":"rm -rf build\nmake all"}`})
	approval := turn.Ask(0, "old results hide the fault")
	if approval.State == chat.ApprovalAllowed {
		turn.Run(0)
	}
	turn.Done(0, "done", approval.State != chat.ApprovalAllowed)
	turn.Say("It was " + string(approval.State) + ".")
	turn.Answer()
}

func TestScreen_AsksWhetherACallMayRun(t *testing.T) {
	t.Parallel()
	s := setup(t, asks)
	s.typed("clean up", tea.KeyEnter)
	s.shows("? Shell rm -rf build", "│ make all", "│ why: old results hide the fault", "May Shell run?  y allows", "a always allows make · rm -rf",
		"waiting for you")
	s.typed("y", tea.KeyEnter)
	s.shows("It was allowed.", "allowed by alice · it had asked because: old results hide the fault")
	s.lacks("May Shell run?")
	require.False(t, s.server.Always())
}

func TestScreen_DeniesWithANote(t *testing.T) {
	t.Parallel()
	s := setup(t, asks)
	s.typed("clean up", tea.KeyEnter)
	s.shows("May Shell run?")
	s.typed("n not on a Friday", tea.KeyEnter)
	s.shows("It was denied.", "denied by alice: not on a Friday")
}

func TestScreen_AllowsForGood(t *testing.T) {
	t.Parallel()
	s := setup(t, asks)
	s.typed("clean up", tea.KeyEnter)
	s.shows("a always allows make")
	s.typed("a", tea.KeyEnter)
	s.shows("It was allowed.")
	require.True(t, s.server.Always())
}

func TestScreen_AMessageIsNoAnswerToAQuestion(t *testing.T) {
	t.Parallel()
	s := setup(t, func(turn *apitest.Turn, text string) {
		if text == "clean up" {
			asks(turn, text)
			return
		}
		hello(turn, text)
	})
	s.typed("clean up", tea.KeyEnter)
	s.shows("May Shell run?")
	s.typed("yes but first", tea.KeyEnter)
	s.shows("queued", "May Shell run?")
	s.typed("n", tea.KeyEnter)
	s.shows("It was denied.", "you said yes but first.")
}

func TestScreen_SaysThatSomebodyElseAnswered(t *testing.T) {
	t.Parallel()
	s := setup(t, asks)
	s.typed("clean up", tea.KeyEnter)
	s.shows("May Shell run?")
	call := s.m.story.Asking().ID
	_, err := s.client.AnswerApproval(t.Context(), s.m.session.Key, call, apiclient.Answer{Decision: apiclient.Deny})
	require.NoError(t, err)
	s.m.story.Asking() // the screen has not heard of it yet
	cmd, done := s.m.answer("y")
	require.True(t, done)
	s.run(cmd)
	s.shows("This was answered before; the first answer stands.", "It was denied.")
}

func TestScreen_EditsTheStepsOfAPlanALineEach(t *testing.T) {
	t.Parallel()
	s := setup(t, func(turn *apitest.Turn, _ string) {
		turn.Calls(chat.ToolCall{Name: "propose_plan", Arguments: `{}`})
		approval := turn.Propose(0, chat.Plan{Title: "The garden", Steps: []string{"water", "dig"}})
		turn.Done(0, "done", false)
		turn.Say(string(approval.State) + " with " + strings.Join(approval.Plan.Steps, ", ") + " for " + approval.Plan.Title + ".")
		turn.Answer()
	})
	s.typed("plan it", tea.KeyEnter)
	s.shows("1. water", "2. dig", "e edits its steps")
	s.typed("e", tea.KeyEnter)
	require.Equal(t, "y\n1. water\n2. dig", s.m.input.Value())
	s.typed(" deeper", tea.KeyEnter)
	s.shows("allowed with water, dig deeper for The garden.")
}

func TestReadAnswer_TakesNothingElseForOne(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]apiclient.Answer{
		"y": {Decision: "allow"}, " YES ": {Decision: "allow"}, "y go on": {Decision: "allow", Note: "go on"}, "n": {Decision: "deny"}, "no": {Decision: "deny"},
		"n  not now ": {Decision: "deny", Note: "not now"}, "a": {Decision: "allow", Always: true}, "Always": {Decision: "allow", Always: true},
	} {
		answer, ok := ReadAnswer(typed)
		require.True(t, ok, typed)
		require.Equal(t, want, answer, typed)
	}
	for _, typed := range []string{"", "yes please", "no that is wrong", "a file is missing", "always ask me", "/approve", "year", "!y"} {
		_, ok := ReadAnswer(typed)
		require.False(t, ok, typed)
	}
}

func TestScreen_SaysAsLongAsItHoldsThatEverythingIsAllowed(t *testing.T) {
	t.Parallel()
	seen, back := make(chan struct{}), make(chan struct{})
	s := setup(t, func(turn *apitest.Turn, _ string) {
		turn.Allow(&chat.Allowance{By: "Ann", Since: time.Now()})
		turn.Say("at work")
		turn.Wait(seen)
		turn.Allow(nil)
		turn.Wait(back)
		turn.Answer()
	})
	s.typed("go", tea.KeyEnter)
	s.shows("Everything is allowed until this turn ends (by Ann). /deny turn asks again.", "at work")
	close(seen)
	s.until("it is asked again", func() bool { return !strings.Contains(s.text(), "Everything is allowed") })
	s.shows("at work")
	close(back)
}

func TestScreen_ListsAndKillsBackgroundTasks(t *testing.T) {
	t.Parallel()
	s := setup(t, func(turn *apitest.Turn, _ string) {
		turn.Calls(chat.ToolCall{Name: "Shell", Summary: "npm run dev", Arguments: "{}"})
		turn.Run(0)
		turn.Background(0, "npm run dev")
		turn.Say("It runs.")
		turn.Answer()
	})
	s.typed("/kill", tea.KeyEnter)
	s.shows("Say which task")
	s.typed("start it", tea.KeyEnter)
	s.shows("It runs.", "goes on in the background as bg1", "1 task in the background · bg1 npm run dev")
	ended := time.Now()
	s.server.Works(
		chat.Task{ID: "coder:a", Kind: chat.TaskSubagent, Command: "mend it", State: chat.TaskRunning, How: "waiting to begin", StartedAt: ended},
		chat.Task{ID: "g1", Kind: chat.TaskGroup, Command: "which way", State: chat.TaskExited, How: "over (agreed)", StartedAt: ended.Add(-time.Minute), EndedAt: &ended},
	)
	s.typed("/tasks", tea.KeyEnter)
	s.shows("Background tasks", "bg1", "running since", "coder:a subagent mend it", "waiting to begin", "g1    group chat which way", "over (agreed) after 1 min")
	s.typed("", tea.KeyEscape)
	s.lacks("running since")
	s.typed("/kill bg1", tea.KeyEnter)
	s.shows("bg1 is being killed.")
	s.until("the end of the task", func() bool { return len(s.m.story.RunningTasks()) == 0 })
	s.lacks("in the background ·")
	s.typed("/kill bg7", tea.KeyEnter)
	s.shows("Not killed: There is no such background task.")
}

func TestScreen_ShowsCommandsAsCommands(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.server.Carries(func(text string) (string, bool) {
		return "```\nREADME.md\n```\n\nexit code 0 · 0.1 s", strings.HasPrefix(text, "!") || strings.HasPrefix(text, "/runner")
	})
	s.typed("!ls", tea.KeyEnter)
	s.shows("$ ls", "README.md", "exit code 0 · 0.1 s")
	s.lacks("▌ !ls")
	s.typed("/runner use laptop", tea.KeyEnter)
	s.shows("$ /runner use laptop")
	s.lacks("There is no command")
}

func TestScreen_ALateAnswerSaysWhichCommandItBelongsTo(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.server.Carries(func(text string) (string, bool) { return "answer of " + text[1:], strings.HasPrefix(text, "!") })
	s.server.Late("!sleep 9")
	s.typed("!sleep 9", tea.KeyEnter)
	s.shows("$ sleep 9")
	s.typed("!date", tea.KeyEnter)
	s.shows("$ sleep 9\n\n$ date\n\n$ sleep 9\n  answer of sleep 9\n\n$ date\n  answer of date")
}

func TestScreen_TellsTheEndOfABackgroundTaskQuietly(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.typed("hi", tea.KeyEnter)
	s.shows("you said hi")
	s.m.story.Entries[0].Origin = chat.OriginBackground
	s.m.story.Entries[0].Content = "[background task bg1 ended: exit code 0]\ncommand: make\nall good"
	s.m.column.forget()
	s.m.redraw()
	s.shows("◆ background task bg1 ended: exit code 0")
	s.lacks("all good")
	s.ctrl('o')
	s.shows("│ all good")
}

func TestScreen_MovesFiles(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	folder := t.TempDir()
	s.typed("/upload notes.txt", tea.KeyEnter)
	s.shows("the session begins with its first message")
	s.typed("hi", tea.KeyEnter)
	s.shows("you said hi")

	name := filepath.Join(folder, "my notes.txt")
	require.NoError(t, os.WriteFile(name, []byte("remember"), 0o600))
	s.typed(`/upload "`+name+`"`, tea.KeyEnter)
	s.shows("Uploaded to uploads/my notes.txt.", "[file: uploads/my notes.txt]")
	require.Equal(t, "remember", s.server.File("uploads/my notes.txt"))
	s.ctrl('c')
	s.server.Put("out/report.txt", "all is well")
	s.typed("/download out/report.txt "+folder, tea.KeyEnter)
	s.shows("Downloaded to")
	content, err := os.ReadFile(filepath.Join(folder, "report.txt"))
	require.NoError(t, err)
	require.Equal(t, "all is well", string(content))
	s.typed("/download out/report.txt "+folder, tea.KeyEnter)
	s.shows("Not downloaded: ", "already; say where")
	s.typed("/download none "+folder, tea.KeyEnter)
	s.shows("There is no such file.")
}

func TestScreen_AnswersTheQuestionsOfTheModel(t *testing.T) {
	t.Parallel()
	s := setup(t, func(turn *apitest.Turn, _ string) {
		turn.Calls(chat.ToolCall{Name: "AskUser", Summary: "Which database?"})
		approval := turn.Inquire(0, chat.Inquiry{Name: "q1", Text: "Which database?", Options: []chat.InquiryOption{{Label: "Postgres", About: "runs already"}, {Label: "SQLite"}}})
		turn.Done(0, "done", false)
		turn.Say("You chose " + strings.Join(approval.Answers["q1"], ",") + ".")
		turn.Answer()
	})
	s.typed("set it up", tea.KeyEnter)
	s.shows("│ Which database?", "1) Postgres - runs already", "2) SQLite", "? Answer with a number. /deny declines", "waiting for you")
	s.typed("3", tea.KeyEnter)
	s.shows(`"3" is no answer`)
	s.typed("2", tea.KeyEnter)
	s.shows("You chose SQLite.", "answered by alice: SQLite")
	s.lacks("/deny declines")
}
