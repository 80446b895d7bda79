package ingress

import (
	"context"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/command"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/store"
)

// Who says who may use a command.
type Who string

// Who may use a command.
const (
	Anyone Who = ""      // whoever may write to the conversation
	Owner  Who = "owner" // the conversation's own person, or an administrator. A group has no person of its own
	Admin  Who = "admin"
)

// Groups of commands, in the order in which people are told of them.
const (
	GroupConversation = "conversation" // its life: begin, stop, take back, search
	GroupModel        = "model"        // who answers, and how
	GroupContext      = "context"      // what the model sees, and what it costs
	GroupQueue        = "queue"        // how messages wait, and which are listened to
	GroupFolder       = "folder"       // where commands run
	GroupYou          = "you"          // the person and their accounts
	GroupServer       = "server"       // the installation
)

// Command is a slash command. The model does not see it. One that is not queued is carried out by the ingress, at once.
type Command struct {
	Name    string   // lower case, without the slash
	Aliases []string // other names, which people are not told
	// Usage is what may follow the name. Alternatives are parted by | and optional parts stand in brackets; words in
	// capitals, and those with a …, stand for something, all others are typed as they are: "[list|mode default|mode none]",
	// "PATH". Clients complete from it.
	Usage string
	Help  i18n.ID // what it does, in one line
	Group string  // one of the groups
	Who   Who
	// Inline says that it is also understood inside a message: it is answered at once and taken out of the text. It
	// reads only, and nothing may follow its name.
	Inline bool
	// Queued says that the command waits for its place among the messages of its session, and that a turn carries it
	// out and answers it (activities.Orders): it needs the conversation at rest. Run is not called.
	Queued bool
	// Split says what of that which follows the name belongs to a queued command, and what is a message behind it: both are
	// accepted together. Nil: all of it is the command's.
	Split func(ctx context.Context, args string) (own, text string)
	// Asks is the question that answers what follows the name where it can be read in several ways: nothing is carried out then.
	// Empty: it can not. Nil: it never can.
	Asks func(ctx context.Context, lang i18n.Lang, args string) string
	// Instead returns the message that takes the place of the command; ok is false where the command is to be run. nil:
	// it always is.
	Instead func(ctx context.Context, in Inbound) (as Inbound, ok bool, err error)
	// Run carries it out and returns the answer, Markdown, in the language in.Lang. It is called once for a message, but
	// again if the server dies before the answer is committed: a second run must do no harm. An error that the person
	// can do something about (all kinds but unavailable and internal) becomes the answer; another one fails the request,
	// and the client sends the message again. The answer is kept in the transcript: no secrets.
	Run func(ctx context.Context, in Inbound, args string) (string, error)
}

// Line is the command as it is typed, for people.
func (c Command) Line() string { return c.with(c.Usage) }

// with is the command with what follows its name.
func (c Command) with(args string) string { return strings.TrimSpace("/" + c.Name + " " + args) }

// is reports whether a name means the command.
func (c Command) is(typed string) bool { return c.Name == typed || slices.Contains(c.Aliases, typed) }

// takes reports whether what follows the name belongs to the command. Behind one that is understood inside messages too, the
// message goes on.
func (c Command) takes(args string) bool {
	alone := c.Inline || c.Name == stop.Name // "/cancel the meeting at nine" is a message
	return !alone || len(strings.Fields(args)) <= len(strings.Fields(c.Usage))
}

// maxCommands bounds the commands that are carried out at once: each holds a connection of the database, and its work
// takes another one.
const maxCommands = 8

// ErrIgnored is why nothing became of a command: who wrote it may not use it, and in a group that is not worth a word.
var ErrIgnored = fault.Errorf(fault.Denied, "you may not use this command here")

// People says who somebody is, and in which language they want to be answered.
type People interface {
	UserByID(ctx context.Context, user chat.UserID) (store.User, error)
	Session(ctx context.Context, key chat.SessionKey) (chat.Session, chat.UserID, error)
	// Speaks returns the language for an answer to a command of a person in a conversation.
	Speaks(ctx context.Context, user chat.UserID, key chat.SessionKey, text string) (i18n.Lang, error)
}

// Models say which words mean a model.
type Models interface {
	Resolve(ctx context.Context, word string) (id string, ok bool)
	// Candidates are the models that a word may mean.
	Candidates(ctx context.Context, word string) []string
}

// Commands are the slash commands of an ingress.
type Commands struct {
	Models Models // nil: no word means one
	// Known reports that a name which is no command means something to the model, as that of a skill. Nil: none does.
	Known func(ctx context.Context, name string) bool

	list   []Command
	people People
	slots  chan struct{}
}

// NewCommands makes a registry. Two commands of one name are a bug, and the first wins. It adds /help and /commands.
func NewCommands(people People, list ...Command) *Commands {
	c := &Commands{list: slices.Clone(list), people: people, slots: make(chan struct{}, maxCommands)}
	c.list = append(c.list, c.helpCommands()...)
	return c
}

// stop is carried out before all others, and stands in the list for those who read it.
var stop = Command{Name: "stop", Aliases: []string{"cancel"}, Help: i18n.HelpStop, Group: GroupConversation}

// List returns the commands in the order people are told of them. A nil registry knows only how to stop.
func (c *Commands) List() []Command {
	if c == nil {
		return []Command{stop}
	}
	return append([]Command{stop}, c.list...)
}

// named returns the command with a name, which may be an alias. A nil registry has none.
func (c *Commands) named(typed string) (Command, bool) {
	for _, known := range c.List() {
		if typed != "" && known.is(typed) {
			return known, true
		}
	}
	return Command{}, false
}

// canonical returns the name of the command with a name, empty if there is none.
func (c *Commands) canonical(typed string) string {
	known, _ := c.named(typed)
	return known.Name
}

// Knows reports whether a text is one of the commands, alone, with what belongs to it. Such a text is meant for the bot
// wherever it is written.
func (c *Commands) Knows(text string) bool {
	parsed, ok := command.Parse(text)
	known, found := c.named(parsed.Name)
	return ok && found && known.takes(parsed.Args)
}

// There reports whether there is the command that a text begins with, whoever may use it.
func (c *Commands) There(ctx context.Context, text string) bool {
	parsed, ok := command.Parse(text)
	if _, found := c.named(parsed.Name); !ok || found {
		return ok
	}
	return c != nil && c.Known != nil && c.Known(ctx, parsed.Name)
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
	return i18n.Explain(in.Lang, err), nil
}

// command commits what a person wrote together with its answer.
func (d *Dispatch) command(ctx context.Context, in Inbound, answer func(context.Context) (string, error)) (store.Accepted, error) {
	select {
	case d.Commands.slots <- struct{}{}:
		defer func() { <-d.Commands.slots }()
	case <-ctx.Done():
		return store.Accepted{}, ctx.Err()
	}
	return d.Inbox.Command(ctx, in.Inbound, answer)
}
