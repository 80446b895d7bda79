package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/term"

	"xbot/internal/chat"
	"xbot/internal/client/cli/text"
	"xbot/internal/i18n"
	"xbot/internal/turn/question"
)

// once asks one thing and prints the answer. It does not list a session that it begins. Ctrl-C stops the turn; a second one leaves at once.
func (p Program) once(ctx context.Context, conn *connection, session chat.Session, prompt ask, opts options) error {
	notes := newNotes(p.Err, p.dumb())
	e := &exchange{conn: conn, notes: notes, session: session, shelf: chat.OneShots, event: tellSteps(notes.detail)}
	if opts.JSON {
		e.event = p.printEvent
	}
	if opts.Approve || opts.Deny {
		e.question = answerAll(opts.Approve)
	}
	asking, release := interruptible(ctx, e.stop)
	defer release()
	end, err := e.ask(asking, prompt)
	notes.clear()
	if err != nil {
		return err
	}
	if opts.JSON {
		if err := p.printLine("result", end); err != nil {
			return err
		}
	} else if answer := strings.TrimRight(end.Text, "\n"); answer != "" {
		if _, err := fmt.Fprintln(p.Out, p.printable(answer)); err != nil {
			return fmt.Errorf("print the answer: %w", err)
		}
		p.draw(ctx, e, end.Text)
	}
	if end.Silent {
		notes.detail("xbot-cli: the model chose not to answer")
	}
	if end.answered() {
		return nil
	}
	if end.State == stateWaiting {
		notes.say("xbot-cli: %s", end.waitsFor(conn.own == nil))
		return errWaiting
	}
	notes.say("xbot-cli: %s", end.why())
	if e.stopping.Load() && end.State == string(chat.TurnStopped) {
		return errInterrupted
	}
	return errNoAnswer
}

// waitsFor describes the question that waits for permission or an answer, and how to give it.
func (o outcome) waitsFor(remote bool) string {
	server := ""
	if remote {
		server = " --server URL"
	}
	if len(o.Questions) > 0 {
		return fmt.Sprintf("waiting for an answer:\n%s\nThe turn goes on when somebody answers: xbot-cli%s --session %s -p ANSWER, or -p '/deny' to decline",
			text.Plain(question.Show(i18n.English, o.Questions)), server, o.Session)
	}
	if o.Plan != nil {
		return fmt.Sprintf("waiting for the approval of a plan:\n%s\nThe turn goes on when somebody answers: xbot-cli%s --session %s -p approve, or -p with what should be different",
			text.Plain(question.ShowPlan(*o.Plan)), server, o.Session)
	}
	return fmt.Sprintf("waiting for permission: %s. The turn goes on when somebody answers: give --approve or --deny next time, "+
		"or answer in xbot-cli%s --session %s", o.Notice, server, o.Session)
}

// printable returns an answer as it is for a program that reads it, and made safe for a terminal.
func (p Program) printable(answer string) string {
	if term.IsTerminal(p.Out.Fd()) {
		return text.Plain(answer)
	}
	return answer
}

// why explains in a sentence that there is no answer.
func (o outcome) why() string {
	if o.Notice != "" {
		return text.Line(o.Notice)
	}
	return "the turn ended without an answer (" + o.State + ")"
}

func (p Program) printEvent(event chat.Event) error {
	text, err := json.Marshal(event)
	if err != nil {
		return fmt.Errorf("print an event: %w", err)
	}
	if _, err := fmt.Fprintf(p.Out, "%s\n", text); err != nil {
		return fmt.Errorf("print an event: %w", err)
	}
	return nil
}

func (p Program) printLine(kind chat.EventKind, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("print the result: %w", err)
	}
	return p.printEvent(chat.Event{Kind: kind, Data: text})
}

// tellSteps reports the steps on the way to an answer: tools that are done, model calls that are tried again.
func tellSteps(say func(format string, args ...any)) func(chat.Event) error {
	return func(event chat.Event) error {
		switch event.Kind {
		case chat.EventTool:
			var call chat.ToolEvent
			if err := json.Unmarshal(event.Data, &call); err != nil {
				return fmt.Errorf("read a tool call: %w", err)
			}
			if call.State == chat.CallDone {
				say("%s", callLine(call.ToolCall))
			}
		case chat.EventRetry:
			var retry chat.Retry
			if err := json.Unmarshal(event.Data, &retry); err != nil {
				return fmt.Errorf("read a retry: %w", err)
			}
			say("%s", text.Line(retry.Text))
		}
		return nil
	}
}

// callLine returns one line about a tool call that is done.
func callLine(call chat.ToolCall) string {
	mark := "+"
	switch {
	case text.Skipped(call):
		return strings.TrimRight(fmt.Sprintf("- %s %s", call.Name, text.Line(call.Summary)), " ") + " (skipped for your message)"
	case call.IsError:
		mark = "x"
	}
	line := strings.TrimRight(fmt.Sprintf("%s %s %s", mark, call.Name, text.Line(call.Summary)), " ")
	if call.StartedAt != nil && call.FinishedAt != nil {
		line += " (" + text.Lasted(call.FinishedAt.Sub(*call.StartedAt)) + ")"
	}
	return line
}
