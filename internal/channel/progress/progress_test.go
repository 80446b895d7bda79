package progress_test

import (
	"embed"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/format"
	"xbot/internal/channel/progress"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/testing/goldentest"
)

//go:embed testdata
var testdata embed.FS

var start = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func after(d time.Duration) *time.Time { return new(start.Add(d)) }

func done(name, summary string, from, to time.Duration) chat.ToolCall {
	return chat.ToolCall{Name: name, Summary: summary, State: chat.CallDone, StartedAt: after(from), FinishedAt: after(to)}
}

func running(name, summary string, from time.Duration) chat.ToolCall {
	return chat.ToolCall{Name: name, Summary: summary, State: chat.CallRunning, StartedAt: after(from)}
}

var turns = map[string]progress.Turn{
	"thinking": {State: chat.TurnRunning, Started: start, Heard: start.Add(80 * time.Second)},
	"command": {
		State: chat.TurnRunning, Started: start, Heard: start.Add(80 * time.Second),
		Calls: []chat.ToolCall{
			done("Read", "README.md", 0, 200*time.Millisecond),
			{Name: "Grep", Summary: "a `quoted` *pattern*", State: chat.CallDone, IsError: true, StartedAt: after(time.Second), FinishedAt: after(3 * time.Second)},
			running("Shell", "make test\nmake lint", 10*time.Second),
		},
		Output: "\x1b[32mok\x1b[0m  pkg/a\n\n 10%\r 50%\r 99%\n```\n",
		Todos:  []chat.Todo{{Text: "look", Done: true}, {Text: "mend"}, {Text: "test"}},
	},
	"asking": {
		State: chat.TurnRunning, Started: start, Heard: start,
		Calls: []chat.ToolCall{{Name: "Shell", Summary: "rm -r build", State: chat.CallOpen, Approval: &chat.Approval{State: chat.ApprovalOpen}}},
	},
	"quiet": {State: chat.TurnRunning, Started: start, Heard: start.Add(-6 * time.Minute), Calls: []chat.ToolCall{running("Fetch", "https://a.example", 0)}},
	"waits": {
		State: chat.TurnRunning, Started: start, Heard: start.Add(-time.Hour), Calls: []chat.ToolCall{done("Read", "README.md", 0, time.Second)},
		Waits: &chat.Wait{Since: start, Until: start.Add(24 * time.Hour), Reason: "rate limit"}, Retry: &chat.Retry{Text: "⚠️ retrying 5/5 ..."},
	},
	"retry": {State: chat.TurnRunning, Started: start, Heard: start, Retry: &chat.Retry{Text: "⚠️ retrying 2/5 ..."}},
	"many": {
		State: chat.TurnRunning, Started: start, Heard: start.Add(80 * time.Second), Doing: chat.DoingCompress,
		Calls: slicesOf(done("Read", "a.go", 0, time.Second), 30),
	},
	"writing": {
		State: chat.TurnRunning, Started: start, Heard: start, Writing: "The answer so far\n```go\nfunc",
		Calls: []chat.ToolCall{done("Read", "README.md", 0, time.Second)},
	},
	"background": {
		State: chat.TurnDone, Started: start, Ended: start.Add(3725 * time.Second), Output: "not shown",
		Calls: []chat.ToolCall{{Name: "Shell", Summary: "sleep 999", State: chat.CallDone, Task: "bg1"}},
	},
	"failed":  {State: chat.TurnFailed, Started: start, Ended: start.Add(61 * time.Second), Calls: []chat.ToolCall{running("Shell", "sleep", 0)}},
	"stopped": {State: chat.TurnStopped, Started: start, Ended: start.Add(time.Second)},
	"lost":    {State: chat.TurnLost, Started: start},
	"nothing": {},
}

func slicesOf(call chat.ToolCall, n int) (calls []chat.ToolCall) {
	for range n {
		calls = append(calls, call)
	}
	return calls
}

func TestShow_ReadsAsBefore(t *testing.T) {
	t.Parallel()
	for name, turn := range turns {
		for _, lang := range []i18n.Lang{i18n.English, i18n.Chinese} {
			r := progress.Show(lang, turn, start.Add(83*time.Second), 2000)
			got := "[" + string(r.Tone) + "] " + r.Title + "\n\n" + r.Text + "\n"
			goldentest.Equal(t, testdata, "testdata/TestShow/"+name+"."+string(lang)+".golden", got)
		}
	}
}

func TestShow_IsTheSameTextWhileNothingIsNew(t *testing.T) {
	t.Parallel()
	turn := turns["command"]
	at := func(d time.Duration) progress.Report { return progress.Show(i18n.English, turn, start.Add(d), 2000) }
	require.Equal(t, at(80*time.Second), at(89*time.Second))
	require.NotEqual(t, at(80*time.Second), at(90*time.Second))
	turn = progress.Turn{State: chat.TurnRunning, Started: start}
	require.Equal(t, at(20*time.Minute), at(20*time.Minute+50*time.Second))
}

func TestShow_KeepsTheLimit(t *testing.T) {
	t.Parallel()
	turn := progress.Turn{
		State: chat.TurnRunning, Started: start, Output: strings.Repeat(strings.Repeat("字", 300)+"\n", 50),
		Calls: slicesOf(running("Shell", strings.Repeat("long ", 500), 0), 500), Retry: &chat.Retry{Text: strings.Repeat("again ", 500)},
	}
	for range 50 {
		turn.Todos = append(turn.Todos, chat.Todo{Text: strings.Repeat("todo ", 100)})
	}
	for _, limit := range []int{500, 1000, 2000, 4000} {
		text := progress.Show(i18n.English, turn, start, limit).Text
		require.LessOrEqual(t, utf8.RuneCountInString(text), limit)
		require.Contains(t, text, "Shell")
	}
}

func TestShow_OfALongTextThatIsWrittenTheEndIsSeen(t *testing.T) {
	t.Parallel()
	turn := progress.Turn{State: chat.TurnRunning, Started: start, Writing: strings.Repeat("字字字字字字字字字\n", 400) + "the end"}
	text := progress.Show(i18n.English, turn, start, 1000).Text
	require.LessOrEqual(t, utf8.RuneCountInString(text), 1000)
	require.True(t, strings.HasPrefix(text, "…\n字字字字字字字字字\n"), "whole lines")
	require.True(t, strings.HasSuffix(text, "the end"))
	turn.Writing = strings.Repeat("字", 2000)
	require.LessOrEqual(t, utf8.RuneCountInString(progress.Show(i18n.English, turn, start, 1000).Text), 1000)
	turn.State = chat.TurnDone
	require.NotContains(t, progress.Show(i18n.English, turn, start, 1000).Text, "字", "what was committed stands elsewhere")
}

func FuzzShow(f *testing.F) {
	f.Add("Shell", "ls", "```\nx\x1b[31m")
	f.Add("`", "a`b``", "\r\r\n~~~\n````")
	f.Add("<at id=all>", "**x**", "</at>")
	f.Fuzz(func(t *testing.T, name, summary, output string) {
		turn := progress.Turn{State: chat.TurnRunning, Started: start, Calls: []chat.ToolCall{running(name, summary, 0)}, Output: output}
		text := progress.Show(i18n.Chinese, turn, start.Add(time.Minute), 2000).Text
		if !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\x1b\r") {
			t.Fatalf("%q is not for people", text)
		}
		for _, row := range format.Rows(text) {
			for _, span := range row {
				if span.Bold || span.Italic || span.Link != "" {
					t.Fatalf("%q is taken for markup in %q", span.Text, text)
				}
			}
		}
	})
}
