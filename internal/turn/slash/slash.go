// Package slash is the registry of slash commands: what they are called, who may use them, when they are carried out, and how
// people are told of them. The commands themselves stand in the folder slash/<group> at the top of the tree, one type in one
// file each; internal/turn/command is the grammar by which texts are read.
//
// A command has a Spec, and it does its work at one of two moments, which the Spec names:
//
//	Now     The ingress carries it out as soon as it is written, also while a turn runs, and commits its answer with it.
//	InTurn  It waits for its place among the messages of its conversation. The ingress accepts it as a row, and a turn
//	        carries it out and answers it: it needs the conversation at rest. What the ingress has to find out before it
//	        accepts one are abilities of the same type: Splitter, Asker.
//
// Both processes, the ingress and the worker, load the same registry, which server/commands.go fills once: there each command gets
// what it needs as fields, whose interfaces are declared beside it. So the names and aliases of a command are written once,
// and a new command is a file, a line in server/commands.go, and its sentences in internal/i18n.
package slash

import (
	"context"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/i18n"
)

// Who says who may use a command.
type Who string

// Who may use a command.
const (
	Anyone Who = ""      // all who may write to the conversation
	Owner  Who = "owner" // the conversation's own person, or an administrator. A group has no person of its own
	Admin  Who = "admin"
	// Resetter is who may begin a conversation anew: whose it is, and in a group whom the policy lets (policy.Group.WhoResets).
	Resetter Who = "resetter"
)

// When says when a command is carried out.
type When string

// When a command is carried out.
const (
	Now    When = ""     // at once, by the ingress; the command is a Runner
	InTurn When = "turn" // in its place in the queue, by a turn; the command is a TurnRunner
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
	GroupPlugins      = "plugins"      // what plugins add
)

// groups are the groups in this order.
var groups = []string{GroupConversation, GroupModel, GroupContext, GroupQueue, GroupFolder, GroupYou, GroupServer, GroupPlugins}

// Spec says what a command is.
type Spec struct {
	Name    string   // lower case, without the slash
	Aliases []string // other names, which are understood and not listed
	// Usage is what may follow the name. Alternatives are parted by | and optional parts stand in brackets; words in
	// capitals, and those with a …, stand for something, all others are typed as they are: "[list|mode default|mode none]",
	// "PATH". Clients complete from it.
	Usage string
	Help  i18n.ID // what it does, in one line
	Own   Words   // the same for a command that the catalogue of sentences does not know, such as one of a plugin
	Group string  // one of the groups
	Who   Who
	When  When
	Whole bool // it makes keys, or ways in: a token that is for conversations alone does not use it
	// Explained says that a person in a group who may not use it is told so. Others are met with silence: they may be meant for another bot.
	Explained bool
	// Ahead says that a command that is carried out Now asks a program that may be slow: it is asked before its answer is committed, and holds
	// no connection of the database meanwhile. Sent twice at one instant it may run twice.
	Ahead bool
	// Inline says that it is also understood inside a message: it is answered at once and taken out of the text. It
	// reads only, and nothing may follow its name.
	Inline bool
}

// Words is a line in both languages. Chinese may be empty: as in English.
type Words struct{ English, Chinese string }

// About is what the command does, in one line.
func (s Spec) About(lang i18n.Lang) string {
	if s.Help != "" {
		return i18n.Say(lang, s.Help)
	}
	if lang == i18n.Chinese && s.Own.Chinese != "" {
		return s.Own.Chinese
	}
	return s.Own.English
}

// Line is the command as it is typed, for people.
func (s Spec) Line() string { return s.With(s.Usage) }

// With is the command with what follows its name.
func (s Spec) With(args string) string { return strings.TrimSpace("/" + s.Name + " " + args) }

// Is reports whether a name means the command.
func (s Spec) Is(typed string) bool { return s.Name == typed || slices.Contains(s.Aliases, typed) }

