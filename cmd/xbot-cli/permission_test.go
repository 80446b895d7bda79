package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/apiclient/apitest"
)

// asks runs a command after asking, and says how that went.
func asks(turn *apitest.Turn, _ string) {
	turn.Calls(chat.ToolCall{Name: "Shell", Summary: "make clean", Arguments: `{"command":"make clean"}`})
	approval := turn.Ask(0, "old results hide the fault")
	if approval.State == chat.ApprovalAllowed {
		turn.Run(0)
	}
	turn.Done(0, "done", approval.State != chat.ApprovalAllowed)
	turn.Say("It was " + string(approval.State) + ".")
	turn.Answer()
}

func TestOneShot_SaysWhatWaitsForPermissionAndExitsWithThree(t *testing.T) {
	t.Parallel()
	b := setup(t, asks)
	got := b.run("", "-p", "clean up")
	require.Equal(t, 3, got.code)
	require.Empty(t, got.out)
	require.Contains(t, got.err, "waiting for permission: Shell make clean (old results hide the fault)")
	require.Contains(t, got.err, "--session "+string(b.server.Keys()[0]))
	require.NotEmpty(t, b.server.Session(b.server.Keys()[0]).Running, "the turn goes on waiting")
}

func TestOneShot_AnswersQuestionsAsItWasTold(t *testing.T) {
	t.Parallel()
	b := setup(t, asks)
	require.Equal(t, ran{out: "It was allowed.\n"}, b.run("", "-p", "clean up", "--approve"))
	require.Equal(t, ran{out: "It was denied.\n"}, b.run("", "-p", "clean up", "--deny"))
	require.Equal(t, 2, b.run("", "-p", "clean up", "--approve", "--deny").code)
	wrong := b.run("", "--approve")
	require.Equal(t, 2, wrong.code)
}

func TestOneShot_TellsOfAQuestionInItsEvents(t *testing.T) {
	t.Parallel()
	b := setup(t, asks)
	got := b.run("", "-p", "clean up", "--json")
	require.Equal(t, 3, got.code)
	require.Contains(t, got.out, `"approval":{"state":"open"`)
	last := got.out[strings.LastIndex(strings.TrimSpace(got.out), "\n")+1:]
	require.Contains(t, last, `"kind":"result"`)
	require.Contains(t, last, `"state":"waiting"`)
}

func TestOneShot_PrintsTheAnswerOfACommand(t *testing.T) {
	t.Parallel()
	b := setup(t, echo)
	b.server.Carries(func(text string) (string, bool) { return "exit code 0", strings.HasPrefix(text, "!") })
	require.Equal(t, ran{out: "exit code 0\n"}, b.run("", "-p", "!ls"))
}

func TestOneShot_PrintsTheAnswerOfItsOwnCommandWhenAnotherIsAnsweredFirst(t *testing.T) {
	t.Parallel()
	b := setup(t, echo)
	b.server.Carries(func(text string) (string, bool) { return "answer of " + text, strings.HasPrefix(text, "!") })
	b.server.Late("!slow")
	client := b.server.Client()
	session, err := client.CreateSession(t.Context(), apiclient.NewSession{})
	require.NoError(t, err)
	_, err = client.Send(t.Context(), session.Key, "1", "!slow")
	require.NoError(t, err)
	require.Equal(t, ran{out: "answer of !quick\n"}, b.run("", "-p", "!quick", "--session", string(session.Key)))
}

// inquires asks which database, and says what was answered.
func inquires(turn *apitest.Turn, _ string) {
	turn.Calls(chat.ToolCall{Name: "AskUser", Summary: "Which database?"})
	approval := turn.Inquire(0,
		chat.Inquiry{Name: "q1", Text: "Which database?", Options: []chat.InquiryOption{{Label: "Postgres", About: "runs already"}, {Label: "SQLite"}}},
		chat.Inquiry{Name: "q2", Text: "What is it called?", Other: true})
	turn.Done(0, "done", false)
	turn.Say("It was " + string(approval.State) + ": " + strings.Join(append(approval.Answers["q1"], approval.Answers["q2"]...), " and ") + approval.Note)
	turn.Answer()
}

func TestOneShot_SaysWhatIsAskedAndHowToAnswerAndExitsWithThree(t *testing.T) {
	t.Parallel()
	b := setup(t, inquires)
	for _, args := range [][]string{{"-p", "set it up"}, {"-p", "set it up", "--approve"}} {
		got := b.run("", args...)
		require.Equal(t, 3, got.code)
		require.Contains(t, got.err, "waiting for an answer:\n1. Which database?\n   1) Postgres - runs already\n   2) SQLite\n2. What is it called?\nAnswer each question on a line of its own.")
		require.Contains(t, got.err, "-p ANSWER")
	}
	require.Equal(t, ran{out: "It was denied: \n"}, b.run("", "-p", "set it up", "--deny"))
}

func TestPlain_AsksOneQuestionAfterTheOther(t *testing.T) {
	t.Parallel()
	b := setup(t, inquires)
	term := newTerminal(t, b, "TERM=dumb")
	term.keys("set it up", "Enter")
	term.shows("? Which database?\n   1) Postgres - runs already\n   2) SQLite\nAnswer with a number. (/deny declines)")
	term.keys("MySQL", "Enter")
	term.shows(`"MySQL" is no answer`)
	term.keys("2", "Enter")
	term.shows("? What is it called?")
	term.keys("Bob", "Enter")
	term.shows("It was allowed: SQLite and Bob")
	term.keys("again", "Enter")
	term.shows("? Which database?")
	term.keys("/deny ask Bob", "Enter")
	term.shows("It was denied: ask Bob")
}
