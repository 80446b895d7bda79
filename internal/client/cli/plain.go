package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/text"
	"xbot/internal/turn/command"
)

const plainHelp = `Type a message and press Enter; a backslash at the end of a line continues it.
/new alone starts another session, with a model or words behind it this one begins anew; /stop or Ctrl-C stops the answer, /quit ends.
!ls runs a command where the commands run. /tasks and /kill bg1 are about background tasks, /upload FILE and
/download PATH [TO] move files. /share [DAYS] makes a link by which anybody reads this session, /share list and
/share revoke 3 are about links. The server's own commands work too: /runner says where commands run, /context what
the model sees, /compact makes room, /rewind goes back, /usage says what was used.`

// plain holds a conversation line by line, for terminals that can only print.
func (p Program) plain(ctx context.Context, conn *connection, session chat.Session) error {
	e := &exchange{conn: conn, notes: newNotes(p.Err, true), session: session}
	e.event = p.printPlain(ctx, e)
	where, err := conn.place.Of(ctx, session)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(p.Out, "%s\nxbot, %s. /help says what can be typed.\n", where.Sentence(), conn.me.Model); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	lines := bufio.NewScanner(p.In)
	lines.Buffer(nil, maxPrompt)
	e.question = p.askPerson(lines)
	for {
		message, err := p.readMessage(lines)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		typed, isCommand := command.Parse(message)
		switch {
		case strings.TrimSpace(message) == "":
		case !isCommand:
			if err := p.askPlain(ctx, e, message); err != nil {
				return err
			}
		case typed.Name == "quit" || typed.Name == "exit":
			return nil
		case typed.Name == "new" && typed.Args == "":
			e.session, e.story = chat.Session{}, nil
			fmt.Fprintln(p.Out, "A new session begins with the next message.")
		case typed.Name == "stop":
			fmt.Fprintln(p.Out, "Nothing is running.")
		case p.served(ctx, conn, typed.Name):
			if err := p.askPlain(ctx, e, message); err != nil {
				return err
			}
		default:
			p.doPlain(ctx, e, typed)
		}
	}
}

// served reports whether the server carries a command out. The client's own commands come first.
func (p Program) served(ctx context.Context, conn *connection, name string) bool {
	if _, own := plainCommands[name]; own || name == "help" {
		return false
	}
	if conn.served == nil {
		served, err := conn.client.ListCommands(ctx)
		if err != nil { // it is away, or too old to say; these it knows
			return name == "runner" || name == "approve" || name == "deny"
		}
		conn.served = served
	}
	return slices.ContainsFunc(conn.served, func(c apiclient.Command) bool { return c.Is(name) })
}

// plainCommands are the commands that need no turn.
var plainCommands = map[string]func(context.Context, *exchange, string) (string, error){
	"tasks": listTasks, "kill": killTask, "upload": upload, "download": download, "share": shareLink,
}

// doPlain carries out what needs no turn, and prints the result.
func (p Program) doPlain(ctx context.Context, e *exchange, typed command.Command) {
	do, known := plainCommands[typed.Name]
	if !known {
		fmt.Fprintln(p.Out, plainHelp)
		return
	}
	err := e.begin(ctx)
	said := ""
	if err == nil {
		said, err = do(ctx, e, typed.Args)
	}
	if err != nil {
		said = err.Error()
	}
	fmt.Fprintln(p.Out, text.Plain(said))
}

func (p Program) readMessage(lines *bufio.Scanner) (string, error) {
	var message strings.Builder
	fmt.Fprint(p.Out, "> ")
	for lines.Scan() {
		line, more := strings.CutSuffix(lines.Text(), `\`)
		message.WriteString(line)
		if !more {
			return message.String(), nil
		}
		message.WriteByte('\n')
		fmt.Fprint(p.Out, "  ")
	}
	if err := lines.Err(); err != nil {
		return "", fmt.Errorf("read the terminal: %w", err)
	}
	return "", io.EOF
}

func (p Program) askPlain(ctx context.Context, e *exchange, message string) error {
	asking, release := interruptible(ctx, e.stop)
	defer release()
	_, err := e.ask(asking, ask{typed: message})
	return err
}

// printPlain prints the entries of a session once they are whole.
func (p Program) printPlain(ctx context.Context, e *exchange) func(chat.Event) error {
	steps := tellSteps(func(format string, args ...any) { fmt.Fprintf(p.Out, format+"\n", args...) })
	return func(event chat.Event) error {
		switch event.Kind {
		case chat.EventMessage:
			var m chat.Message
			if err := json.Unmarshal(event.Data, &m); err != nil {
				return fmt.Errorf("read a message: %w", err)
			}
			if said := printed(m); said != "" {
				fmt.Fprintf(p.Out, "\n%s%s\n\n", e.heading(), said)
				p.draw(ctx, e, m.Content)
			}
		case chat.EventDropped:
			var d chat.Dropped
			if err := json.Unmarshal(event.Data, &d); err != nil {
				return fmt.Errorf("read an outcome: %w", err)
			}
			fmt.Fprintf(p.Out, "\n%s\n\n", text.Plain(d.Text))
		default:
			return steps(event)
		}
		return nil
	}
}

// printed returns the text to print of a message; nothing for the user's own input.
func printed(m chat.Message) string {
	switch {
	case m.Role == chat.RoleUser:
		return ""
	case m.Silent:
		return "(chose not to answer)"
	case m.Origin == chat.OriginReset:
		return "── " + strings.TrimSuffix(text.Line(m.Content), ".") + " ──"
	}
	said := strings.TrimSpace(text.Plain(m.Content))
	if m.Undelivered && said != "" {
		said += "\n(not delivered: the send policy keeps answers from this channel)"
	}
	return said
}

// heading returns a line with the command that the newest entry answers, unless the command is right above it.
func (e *exchange) heading() string {
	if command := e.story.Apart(len(e.story.Entries) - 1); command != nil {
		return "$ " + text.Command(command.Content) + "\n"
	}
	return ""
}
