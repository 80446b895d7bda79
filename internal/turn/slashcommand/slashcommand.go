// Package slashcommand is the registry of slash commands: their names, permissions, times of execution and help. The commands themselves are in the
// folder slash/<group> at the top of the tree, one type in one file each; internal/turn/command is the grammar that parses them.
//
// A command has a Spec, which names one of two times of execution:
//
//	Now     The ingress executes it at once, also while a turn runs, and commits its answer with it.
//	InTurn  It is queued among the messages of its conversation. The ingress accepts it as a row, and a turn executes
//	        and answers it: no other turn may run in the conversation. The checks of the ingress before it accepts one
//	        are interfaces of the same type: Splitter, Asker.
//
// Both processes, the ingress and the worker, load the same registry, which server/commands.go fills once: each command gets its dependencies
// as fields, whose interfaces are declared in its file. So the names and aliases of a command are written once, and a new command is a file,
// a line in server/commands.go, and its sentences in internal/i18n.
package slashcommand

import (
	"context"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/i18n"
)

// Who is the set of users who may use a command.
type Who string

// The sets of users.
const (
	Anyone Who = ""      // all who may write to the conversation
	Owner  Who = "owner" // the conversation's own user, or an administrator. A group has no user of its own
	Admin  Who = "admin"
	// Resetter may reset a conversation: its owner, and in a group those that the policy permits (policy.Group.WhoResets).
	Resetter Who = "resetter"
)

// When is when a command is executed.
type When string

// The times of execution.
const (
	Now    When = ""     // at once, by the ingress; the command is a Runner
	InTurn When = "turn" // in its place in the queue, by a turn; the command is a TurnRunner
)

// Groups of commands, in the order of the help.
const (
	GroupConversation = "conversation" // lifecycle: begin, stop, recall, search
	GroupModel        = "model"        // model and thinking
	GroupContext      = "context"      // the model's context, and its cost
	GroupQueue        = "queue"        // how messages wait, and which are read
	GroupFolder       = "folder"       // where commands run
	GroupYou          = "you"          // the user and their accounts
	GroupServer       = "server"       // the installation
	GroupPlugins      = "plugins"      // commands of plugins
)

// groups lists the groups in this order.
var groups = []string{GroupConversation, GroupModel, GroupContext, GroupQueue, GroupFolder, GroupYou, GroupServer, GroupPlugins}

// Spec describes a command.
type Spec struct {
	Name    string   // lower case, without the slash
	Aliases []string // other names, which are accepted and not listed
	// Usage is the syntax of the arguments. Alternatives are separated by | and optional parts are in brackets; words in capitals, and those
	// with a …, are placeholders, all others are literal: "[list|mode default|mode none]", "PATH". Clients complete from it.
	Usage string
	Help  i18n.ID // description, in one line
	Own   Words   // the same for a command without a sentence in the catalogue, such as one of a plugin
	Group string  // one of the groups
	Who   Who
	When  When
	Whole bool // it makes keys or other access: a token that is for conversations alone does not use it
	// Explained means that a group member who may not use it gets a refusal. Other commands get no answer: they may be for another bot.
	Explained bool
	// Ahead marks a Now command that calls a program that may be slow: the call happens before its answer is committed, and holds no
	// connection of the database in the meantime. Sent twice at one instant it may run twice.
	Ahead bool
	// Inline means that it is also accepted inside a message: it is answered at once and removed from the text. It only reads, and takes no
	// arguments.
	Inline bool
}

// Words is a line in both languages. Empty Chinese means the English text.
type Words struct{ English, Chinese string }

// About returns what the command does, in one line.
func (s Spec) About(lang i18n.Lang) string {
	if s.Help != "" {
		return i18n.Say(lang, s.Help)
	}
	if lang == i18n.Chinese && s.Own.Chinese != "" {
		return s.Own.Chinese
	}
	return s.Own.English
}

// Line returns the command as users type it.
func (s Spec) Line() string { return s.With(s.Usage) }

// With returns the command followed by arguments.
func (s Spec) With(args string) string { return strings.TrimSpace("/" + s.Name + " " + args) }

