package intake

import (
	"cmp"
	"context"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/command"
	"xbot/internal/turn/slashcommand"
)

// Parsed is a text as its writer meant it: commands, and the rest for a turn.
type Parsed struct {
	commands []invocation
	stop     bool
	own      bool   // the stop takes back what its sender wrote, and leaves what others did
	bang     string // a shell command
	// Text is the message; empty if there is none.
	Text string
	// behindCommand reports that the message follows a command that takes one, and not the commands before a message.
	behindCommand bool
	preparation   *preparation // a command before the message; nil: none
	options       chat.Options // for the message alone
	asks          skillWord    // of the model
	queue         chat.Queue
}

// preparation is a command that is carried out before the message behind it is taken.
type preparation struct {
	by  slashcommand.Preparer
	own string // what follows its name
}

// invocation is a command to carry out, without the text around it.
type invocation struct {
	line   string
	secret bool // the text is not stored, but the line is
	queued bool
	ahead  bool // it is asked before its answer is committed
	answer func(ctx context.Context, in Message) (string, error)
}

// Parse parses a text. ErrIgnored: it is a command that its sender may not use, and it gets no answer.
func (c *Commands) Parse(ctx context.Context, in Message) (Parsed, error) {
	if meant, escaped := command.Unescape(in.Text, c.registry().Canonical); escaped {
		return Parsed{Text: meant}, nil
	}
	if c == nil || !command.Slashed(in.Text) {
		return plain(in.Text), nil
	}
	who, err := c.people.Caller(ctx, in.User, in.Session)
	if err != nil {
		return Parsed{}, err
	}
	allowed := func(typed string) string {
		if known, ok := c.Find(typed); ok && who.May(known.Spec()) {
			return known.Spec().Name
		}
		return ""
	}
	found, rest := command.Grammar{Name: allowed, IsModel: c.isModel(ctx, whose(in, who))}.Directives(in.Text)
	if slices.ContainsFunc(found, interruptsTurn) {
		if may, err := c.mayInterrupt(ctx, in, who, rest == ""); err != nil || !may {
			return stopRefused(in), err
		}
	}
	if rest == "" {
		return Parsed{commands: c.settings(found)}, nil
	}
	r, err := c.parseRest(ctx, in, rest, reader{who, whose(in, who)}, allowed)
	if err != nil {
		return r, err
	}
	c.applyDirectives(&r, found)
	return r, nil
}

// reader is the writer of a text, and the user whose models its words may mean; 0: only those that all users can choose.
type reader struct {
	slashcommand.Caller

	models chat.UserID
}

// whose returns the user whose models are meant: in the conversation of another user not those of the writer.
func whose(in Message, who slashcommand.Caller) chat.UserID {
	if who.Owner {
		return in.User
	}
	return 0
}

// plain reads a text without commands of a registry.
func plain(text string) Parsed {
	if shell, ok := command.Bang(text); ok {
		return Parsed{bang: shell}
	}
	if slashcommand.IsStop(text) {
		return Parsed{stop: true}
	}
	return Parsed{Text: text}
}

// parseRest reads the text behind directives, or a text that has none.
func (c *Commands) parseRest(ctx context.Context, in Message, text string, who reader, allowed func(string) string) (Parsed, error) {
	parsed, slashed := command.Parse(text)
	known, found := c.Find(parsed.Name)
	var asks skillWord
	if slashed && !found && !parsed.IsFolder() {
		asks = c.asks(ctx, in.User, in.Session, parsed.Name)
	}
	switch r := plain(text); {
	case r.stop:
		return c.parseStop(ctx, in, who.Caller)
	case r.Text == "":
		return r, nil
	case slashed && !found && !parsed.IsFolder() && !asks.is():
		return Parsed{commands: []invocation{c.unknown(parsed.Name)}}, nil
	case found && known.Spec().Takes(parsed.Args):
		r, err := c.parseCommand(ctx, known, parsed.Args, who)
		if !r.behindCommand && err == nil && !r.commands[0].secret {
			r.commands[0].line = text // as it was written
		}
		return r, err
	}
	names, rest := command.Shortcuts(text, func(typed string) string {
		if known, ok := c.Find(typed); !ok || !known.Spec().Inline {
			return ""
		}
		return allowed(typed)
	})
	r := Parsed{Text: rest, asks: asks}
	for _, name := range names {
		known, _ := c.Find(name)
		r.commands = append(r.commands, c.invocation(known, ""))
	}
	return r, nil
}

