// Package progress renders a running turn in one message or card that is updated: its state, its calls as lines, its
// duration, the last output of a command. It is pure: the caller that follows the turn passes its current state, and sends
// the text if it differs from the one shown.
package progress

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/i18n"
)

// Quiet is how long a turn may be silent until its progress mentions it.
const Quiet = 5 * time.Minute

// MinText is the smallest limit of a text that Show keeps, in characters.
const MinText = 500

// Turn is the known state of a turn. A zero time is unknown.
type Turn struct {
	State          chat.TurnState
	Started, Ended time.Time
	Heard          time.Time // of its last activity: a delta, an output, an event
	Calls          []chat.ToolCall
	Doing          string      // chat.DoingCompress while the conversation is compressed
	Writing        string      // the model's text of this step so far
	Output         string      // of the newest running command, as it printed it
	Retry          *chat.Retry // a failed model call is being retried
	Waits          *chat.Wait  // its provider cannot be reached
	Todos          []chat.Todo
}

// Tone is the meaning of a card's colour.
type Tone string

// The tones.
const (
	Neutral Tone = "neutral" // it runs
	Alert   Tone = "alert"   // it waits for a user, or is silent
	Good    Tone = "good"
	Bad     Tone = "bad"
)

// Report is the state of a turn as users see it.
type Report struct {
	Title string
	Tone  Tone
	Text  string // Markdown
}

// Show describes the state of a turn at a time, in at most limit characters of text. Times are rounded more coarsely the
// longer a turn runs, so that a text without news stays the same.
func Show(lang i18n.Lang, t Turn, now time.Time, limit int) Report {
	v := view{Turn: t, lang: lang, now: now, limit: max(limit, MinText)}
	title, tone := v.headline()
	r := Report{Title: i18n.Say(lang, title), Tone: tone}
	for _, room := range []struct{ calls, output, todos int }{{8, 10, 6}, {6, 5, 4}, {4, 3, 0}, {2, 1, 0}, {1, 0, 0}} {
		r.Text = v.text(room.calls, room.output, room.todos)
		if utf8.RuneCountInString(r.Text) <= v.limit {
			break
		}
	}
	return r
}

// Fold describes the end of a turn in one line, and lists its newest calls to be shown below it.
func Fold(lang i18n.Lang, t Turn, now time.Time) (line, calls string) {
	v := view{Turn: t, lang: lang, now: now, limit: MinText}
	title, _ := v.headline()
	parts := []string{v.say(title)}
	if s := v.summary(); s != "" {
		parts = append(parts, s)
	}
	return strings.Join(parts, " · "), v.calls(maxFolded)
}

// Line describes in one line that a turn still runs, for how long, and what it does; empty: it waits for a user.
func Line(lang i18n.Lang, t Turn, now time.Time) string {
	v := view{Turn: t, lang: lang, now: now, limit: MinText}
	if v.asking() || v.resting() || !v.running() {
		return ""
	}
	what := v.doing()
	for _, call := range v.Calls {
		if call.State == chat.CallRunning && call.Task == "" {
			what = strings.TrimSpace(code(call.Name, 40) + " " + code(call.Summary, 80))
		}
	}
	span := v.span(now.Sub(v.Started), true)
	if what == "" {
		return v.say(i18n.ProgressStill, span)
	}
	return v.say(i18n.ProgressStillAt, span, what)
}

// maxFolded is how many calls a card lists when it is folded.
const maxFolded = 30

type view struct {
	Turn

	lang  i18n.Lang
	now   time.Time
	limit int
}

func (v view) say(id i18n.ID, args ...any) string { return i18n.Say(v.lang, id, args...) }

func (v view) running() bool { return v.State == chat.TurnRunning || v.State == "" }

// quiet reports whether the turn was silent for long. A turn that waits for a user is always silent.
func (v view) quiet() bool {
	return v.running() && !v.Heard.IsZero() && v.now.Sub(v.Heard) >= Quiet && !v.asking() && !v.resting()
}

// resting reports whether the turn waits for its provider and has not received any of its output. Its text then stays the same
// until that ends.
func (v view) resting() bool {
	return v.running() && v.Waits != nil && strings.TrimSpace(v.Writing) == ""
}

func (v view) asking() bool {
	return slices.ContainsFunc(v.Calls, waits)
}

func waits(call chat.ToolCall) bool {
	return call.State == chat.CallOpen && call.Approval != nil && call.Approval.State == chat.ApprovalOpen
}

func (v view) headline() (i18n.ID, Tone) {
	switch v.State {
	case chat.TurnDone:
		return i18n.ProgressDone, Good
	case chat.TurnStopped:
		return i18n.ProgressStopped, Neutral
	case chat.TurnFailed:
		return i18n.ProgressFailed, Bad
	case chat.TurnLost:
		return i18n.ProgressLost, Bad
	}
	switch {
	case v.asking():
		return i18n.ProgressAsking, Alert
	case v.resting():
		return i18n.ProgressProvider, Alert
	case v.quiet():
		return i18n.ProgressQuiet, Alert
	}
	return i18n.ProgressWorking, Neutral
}

// text joins the parts that are not empty.
func (v view) text(calls, output, todos int) string {
	var parts []string
	if v.running() && strings.TrimSpace(v.Writing) != "" {
		return v.writing() // and nothing that changes before it, so that it grows at its end only
	}
	for _, part := range []string{v.summary(), v.calls(calls), v.doing(), v.output(output), v.todos(todos)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "\n\n")
}

