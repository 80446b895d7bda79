package ingress

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/command"
	"xbot/internal/i18n"
)

// nearest is how many commands are named to somebody who wrote one that there is not.
const nearest = 3

// reading is a text as its writer meant it: commands, and what is left for a turn.
type reading struct {
	orders []order
	stop   bool
	bang   string // a shell command
	text   string // a message
	// behind says that the message was written behind a command that takes one, and not the commands before a message.
	behind  bool
	options chat.Options // for the message alone
	queue   chat.Queue
}

// order is a command to carry out, as it stands by itself.
type order struct {
	line   string
	queued bool
	answer func(ctx context.Context, in Inbound) (string, error)
}

// standing is who somebody is in a conversation.
type standing struct{ admin, owner, direct bool }

func (s standing) may(c Command) bool { return c.Who == Anyone || s.admin || c.Who == Owner && s.owner }

func (c *Commands) standing(ctx context.Context, in Inbound) (standing, error) {
	user, err := c.people.UserByID(ctx, in.User)
	if err != nil {
		return standing{}, err
	}
	session, owner, err := c.people.Session(ctx, in.Session)
	return standing{admin: user.Admin, owner: owner == in.User, direct: session.ChatType == chat.ChatDirect}, err
}

// read takes a text apart. ErrIgnored: it is a command of somebody who may not use it, and is not to be answered.
func (c *Commands) read(ctx context.Context, in Inbound) (reading, error) {
	if meant, escaped := command.Unescape(in.Text, c.canonical); escaped {
		return reading{text: meant}, nil
	}
	if c == nil || !command.Slashed(in.Text) {
		return plain(in.Text), nil
	}
	who, err := c.standing(ctx, in)
	if err != nil {
		return reading{}, err
	}
	allowed := func(typed string) string {
		if known, ok := c.named(typed); ok && who.may(known) {
			return known.Name
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
	c, ok := command.Parse(text)
	if ok && stop.is(c.Name) && stop.takes(c.Args) {
		return reading{stop: true}
	}
	return reading{text: text}
}

// readRest reads what stands behind directives, or a text that has none.
func (c *Commands) readRest(ctx context.Context, text string, who standing, allowed func(string) string) (reading, error) {
	parsed, slashed := command.Parse(text)
	known, found := c.named(parsed.Name)
	switch r := plain(text); {
	case r.text == "":
		return r, nil
	case slashed && !found && !parsed.IsFolder() && (c.Known == nil || !c.Known(ctx, parsed.Name)):
		return reading{orders: []order{c.unknown(parsed.Name)}}, nil
	case found && known.takes(parsed.Args):
		r, err := c.readCommand(ctx, known, parsed.Args, who)
		if known.Split == nil && err == nil {
			r.orders[0].line = text // as it was written
		}
		return r, err
	}
	names, rest := command.Shortcuts(text, func(typed string) string {
		if known, ok := c.named(typed); !ok || !known.Inline {
			return ""
		}
		return allowed(typed)
	})
	r := reading{text: rest}
	for _, name := range names {
		known, _ := c.named(name)
		r.orders = append(r.orders, c.order(known, ""))
	}
	return r, nil
}

// readCommand reads a command that stands alone.
func (c *Commands) readCommand(ctx context.Context, known Command, args string, who standing) (reading, error) {
	if known.Asks != nil && who.may(known) {
		if asks := known.Asks(ctx, i18n.English, args); asks != "" {
			return reading{orders: []order{{line: known.with(args), answer: func(ctx context.Context, in Inbound) (string, error) {
				return cmp.Or(known.Asks(ctx, in.Lang, args), asks), nil
			}}}}, nil
		}
	}
	switch {
	case who.may(known) && known.Split != nil:
		own, text := known.Split(ctx, args)
		return reading{orders: []order{c.order(known, own)}, text: text, behind: true}, nil
	case who.may(known):
		return reading{orders: []order{c.order(known, args)}}, nil
	case !who.direct:
		return reading{}, ErrIgnored
	}
	return reading{orders: []order{{line: known.with(args), answer: func(_ context.Context, in Inbound) (string, error) {
		return refusal(in.Lang, known), nil
	}}}}, nil
}

// direct puts the directives before a message in force: for it alone, but the model for the conversation. Where no message is
// left they are commands.
func (c *Commands) direct(r *reading, found []command.Directive) {
	if r.text == "" || r.behind {
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
		if known, ok := c.named(d.Name); ok && !again {
			out = append(out, c.order(known, d.Value))
		}
	}
	return out
}

func (c *Commands) order(known Command, args string) order {
	return order{line: known.with(args), queued: known.Queued, answer: func(ctx context.Context, in Inbound) (string, error) {
		return c.run(ctx, known, in, args)
	}}
}

// unknown answers somebody who wrote a command that there is not.
func (c *Commands) unknown(name string) order {
	var names []string
	for _, known := range c.List() {
		names = append(append(names, known.Name), known.Aliases...)
	}
	var near []string
	for _, found := range command.Nearest(name, names, len(names)) {
		if known := "`/" + c.canonical(found) + "`"; !slices.Contains(near, known) && len(near) < nearest {
			near = append(near, known)
		}
	}
	return order{line: "/" + name, answer: func(_ context.Context, in Inbound) (string, error) {
		said := []string{i18n.Say(in.Lang, i18n.CommandUnknown, name)}
		if len(near) > 0 {
			said = append(said, i18n.Say(in.Lang, i18n.CommandNear, strings.Join(near, i18n.Say(in.Lang, i18n.CommandOr))))
		}
		return i18n.Row(in.Lang, append(said, i18n.Say(in.Lang, i18n.CommandEscape, name))...), nil
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

func refusal(lang i18n.Lang, c Command) string {
	if c.Who == Admin {
		return i18n.Say(lang, i18n.CommandAdmins, c.Name)
	}
	return i18n.Say(lang, i18n.CommandOwners, c.Name)
}