// Takes reports whether what follows the name belongs to the command. Behind one that is understood inside messages too, the
// message goes on.
func (s Spec) Takes(args string) bool {
	alone := s.Inline || s.Name == stopName // "/cancel the meeting at nine" is a message
	return !alone || len(strings.Fields(args)) <= len(strings.Fields(s.Usage))
}

// Command is a slash command: a Runner or a TurnRunner, as its Spec says. The model does not see it.
type Command interface {
	Spec() Spec
}

// Runner is a command that is carried out at once.
type Runner interface {
	Command
	// Run carries the command out and returns the answer, Markdown, in the language in.Lang. It is called once for a message, but
	// again if the server dies before the answer is committed: a second run must do no harm. An error that the person
	// can do something about (all kinds but unavailable and internal) becomes the answer; another one fails the request,
	// and the client sends the message again. The answer is kept in the transcript: no secrets.
	Run(ctx context.Context, in Request, args string) (string, error)
}

// TurnRunner is a command that a turn carries out.
type TurnRunner interface {
	Command
	// RunInTurn carries the command of the turn o.Turn out and answers it in the language i18n.Lang(o.Lang). What it changes
	// and the answer are committed together, once: done twice, it changes nothing the second time. An error that the
	// person can do something about (all kinds but unavailable and internal) becomes the answer; another one is tried again.
	RunInTurn(ctx context.Context, o chat.TurnCommand, args string) error
}

// Splitter is a command behind which a message may stand: both are accepted together.
type Splitter interface {
	// Split divides the arguments into those of the command and the message. It knows the models that the user can choose; user 0: those that
	// everybody can choose.
	Split(ctx context.Context, user chat.UserID, args string) (own, text string)
}

// Preparer is a Splitter that is carried out at once, and behind which a message stands that is meant for what the command has prepared.
type Preparer interface {
	Splitter
	// Prepared reports whether it has, now or when the text came before: else the message is not taken.
	Prepared(ctx context.Context, in Request, own string) (bool, error)
}

// Redacter is a command behind which secrets may stand. It runs at once: a command that waits is stored as it was written.
type Redacter interface {
	// Redact returns what follows the name without the secrets, as it is kept.
	Redact(args string) string
}

// Asker is a command that can be read in several ways.
type Asker interface {
	// Ask returns the question that takes the place of the command, empty where it is clear what was meant.
	Ask(ctx context.Context, user chat.UserID, lang i18n.Lang, args string) string
}

// Resumer is a command whose place a message takes where the conversation was interrupted. It is a Runner, too, which answers
// where there is nothing to go on with.
type Resumer interface {
	// Resume reports whether the message takes the place of the command; otherwise the command is run.
	Resume(ctx context.Context, key chat.SessionKey) (bool, error)
	// Message is what the model reads then.
	Message() string
}

// Request is a command as somebody wrote it.
type Request struct {
	Session    chat.SessionKey
	User       chat.UserID
	UserName   string
	Lang       i18n.Lang // of the answer
	Channel    string
	Account    string
	PlatformID string          // the id of the message that it stood in
	Peer       chat.Peer       // who wrote it, on a platform; empty where people sign in
	Chat       chat.SessionKey // the own conversation of the chat it was written in, which may continue another one; empty where there is no chat
}

// Key names the request: sent again, it has the same one.
func (in Request) Key() string { return in.Channel + "/" + in.Account + "/" + in.PlatformID }

// Guest reports whether who writes shares the conversation of another person: that one's other conversations are not theirs to
// see. A group has no person of its own.
func (in Request) Guest(owner chat.UserID, group bool) bool { return !group && owner != in.User }

// FirstWord cuts a text at its first white space.
func FirstWord(text string) (word, rest string) {
	text = strings.TrimSpace(text)
	if i := strings.IndexAny(text, " \t\r\n"); i >= 0 {
		return text[:i], strings.TrimSpace(text[i:])
	}
	return text, ""
}
