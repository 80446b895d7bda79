package intake

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/engine"
)

// execute runs a parsed text. Commands that run at once are committed with their answer; then the commands for a turn and the message are
// queued, in this order. One row has the id of the platform: the message, else the first command. The ids of the others are derived
// from it, so that all rows are duplicates if the text is delivered again.
func (d *Dispatcher) execute(ctx context.Context, in Message, r Parsed) (got engine.Accepted, err error) {
	if len(r.commands) > 0 || r.stop {
		if in.Lang, err = d.speaks(ctx, in); err != nil {
			return got, err
		}
	}
	var now, later []invocation
	for _, o := range r.commands {
		if o.queued {
			later = append(later, o)
		} else {
			now = append(now, o)
		}
	}
	rest := r.Text != "" || r.bang != "" || r.stop
	if len(now) > 0 {
		// The message takes the id of the platform, except where it follows its commands: there the first command takes it.
		separate := rest && (!r.behindCommand || len(later) > 0)
		if got, err = d.executeNow(ctx, in, now, separate, rest || len(later) > 0); err != nil {
			return got, err
		}
	}
	if p := r.preparation; p != nil {
		if taken, err := p.by.Prepared(ctx, in.request(), p.own); err != nil || !taken {
			return got, err
		}
	}
	named := len(now) > 0 && !rest || rest && !r.behindCommand // another row has the id
	rows := r.rows(in, later, named)
	if len(rows) > 0 {
		if got, err = d.acceptAll(ctx, rows); err != nil {
			return got, err
		}
	}
	switch {
	case r.stop:
		in.OwnAlone = r.own
		stopped, err := d.stop(ctx, in)
		return stopped.Accepted, err
	case r.bang != "":
		return d.bang(ctx, in, r.bang)
	}
	return got, nil
}

// rows returns the queued commands and the message, in this order. named is true if another row has the id of the platform.
func (p Parsed) rows(in Message, later []invocation, named bool) (rows []Message) {
	for i, o := range later {
		row := in
		row.Text, row.Control = o.line, true
		if named || i > 0 {
			row.PlatformID = numbered(in.PlatformID, i)
		}
		rows = append(rows, row)
	}
	if p.Text != "" {
		row := in
		row.Text, row.Options.Said, row.Options.Skill, row.Options.PromptTool = in.TextForModel(p.Text), "", p.asks.word, p.asks.promptTool
		row.Options.Think, row.Options.Verbose = cmp.Or(p.options.Think, in.Options.Think), cmp.Or(p.options.Verbose, in.Options.Verbose)
		row.Options.Plan = p.options.Plan || in.Options.Plan
		row.Queue = chat.Queue{
			Mode: cmp.Or(p.queue.Mode, in.Queue.Mode), DebounceMS: cmp.Or(p.queue.DebounceMS, in.Queue.DebounceMS),
			Cap: cmp.Or(p.queue.Cap, in.Queue.Cap), Drop: cmp.Or(p.queue.Drop, in.Queue.Drop),
		}
		row.PlatformID = p.MessageID(row.PlatformID)
		rows = append(rows, row)
	}
	return rows
}

// textMark is the suffix of the id of a message that follows a command in its text.
const textMark = "#text"

// numbered returns the id of the i-th queued command if another row has the id of the platform.
func numbered(id string, i int) string { return fmt.Sprintf("%s#%d", id, i+1) }

// maxRows is the maximum number of queued commands of one text: only the last of each directive counts, and few directives are queued.
const maxRows = 4

// RowIDs returns the ids that the queued rows of a text may have: first of the message, then of the commands.
func RowIDs(id string) []string {
	ids := []string{id + textMark, id}
	for i := range maxRows {
		ids = append(ids, numbered(id, i))
	}
	return ids
}

// besideMark is the suffix of the id of a command that was answered separately from the message that contained it.
const besideMark = "#?"

// BesideID returns the id of a command that was answered separately from its message.
func BesideID(id string) string { return id + besideMark }

// MessageID returns the id of the row of the message, for the id of its text on the platform.
func (p Parsed) MessageID(id string) string {
	if p.behindCommand {
		return id + textMark
	}
	return id
}

// executeNow runs commands and commits them with one answer. more is true if other rows follow, and separate if another row has the id of the
// platform.
func (d *Dispatcher) executeNow(ctx context.Context, in Message, commands []invocation, separate, more bool) (engine.Accepted, error) {
	asked := in
	if separate {
		asked.PlatformID = BesideID(asked.PlatformID)
	}
	if more || slices.ContainsFunc(commands, func(o invocation) bool { return o.secret }) {
		lines := make([]string, len(commands))
		for i, o := range commands {
			lines[i] = o.line
		}
		asked.Text = strings.Join(lines, " ")
	}
	commands, err := d.askAhead(ctx, asked, in, commands)
	if err != nil {
		return engine.Accepted{}, err
	}
	return d.command(ctx, asked, func(ctx context.Context) (string, error) {
		said := make([]string, len(commands))
		for i, o := range commands {
			var err error
			if said[i], err = o.answer(ctx, in); err != nil {
				return "", err
			}
		}
		return strings.Join(said, "\n\n"), nil
	})
}

// askAhead runs the commands that call slow programs, outside of any transaction, and returns all commands with their answers. It runs none if
// the row was accepted before, since its answer exists.
func (d *Dispatcher) askAhead(ctx context.Context, row, in Message, commands []invocation) ([]invocation, error) {
	if !slices.ContainsFunc(commands, func(o invocation) bool { return o.ahead }) {
		return commands, nil
	}
	if row.PlatformID != "" {
		_, found, err := d.Turns.AcceptedBefore(ctx, row.NewRow)
		if found || fault.Is(err, fault.Conflict) { // as command finds out
			return commands, nil
		}
		if err != nil {
			return nil, err
		}
	}
	select {
	case d.Commands.ahead <- struct{}{}:
		defer func() { <-d.Commands.ahead }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	commands = slices.Clone(commands)
	for i, o := range commands {
		if !o.ahead {
			continue
		}
		said, err := o.answer(ctx, in)
		if err != nil {
			return nil, err
		}
		commands[i].answer = func(context.Context, Message) (string, error) { return said, nil }
	}
	return commands, nil
}

// acceptAll commits the rows of a text, the last two of them in one transaction. Only the first may expire the conversation.
func (d *Dispatcher) acceptAll(ctx context.Context, rows []Message) (got engine.Accepted, err error) {
	for i := range rows[1:] {
		rows[i+1].Expired = nil
	}
	for len(rows) > 2 {
		if _, err = d.accept(ctx, rows[0]); err != nil {
			return got, err
		}
		rows = rows[1:]
	}
	if len(rows) == 1 {
		return d.accept(ctx, rows[0])
	}
	_, got, err = d.AcceptPair(ctx, rows[0], rows[1])
	return got, err
}
