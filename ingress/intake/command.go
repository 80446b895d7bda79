package intake

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/command"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/slashcommand"
)

// maxCommands bounds the commands that are carried out at once: each holds a connection of the database, and its work
// takes another one.
const maxCommands = 8

// maxAhead bounds the commands that programs are asked for at once, before their answers are committed.
const maxAhead = 4

// ErrIgnored is the error of a command without an answer: its sender may not use it, and in a group xbot does not reply to that.
var ErrIgnored = fault.Errorf(fault.Denied, "you may not use this command here")

// Models say which words mean a model.
type Models interface {
	Resolve(ctx context.Context, user chat.UserID, word string) (id string, ok bool)
	// Named returns the models of which a word is a whole name.
	Named(ctx context.Context, user chat.UserID, word string) []string
}

// Skills finds the skills and the prompts of MCP servers whose names can be written like commands.
type Skills interface {
	// HasSkill reports whether a word means a skill of a user's conversation, or of one that is yet to begin; without a user those of
	// the installation count.
	HasSkill(ctx context.Context, user chat.UserID, key chat.SessionKey, word string) bool
	// SkillOff reports whether the installation has switched off skills of a name.
	SkillOff(ctx context.Context, word string) bool
	// PromptTool returns the tool that fills in the prompt of an MCP server that a word means in a user's conversation; empty: it means none.
	PromptTool(ctx context.Context, user chat.UserID, key chat.SessionKey, word string) string
}

// Commands reads texts as the slash commands of an ingress.
type Commands struct {
	*slashcommand.Registry

	Models Models // nil: no word means one
	Skills Skills // nil: there are none

	people Callers
	slots  chan struct{}
	ahead  chan struct{}
}

// NewCommands reads texts as the commands of a registry.
func NewCommands(people Callers, registry *slashcommand.Registry) *Commands {
	return &Commands{Registry: registry, people: people, slots: make(chan struct{}, maxCommands), ahead: make(chan struct{}, maxAhead)}
}

// registry returns the ingress's commands. Without commands it has /stop alone.
func (c *Commands) registry() *slashcommand.Registry {
	if c == nil {
		return nil
	}
	return c.Registry
}

// List returns the commands in their display order.
func (c *Commands) List() []slashcommand.Command { return c.registry().List() }

// Knows reports whether a text is one of the commands, alone, with what belongs to it.
func (c *Commands) Knows(text string) bool { return c.registry().Knows(text) }

// There reports whether the command that a text begins with exists, even if its sender may not use it.
func (c *Commands) There(ctx context.Context, text string) bool {
	parsed, ok := command.Parse(text)
	if _, found := c.registry().Find(parsed.Name); !ok || found {
		return ok
	}
	return c.asks(ctx, 0, "", parsed.Name).is()
}

// skillWord is the first word of a message that asks for a skill, or for a prompt of an MCP server, which a tool fills in.
type skillWord struct{ word, promptTool string }

func (a skillWord) is() bool { return a.word != "" }

func (c *Commands) asks(ctx context.Context, user chat.UserID, key chat.SessionKey, word string) skillWord {
	if c == nil || c.Skills == nil {
		return skillWord{}
	}
	if c.Skills.HasSkill(ctx, user, key, word) {
		return skillWord{word: word}
	}
	if tool := c.Skills.PromptTool(ctx, user, key, word); tool != "" {
		return skillWord{word, tool}
	}
	return skillWord{}
}

// request returns the part of a message that a command sees.
func (in Message) request() slashcommand.Request {
	return slashcommand.Request{
		Session: in.Session, User: in.User, UserName: in.UserName, Lang: in.Lang, Channel: in.Channel, Account: in.Account,
		PlatformID: in.PlatformID, Peer: in.Peer, Chat: in.ChatSession,
	}
}

// run carries a command out. A refusal is an answer.
func run(ctx context.Context, known slashcommand.Command, in Message, args string) (string, error) {
	runner, ok := known.(slashcommand.Runner)
	if !ok {
		return "", fault.Errorf(fault.Internal, "/%s is no command that is carried out at once", known.Spec().Name)
	}
	said, err := runner.Run(ctx, in.request(), args)
	switch fault.KindOf(err) {
	case "":
		return said, nil
	case fault.Unavailable, fault.Internal:
		return "", err
	}
	return i18n.Explain(in.Lang, err), nil
}

// command commits the text of a user together with its answer.
func (d *Dispatcher) command(ctx context.Context, in Message, answer func(context.Context) (string, error)) (engine.Accepted, error) {
	select {
	case d.Commands.slots <- struct{}{}:
		defer func() { <-d.Commands.slots }()
	case <-ctx.Done():
		return engine.Accepted{}, ctx.Err()
	}
	return d.Turns.Command(ctx, in.NewRow, answer)
}

// resume returns the message that replaces the command in a text; ok is false if no message replaces it.
func (d *Dispatcher) resume(ctx context.Context, in Message) (as Message, ok bool, err error) {
	parsed, slashed := command.Parse(in.Text)
	known, _ := d.Commands.registry().Find(parsed.Name)
	resumer, resumes := known.(slashcommand.Resumer)
	if !slashed || !resumes || parsed.Args != "" {
		return in, false, nil
	}
	in.Text, in.Options.Continue, in.Expired = resumer.Message(), true, nil
	_, found, err := d.Turns.AcceptedBefore(ctx, in.NewRow)
	switch {
	case fault.Is(err, fault.Conflict): // it was answered before: nothing had stopped then
		return in, false, nil
	case found || err != nil:
		return in, found, err
	}
	ok, err = resumer.Resume(ctx, in.Session)
	return in, ok, err
}
