package chat

// The think levels: how much a model thinks before it answers, from nothing to as much as it can.
const (
	ThinkOff     = "off"
	ThinkMinimal = "minimal"
	ThinkLow     = "low"
	ThinkMedium  = "medium"
	ThinkHigh    = "high"
	ThinkXHigh   = "xhigh"
)

// ThinkLevels are all think levels, ascending.
var ThinkLevels = []string{ThinkOff, ThinkMinimal, ThinkLow, ThinkMedium, ThinkHigh, ThinkXHigh}

// The verbosities: how much of the work a channel shows.
const (
	VerboseOff  = "off"
	VerboseOn   = "on"
	VerboseFull = "full"
)

// Verbosities are all verbosities, ascending.
var Verbosities = []string{VerboseOff, VerboseOn, VerboseFull}

// ModelCriteria is what decides which model answers in a session, and how much it thinks.
type ModelCriteria struct {
	User   UserID
	Admin  bool   // they are an administrator
	Runner string // that the session names
	Own    bool   // a model of a runner may answer: one that the user can use offers one, and they did not ask for the server's

	Agent    string
	Channel  string
	Account  string
	Chat     string // the platform's id of where it takes place
	ChatType ChatType
	// Activation is what /activation set for the group; empty: as the policy says.
	Activation string
	Scene      string
	Model      string  // chosen for the session
	Think      string  // chosen for the session
	Send       string  // on, off; empty: as the policy says
	Options    Options // of the message that the running turn answers
}

// The scenes: the two ways in which a place is used.
const (
	SceneChat = "chat"
	SceneWork = "work"
)
