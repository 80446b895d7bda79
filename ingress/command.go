package ingress

import (
	"context"
	"slices"
	"strings"

	"xbot/internal/command"
	"xbot/internal/fault"
	"xbot/internal/store"
)

// Command is a slash command that the ingress carries out by itself, without a turn. The model does not see it.
type Command struct {
	Name string // lower case, without the slash
	Args string // what may follow the name, for people, such as "[note]"; may be empty
	Help string // what it does, in one line
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
	c.list = append(c.list, Command{Name: "help", Help: "lists the commands", Run: c.help})
	return c
}

// find returns the command that a text is, and its arguments. A nil registry has none.
func (c *Commands) find(text string) (Command, string, bool) {
	parsed, ok := command.Parse(text)
	if !ok || c == nil {
		return Command{}, "", false
	}
	i := slices.IndexFunc(c.list, func(known Command) bool { return known.Name == parsed.Name })
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

func (c *Commands) help(context.Context, Inbound, string) (string, error) {
	var b strings.Builder
	for _, known := range append([]Command{{Name: "stop", Help: "stops the running turn and clears the queue"}}, c.list...) {
		usage := strings.TrimSpace("/" + known.Name + " " + known.Args)
		b.WriteString("* `" + usage + "` " + known.Help + "\n")
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