// parseCommand reads a single command.
func (c *Commands) parseCommand(ctx context.Context, known slashcommand.Command, args string, who reader) (Parsed, error) {
	spec := known.Spec()
	asker, asks := known.(slashcommand.Asker)
	splitter, splits := known.(slashcommand.Splitter)
	switch {
	case !who.May(spec) && !who.Direct && !spec.Explained:
		return Parsed{}, ErrIgnored
	case !who.May(spec):
		return Parsed{commands: []invocation{{line: spec.With(args), answer: func(_ context.Context, in Message) (string, error) {
			return slashcommand.Refusal(in.Lang, who.Caller, spec), nil
		}}}}, nil
	case asks && asker.Ask(ctx, who.models, i18n.English, args) != "":
		return Parsed{commands: []invocation{{line: spec.With(args), answer: func(ctx context.Context, in Message) (string, error) {
			return cmp.Or(asker.Ask(ctx, who.models, in.Lang, args), asker.Ask(ctx, who.models, i18n.English, args)), nil
		}}}}, nil
	case splits:
		own, text := splitter.Split(ctx, who.models, args)
		if spec.When == slashcommand.Now {
			return c.parsePreparer(known, own, text), nil
		}
		return Parsed{commands: []invocation{c.invocation(known, own)}, Text: text, behindCommand: true}, nil
	}
	return Parsed{commands: []invocation{c.invocation(known, args)}}, nil
}

// parsePreparer reads a command that is carried out before the message behind it is taken.
func (c *Commands) parsePreparer(known slashcommand.Command, own, text string) Parsed {
	r := Parsed{commands: []invocation{c.invocation(known, own)}, Text: text, behindCommand: text != ""}
	if preparer, prepares := known.(slashcommand.Preparer); prepares && text != "" {
		r.preparation = &preparation{preparer, own}
	}
	return r
}

// applyDirectives applies the directives before a message: to this message alone, except the model, which is set for the conversation.
// Without a message they are commands.
func (c *Commands) applyDirectives(r *Parsed, found []command.Directive) {
	if r.behindCommand { // "/new" before the text: the message belongs to another conversation, as do the options of one message
		r.options.Plan = slices.ContainsFunc(found, isPlan)
		found = slices.DeleteFunc(slices.Clone(found), isPlan)
	}
	if r.Text == "" || r.behindCommand {
		r.commands = append(c.settings(found), r.commands...)
		return
	}
	for _, d := range found {
		switch d.Name {
		case command.Think:
			r.options.Think = d.Value
		case command.Verbose:
			r.options.Verbose = d.Value
		case command.Plan:
			r.options.Plan = true
		case command.Queue:
			r.queue, _, _ = command.QueueSettings(d.Value)
		}
	}
	lasting := slices.DeleteFunc(slices.Clone(found), func(d command.Directive) bool { return d.Name != command.Model })
	r.commands = append(c.settings(lasting), r.commands...)
}

func isPlan(d command.Directive) bool { return d.Name == command.Plan }

// settings are directives as commands. Of one that was written twice the last counts.
func (c *Commands) settings(found []command.Directive) (out []invocation) {
	for i, d := range found {
		again := slices.ContainsFunc(found[i+1:], func(later command.Directive) bool { return later.Name == d.Name })
		if known, ok := c.Find(d.Name); ok && !again {
			out = append(out, c.invocation(known, d.Value))
		}
	}
	return out
}

func (c *Commands) invocation(known slashcommand.Command, args string) invocation {
	line, secret := known.Spec().With(args), false
	if r, redacts := known.(slashcommand.Redacter); redacts {
		line, secret = known.Spec().With(r.Redact(args)), true
	}
	return invocation{line: line, secret: secret, queued: known.Spec().When == slashcommand.InTurn, ahead: known.Spec().Ahead, answer: func(ctx context.Context, in Message) (string, error) {
		return run(ctx, known, in, args)
	}}
}

// unknown returns the answer to an unknown command.
func (c *Commands) unknown(name string) invocation {
	return invocation{line: "/" + name, answer: func(ctx context.Context, in Message) (string, error) {
		if c.Skills != nil && c.Skills.SkillOff(ctx, name) {
			return i18n.Say(in.Lang, i18n.SkillSwitchedOff, name), nil
		}
		return c.Unknown(in.Lang, name), nil
	}}
}

// isModel returns a function that reports whether words mean a model.
func (c *Commands) isModel(ctx context.Context, user chat.UserID) func(word string, alone bool) bool {
	if c.Models == nil {
		return nil
	}
	return func(word string, alone bool) bool {
		if !alone {
			return len(c.Models.Named(ctx, user, word)) == 1
		}
		_, ok := c.Models.Resolve(ctx, user, word)
		return ok
	}
}