// writing returns the text that is being written; of a long one only the end.
func (v view) writing() string {
	text := []rune(strings.ToValidUTF8(v.Writing, "\uFFFD"))
	room := v.limit - 2
	if len(text) <= room {
		return string(text)
	}
	tail := string(text[len(text)-room:])
	if _, rest, more := strings.Cut(tail, "\n"); more && rest != "" {
		tail = rest
	}
	return "…\n" + tail
}

// summary returns one line: duration and counts.
func (v view) summary() string {
	var facts []string
	if !v.Started.IsZero() {
		switch {
		case v.resting(), v.asking(): // nothing changes for as long as that lasts
		case v.running():
			facts = append(facts, v.say(i18n.ProgressFor, v.span(v.now.Sub(v.Started), true)))
		case !v.Ended.IsZero():
			facts = append(facts, v.say(i18n.ProgressTook, v.span(v.Ended.Sub(v.Started), false)))
		}
	}
	switch n := len(v.Calls); n {
	case 0:
	case 1:
		facts = append(facts, v.say(i18n.ProgressCall))
	default:
		facts = append(facts, v.say(i18n.ProgressCalls, n))
	}
	if v.quiet() {
		facts = append(facts, v.say(i18n.ProgressSilent, v.span(v.now.Sub(v.Heard), true)))
	}
	return strings.Join(facts, " · ")
}

// calls lists the newest calls.
func (v view) calls(most int) string {
	var lines []string
	shown := v.Calls
	if more := len(shown) - most; more > 0 {
		lines = append(lines, "- "+v.say(i18n.ProgressEarlier, more))
		shown = shown[more:]
	}
	for _, call := range shown {
		lines = append(lines, v.call(call))
	}
	return strings.Join(lines, "\n")
}

func (v view) call(call chat.ToolCall) string {
	line := "- " + v.mark(call) + " " + code(call.Name, 40)
	if call.Summary != "" {
		line += " " + code(call.Summary, 80)
	}
	switch {
	case waits(call):
		return line + " · " + v.say(i18n.ProgressWaits)
	case call.Task != "":
		return line + " · " + v.say(i18n.ProgressBehind)
	case call.StartedAt == nil:
		return line
	case call.FinishedAt != nil:
		if took := call.FinishedAt.Sub(*call.StartedAt); took >= time.Second {
			line += " · " + v.span(took, false)
		}
	case v.running() && !v.asking():
		if took := v.now.Sub(*call.StartedAt); took >= 5*time.Second {
			line += " · " + v.span(took, true)
		}
	}
	return line
}

func (v view) mark(call chat.ToolCall) string {
	switch {
	case call.State == chat.CallDone && call.IsError:
		return "✗"
	case call.State == chat.CallDone:
		return "✓"
	case waits(call):
		return "⏸"
	case call.State == chat.CallRunning && v.running():
		return "▶"
	}
	return "○"
}

// doing describes the activity other than the calls.
func (v view) doing() string {
	if !v.running() {
		return ""
	}
	switch {
	case v.resting():
		return v.say(i18n.ProgressGoesOn, clean(i18n.Reason(v.lang, v.Waits.Reason), 80))
	case v.Retry != nil:
		return clean(v.Retry.Text, 200)
	case v.Doing == chat.DoingCompress:
		return v.say(i18n.ProgressCompress)
	}
	if slices.ContainsFunc(v.Calls, func(call chat.ToolCall) bool { return call.State != chat.CallDone }) {
		return ""
	}
	return v.say(i18n.ProgressThinking)
}

// output returns the end of a command's output.
func (v view) output(most int) string {
	if !v.running() || most == 0 {
		return ""
	}
	tail := lastLines(v.Output, most)
	if tail == "" {
		return ""
	}
	fence := strings.Repeat("`", max(3, longestRun(tail)+1))
	return v.say(i18n.ProgressOutput) + "\n" + fence + "\n" + tail + "\n" + fence
}

// todos returns the plan, its open entries first.
func (v view) todos(most int) string {
	if len(v.Todos) == 0 {
		return ""
	}
	done := 0
	var open []string
	for _, todo := range v.Todos {
		if todo.Done {
			done++
		} else if len(open) < most {
			open = append(open, "- ☐ "+code(todo.Text, 80))
		}
	}
	return strings.Join(append([]string{v.say(i18n.ProgressTodos, done, len(v.Todos))}, open...), "\n")
}

// span formats a duration. A running one is rounded down, to 5 s, then 10 s, then minutes.
func (v view) span(d time.Duration, goesOn bool) string {
	d = max(d, 0)
	if goesOn {
		switch {
		case d < time.Minute:
			d = d.Truncate(5 * time.Second)
		case d < 10*time.Minute:
			d = d.Truncate(10 * time.Second)
		default:
			d = d.Truncate(time.Minute)
		}
	}
	seconds := int(d / time.Second)
	switch {
	case seconds < 60:
		return v.say(i18n.ProgressSeconds, seconds)
	case seconds < 3600 && seconds%60 == 0:
		return v.say(i18n.ProgressMinute, seconds/60)
	case seconds < 3600:
		return v.say(i18n.ProgressMinutes, seconds/60, seconds%60)
	}
	return v.say(i18n.ProgressHours, seconds/3600, seconds/60%60)
}

// code formats a text in a line as code, so that nothing in it is read as markup.
func code(text string, columns int) string {
	text = clean(text, columns)
	if text == "" {
		return ""
	}
	ticks := strings.Repeat("`", longestRun(text)+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fmt.Sprintf("%s%s%s", ticks, text, ticks)
}