// Is reports whether a name means the command.
func (s Spec) Is(typed string) bool { return s.Name == typed || slices.Contains(s.Aliases, typed) }

// Takes reports whether the text after the name belongs to the command. After an inline command, the message continues.
func (s Spec) Takes(args string) bool {
	alone := s.Inline || s.Name == stopName // "/cancel the meeting at nine" is a message
	return !alone || len(strings.Fields(args)) <= len(strings.Fields(s.Usage))
}

// Command is a slash command: a Runner or a TurnRunner, as its Spec defines. The model does not see it.
type Command interface {
	Spec() Spec
}

// Runner is a command that the ingress executes at once.
type Runner interface {
	Command
	// Run executes the command and returns the answer, Markdown, in the language in.Lang. It is called once for a message, but again if the
	// server dies before the answer is committed: a second run must do no harm. An error that the user can act on (all kinds but unavailable
	// and internal) becomes the answer; another one fails the request, and the client sends the message again. The answer is stored in the
	// transcript: no secrets.
	Run(ctx context.Context, in Request, args string) (string, error)
}

// TurnRunner is a command that a turn executes.
type TurnRunner interface {
	Command
	// RunInTurn executes the command of the turn o.Turn and answers it in the language i18n.Lang(o.Lang). Its changes and the answer are
	// committed together, once: a second run changes nothing. An error that the user can act on (all kinds but unavailable and internal)
	// becomes the answer; another one is retried.
	RunInTurn(ctx context.Context, o chat.TurnCommand, args string) error
}

// Splitter is a command that a message may follow: both are accepted together.
type Splitter interface {
	// Split divides the arguments into those of the command and the message. It uses the models that the user can choose; user 0: those that
	// all users can choose.
	Split(ctx context.Context, user chat.UserID, args string) (own, text string)
}

// Preparer is a Splitter that is executed at once, and prepares for the message that follows it.
type Preparer interface {
	Splitter
	// Prepared reports whether the preparation is done, now or by an earlier delivery of the text: else the message is not accepted.
	Prepared(ctx context.Context, in Request, own string) (bool, error)
}

// Redacter is a command whose arguments may hold secrets. It runs at once: a command that waits is stored as it was written.
type Redacter interface {
	// Redact returns the arguments without the secrets, as they are stored.
	Redact(args string) string
}

// Asker is a command that can be read in several ways.
type Asker interface {
	// Ask returns the question that replaces the command, empty if the meaning is clear.
	Ask(ctx context.Context, user chat.UserID, lang i18n.Lang, args string) string
}

// Resumer is a command that a message replaces if the conversation was interrupted. It is also a Runner, which answers if there is nothing to
// resume.
type Resumer interface {
	// Resume reports whether the message replaces the command; otherwise the command is run.
	Resume(ctx context.Context, key chat.SessionKey) (bool, error)
	// Message returns the replacing text for the model.
	Message() string
}

// Request is a command as a user wrote it.
type Request struct {
	Session    chat.SessionKey
	User       chat.UserID
	UserName   string
	Lang       i18n.Lang // of the answer
	Channel    string
	Account    string
	PlatformID string          // the id of the message that contained it
	Peer       chat.Peer       // the sender on a platform; empty if users sign in
	Chat       chat.SessionKey // the chat's own conversation, which may continue another one; empty if there is no chat
}

// Key names the request: a repeated delivery has the same one.
func (in Request) Key() string { return in.Channel + "/" + in.Account + "/" + in.PlatformID }

// SharesConversation reports whether the sender shares the conversation of another user, whose other conversations the sender may not see. A group has no
// user of its own.
func (in Request) SharesConversation(owner chat.UserID, group bool) bool {
	return !group && owner != in.User
}

// FirstWord cuts a text at its first white space.
func FirstWord(text string) (word, rest string) {
	text = strings.TrimSpace(text)
	if i := strings.IndexAny(text, " \t\r\n"); i >= 0 {
		return text[:i], strings.TrimSpace(text[i:])
	}
	return text, ""
}
