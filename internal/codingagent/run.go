package codingagent

import (
	"regexp"
	"strconv"
	"time"

	"xbot/internal/chat"
)

// Settings select the agent that answers, and how it is started.
type Settings struct {
	Agent       string // codex, claude, kimi or opencode
	Model       string // as in Turn, with the fields that have its names
	Effort      string
	Profile     string
	Personality string
	Sandbox     Sandbox
	Approvals   Approvals
	AddDirs     []string
	Prefix      string // precedes the user's message
	Program     string // started in place of the agent's usual command; empty: the usual one
}

// Binding is the thread of an agent that a conversation continues.
type Binding struct {
	Agent  string
	Thread string         // empty: the agent did not have it any more
	Runner string         // whose machine has the thread
	Dir    string         // its working folder; absolute
	Upto   chat.MessageID // the newest message that the agent was given
	Usage  Usage          // of the thread, as far as it is known
}

// threads matches the names that threads of agents may have: words without meaning to a shell that are no option of a command.
var threads = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$`)

// IsThread reports whether a text may be the name of a thread.
func IsThread(id string) bool { return threads.MatchString(id) }

// Run is a process that answers a turn, or messages that came while an earlier round of it ended.
type Run struct {
	Turn    chat.TurnID
	Round   int // from 0
	Request RunRequest
	Upto    chat.MessageID // the newest message in the request
	Runner  string
	Store   string // the job store that it was sent to; empty before that
	Ended   bool
}

// RunRequest is the request to a process. It is stored, so that a later attempt sends the same one.
type RunRequest struct {
	Agent   string `json:"agent"`
	Program string `json:"program,omitempty"`
	Turn
}

// AskingRun is a process that waits for a user.
type AskingRun struct {
	Run // without its request

	Agent string
	Owner chat.UserID // of its conversation
	Call  chat.CallID // by which the user is asked
}

// NewestRun describes how the newest turn of an agent on a runner ended.
type NewestRun struct {
	Agent, Runner string
	Owner         chat.UserID // of its conversation
	At            time.Time
	Answered      bool // else it failed
}

// ID names the process on the runner.
func (r Run) ID() chat.CallID {
	return chat.CallID("agent." + string(r.Turn) + "." + strconv.Itoa(r.Round))
}
