package hook

import "xbot/internal/chat"

// Scene is what hooks are told of the turn that an event is in.
type Scene struct {
	Channel  string
	Chat     string // on the platform
	Sender   string // name of the user whom the turn answers
	Cwd      string
	ChatType chat.ChatType
	Role     string // of a subagent
	Instance string // of a subagent that is named
	Model    string // as chosen for the conversation; empty: the standard one
	First    bool   // the conversation begins with this turn, or begins anew
	Reset    string // why it began anew; empty: it never has
	State    chat.TurnState
}

// ExecTarget says where the commands of a conversation run.
type ExecTarget struct {
	User      chat.UserID
	Runner    string // empty: that of the user
	Cwd       string // empty: the workspace
	CwdRunner string // the runner that Cwd is a folder of
}

// Claimed is something that a turn has taken from its inbox.
type Claimed struct {
	ID     chat.MessageID
	Text   string
	Origin string
	Key    string // of what the product told: cron <job>@..., hook <trigger>/...
}

// Record is the outcome of an event with what it is about.
type Record struct {
	ID      string // of the event
	Event   Event
	Session chat.SessionKey
	Turn    chat.TurnID
	Outcome Outcome

	Call     chat.CallID      // of an event about a call
	Messages []chat.MessageID // of an event about what was claimed
	Changed  *Change          // what the arguments of the call are to be
}

// Change is a call as changed by hooks, with the permission decision on it.
type Change struct {
	Arguments, Summary string

	By     string // the name of the hook
	Rule   chat.Rule
	Ruling chat.Ruling
}
