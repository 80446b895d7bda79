package intake

import (
	"cmp"
	"context"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/command"
	"xbot/internal/i18n"
	"xbot/internal/slash"
)

// reading is a text as its writer meant it: commands, and what is left for a turn.
type reading struct {
	orders []order
	stop   bool
	bang   string // a shell command
	Text   string // a message
	// behind says that the message was written behind a command that takes one, and not the commands before a message.
	Behind  bool
	options chat.Options // for the message alone
	queue   chat.Queue
}

// order is a command to carry out, as it stands by itself.
type order struct {
	line   string
	queued bool
	answer func(ctx context.Context, in Inbound) (string, error)
}

// read takes a text apart. ErrIgnored: it is a command of somebody who may not use it, and is not to be answered.
func (c *Commands) Read(ctx context.Context, in Inbound) (reading, error) {
	if meant, escaped := command.Unescape(in.Text, c.registry().Canonical); escaped {
		return reading{Text: meant}, nil
	}
	if c == nil || !command.Slashed(in.Text) {
		return plain(in.Text), nil
	}
	who, err := c.people.Standing(ctx, in.User, in.Session)
	if err != nil {
		return reading{}, err
	}
	allowed := func(typed string) string {
		if known, ok := c.Find(typed); ok && who.May(known.Spec()) {
			return known.Spec().Name
		}
		return ""
	}
	found, rest := command.Grammar{Name: allowed, IsModel: c.isModel(ctx)}.Directives(in.Text)
	if rest == "" {
		return reading{orders: c.settings(found)}, nil
	}
	r, err := c.readRest(ctx, rest, who, allowed)
	if err != nil {
		return r, err
	}
	c.direct(&r, found)
	return r, nil
}

// plain reads a text without commands of a registry.
func plain(text string) reading {
	if shell, ok := command.Bang(text); ok {
		return reading{bang: shell}
	}
	if slash.IsStop(text) {
		return reading{stop: true}
	}
	return reading{Text: text}
}

// readRest reads what stands behind directives, or a text that has none.
func (c *Commands) readRest(ctx context.Context, text string, who slash.Standing, allowed func(string) string) (reading, error) {
	parsed, slashed := command.Parse(text)
	known, found := c.Find(parsed.Name)
	switch r := plain(text); {
	case r.Text == "":
		return r, nil
	case slashed && !found && !parsed.IsFolder() && !c.skill(ctx, parsed.Name):
		return reading{orders: []order{c.unknown(parsed.Name)}}, nil
	case found && known.Spec().Takes(parsed.Args):
		r, err := c.readCommand(ctx, known, parsed.Args, who)
		if _, splits := known.(slash.Splitter); !splits && err == nil {
			r.orders[0].line = text // as it was written
		}
		return r, err
	}
	names, rest := command.Shortcuts(text, func(typed string) string {
		if known, ok := c.Find(typed); !ok || !known.Spec().Inline {
			return ""
		}
		return allowed(typed)
	})
	r := reading{Text: rest}
	for _, name := range names {
		known, _ := c.Find(name)
		r.orders = append(r.orders, c.order(known, ""))
	}
	return r, nil
}

// readCommand reads a command that stands alone.
func (c *Commands) readCommand(ctx context.Context, known slash.Command, args string, who slash.Standing) (reading, error) {
	spec := known.Spec()
	asker, asks := known.(slash.Asker)
	splitter, splits := known.(slash.Splitter)
	switch {
	case !who.May(spec) && !who.Direct:
		return reading{}, ErrIgnored
	case !who.May(spec):
		return reading{orders: []order{{line: spec.With(args), answer: func(_ context.Context, in Inbound) (string, error) {
			return slash.Refusal(in.Lang, spec), nil
		}}}}, nil
	case asks && asker.Ask(ctx, i18n.English, args) != "":
		return reading{orders: []order{{line: spec.With(args), answer: func(ctx context.Context, in Inbound) (string, error) {
			return cmp.Or(asker.Ask(ctx, in.Lang, args), asker.Ask(ctx, i18n.English, args)), nil
		}}}}, nil
	case splits:
		own, text := splitter.Split(ctx, args)
		return reading{orders: []order{c.order(known, own)}, Text: text, Behind: true}, nil
	}
	return reading{orders: []order{c.order(known, args)}}, nil
}

// direct puts the directives before a message in force: for it alone, but the model for the conversation. Where no message is
// left they are commands.
func (c *Commands) direct(r *reading, found []command.Directive) {
	if r.Text == "" || r.Behind {
		r.orders = append(c.settings(found), r.orders...)
		return
	}
	for _, d := range found {
		switch d.Name {
		case command.Think:
			r.options.Think = d.Value
		case command.Verbose:
			r.options.Verbose = d.Value
		case command.Queue:
			r.queue, _, _ = command.QueueSettings(d.Value)
		}
	}
	lasting := slices.DeleteFunc(slices.Clone(found), func(d command.Directive) bool { return d.Name != command.Model })
	r.orders = append(c.settings(lasting), r.orders...)
}

// settings are directives as commands. Of one that was written twice the last counts.
func (c *Commands) settings(found []command.Directive) (out []order) {
	for i, d := range found {
		again := slices.ContainsFunc(found[i+1:], func(later command.Directive) bool { return later.Name == d.Name })
		if known, ok := c.Find(d.Name); ok && !again {
			out = append(out, c.order(known, d.Value))
		}
	}
	return out
}

func (c *Commands) order(known slash.Command, args string) order {
	return order{line: known.Spec().With(args), queued: known.Spec().When == slash.InTurn, answer: func(ctx context.Context, in Inbound) (string, error) {
		return run(ctx, known, in, args)
	}}
}

// unknown answers somebody who wrote a command that there is not.
func (c *Commands) unknown(name string) order {
	return order{line: "/" + name, answer: func(_ context.Context, in Inbound) (string, error) {
		return c.Unknown(in.Lang, name), nil
	}}
}

// isModel says which words mean a model.
func (c *Commands) isModel(ctx context.Context) func(word string) bool {
	if c.Models == nil {
		return nil
	}
	return func(word string) bool {
		_, ok := c.Models.Resolve(ctx, word)
		return ok
	}
}
