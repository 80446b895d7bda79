package ingress

import (
	"context"
	"slices"
	"strings"

	"xbot/internal/command"
	"xbot/internal/fault"
	"xbot/internal/phrase"
	"xbot/internal/store"
)

// Command is a slash command. The model does not see it. One that is not queued is carried out by the ingress, at once.
type Command struct {
	Name    string    // lower case, without the slash
	Aliases []string  // other names, which people are not told
	Args    string    // what may follow the name, for people, such as "[note]"; may be empty
	Help    phrase.ID // what it does, in one line
	// Queued says that the command waits for its place among the messages of its session, and that a turn carries it
	// out and answers it: it needs the conversation at rest. Run is not called.
	Queued bool
	// Run carries it out and returns the answer, Markdown. It is called once for a message, but again if the server
	// dies before the answer is committed: a second run must do no harm. An error that the person can do something
	// about (all kinds but unavailable and internal) becomes the answer; another one fails the request, and the
	// client sends the message again. The answer is kept in the transcript: no secrets.
	Run func(ctx context.Context, in Inbound, args string) (string, error)
}

// maxCommands bounds the commands that are carried out at once: each holds a connection of the database, and its work
// takes another one.
const maxCommands = 8

// Commands are the slash commands of an ingress.
type Commands struct {
	list  []Command
	slots chan struct{}
}

// NewCommands makes a registry. Two commands of one name are a bug, and the first wins. It adds /help.
func NewCommands(list ...Command) *Commands {
	c := &Commands{list: slices.Clone(list), slots: make(chan struct{}, maxCommands)}
	c.list = append(c.list, Command{Name: "help", Help: phrase.HelpHelp, Run: c.help})
	return c
}

// stop is carried out before all others, and stands in the list for those who read it.
var stop = Command{Name: "stop", Aliases: []string{"cancel"}, Help: phrase.HelpStop}

// List returns the commands in the order people are told of them. A nil registry knows only how to stop.
func (c *Commands) List() []Command {
	if c == nil {
		return []Command{stop}
	}
	return append([]Command{stop}, c.list...)
}

// find returns the command that a text is, and its arguments. A nil registry has none.
func (c *Commands) find(text string) (Command, string, bool) {
	parsed, ok := command.Parse(text)
	if !ok || c == nil {
		return Command{}, "", false
	}
	i := slices.IndexFunc(c.list, func(known Command) bool {
		return known.Name == parsed.Name || slices.Contains(known.Aliases, parsed.Name)
	})
	if i < 0 {
		return Command{}, "", false
	}
	return c.list[i], parsed.Args, true
}

// run carries a command out. A refusal is an answer.
func (c *Commands) run(ctx context.Context, known Command, in Inbound, args string) (string, error) {
	said, err := known.Run(ctx, in, args)
	switch fault.KindOf(err) {
	case "":
		return said, nil
	case fault.Unavailable, fault.Internal:
		return "", err
	}
	return err.Error(), nil
}

func (c *Commands) help(_ context.Context, in Inbound, _ string) (string, error) {
	lang := phrase.Of(in.Text)
	var b strings.Builder
	for _, known := range c.List() {
		usage := strings.TrimSpace("/" + known.Name + " " + known.Args)
		b.WriteString("* `" + usage + "` " + phrase.Say(lang, known.Help) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// command carries out a slash command and commits it with its answer.
func (d *Dispatch) command(ctx context.Context, in Inbound, known Command, args string) (store.Accepted, error) {
	select {
	case d.Commands.slots <- struct{}{}:
		defer func() { <-d.Commands.slots }()
	case <-ctx.Done():
		return store.Accepted{}, ctx.Err()
	}
	return d.Inbox.Command(ctx, in.Inbound, func(ctx context.Context) (string, error) {
		return d.Commands.run(ctx, known, in, args)
	})
}
