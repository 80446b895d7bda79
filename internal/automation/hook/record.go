package hook

import "xbot/internal/chat"

// Scene describes the turn of an event for hooks.
type Scene struct {
	Channel  string
	Chat     string // on the platform
	Sender   string // name of the user whom the turn answers
	Cwd      string
	ChatType chat.ChatType
	Role     string // of a subagent
	Instance string // of a subagent that is named
	Model    string // as chosen for the conversation; empty: the standard one
	First    bool   // the first turn of the conversation, or the first after a reset
	Reset    string // reason of the last reset; empty: there was none
	State    chat.TurnState
}

// ExecTarget is the runner and folder in which the commands of a conversation run.
type ExecTarget struct {
	User      chat.UserID
	Runner    string // empty: that of the user
	Cwd       string // empty: the workspace
	CwdRunner string // the runner that Cwd is a folder of
}

// Claimed is a message that a turn has taken from its inbox.
type Claimed struct {
	ID     chat.MessageID
	Text   string
	Origin string
	Key    string // of messages of the product: cron <job>@..., hook <trigger>/...
}

// Record is the outcome of an event with its context.
type Record struct {
	ID      string // of the event
	Event   Event
	Session chat.SessionKey
	Turn    chat.TurnID
	Outcome Outcome

	Call     chat.CallID      // of an event about a call
	Messages []chat.MessageID // of an event about claimed messages
	Changed  *Change          // new arguments of the call
}

// Change is a call as changed by hooks, with the permission decision on it.
type Change struct {
	Arguments, Summary string

	By     string // the name of the hook
	Rule   chat.Rule
	Ruling chat.Ruling
}
