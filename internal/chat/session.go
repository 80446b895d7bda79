package chat

import "time"

// Session is one conversation, as the API shows it.
type Session struct {
	Key    SessionKey `json:"key"`
	Title  string     `json:"title" doc:"The first words of the first message, until a user renames it or a model names it after the first answer."`
	Pinned bool       `json:"pinned"`
	Shelf  ListState  `json:"shelf,omitempty" enum:"archived,oneshots" doc:"List state: archived (until the next message), oneshots (of xbot-cli -p). Empty: listed."`
	ForkOf SessionKey `json:"fork_of,omitempty" doc:"The session that this one was copied from; it may be deleted."`
	Once   bool       `json:"once,omitempty" doc:"Belongs to a subagent that answers once. Messages after its answer are refused."`
	Routing
	Folder
	Choices
	Activity
	Fill
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at" doc:"Time of the last user message."`
}

// Routing is where a conversation takes place and which agent answers there.
type Routing struct {
	Agent    string   `json:"agent" doc:"Which of the installation's agents answers."`
	Channel  string   `json:"channel"`
	ChatType ChatType `json:"chat_type" enum:"direct,group,channel,thread,cron,hook,subagent"`
	Scene    string   `json:"scene,omitempty" enum:"chat,work"`
	Origin   Origin   `json:"origin" doc:"Where the conversation takes place."`
}

// Folder is the working folder of a conversation's tools.
type Folder struct {
	Cwd       string `json:"cwd" doc:"Working folder of the session's tools; empty means the runner's workspace."`
	CwdRunner string `json:"cwd_runner,omitempty" doc:"Runner of the folder cwd; on another runner the session starts in the workspace. Empty: unknown."`
}

// Choices is the settings of one conversation. Empty ones follow the user, the agent, the policy or the installation.
type Choices struct {
	Runner      string `json:"runner" doc:"Runner of this session alone; empty follows the active runner of its user."`
	ContextMode string `json:"context_mode,omitempty" enum:"default,none" doc:"default: old parts of the conversation are masked and summarized as the context fills. none: only on request. Empty: the installation's mode."`
	Model       string `json:"model,omitempty" doc:"Chosen for this conversation; empty: that of the agent."`
	Think       string `json:"think,omitempty" enum:"off,minimal,low,medium,high,xhigh" doc:"Reasoning effort; empty: the model's default."`
	Verbose     string `json:"verbose,omitempty" enum:"off,on,full" doc:"How much of the work a channel shows; empty: off."`
	Queue       Queue  `json:"queue" doc:"Queue settings of this conversation; empty members follow the policy."`
	Send        string `json:"send,omitempty" enum:"on,off" doc:"Whether answers are delivered to the channel; empty: according to the policy."`
	Activation  string `json:"activation,omitempty" enum:"mention,always" doc:"Group messages that the bot reads; empty: according to the policy."`
	Plan        bool   `json:"plan,omitempty" doc:"Plan mode: each turn proposes a plan before it acts and waits for its approval."`
	Preset      Preset `json:"preset,omitempty" enum:"read_only,ask,auto" doc:"Permission mode; empty: the user's default, then the policy."`
}

// MaxTitle bounds a title generated from a conversation, in characters.
const MaxTitle = 60

// TitleSubject is the input of a conversation's title.
type TitleSubject struct {
	Question string
	Answer   string
}

// Activity is the current work in a conversation.
type Activity struct {
	Running TurnID `json:"running,omitempty" doc:"The live turn, if there is one."`
	Queued  int    `json:"queued" doc:"Accepted messages that no turn has claimed yet."`
	Waiting bool   `json:"waiting,omitempty" doc:"A tool call requires approval."`
	Seq     int64  `json:"seq" doc:"Sequence of the newest durable event of the session."`
}

// Fill is how much of its model's window a conversation takes.
type Fill struct {
	ContextUsed int `json:"context_used" doc:"Tokens that the last answer and its request took, or that the last compression left; 0: nothing was asked yet."`
	ContextMax  int `json:"context_max" doc:"Tokens that the model takes in all."`
}

// ListState is the list that a conversation appears in.
type ListState string

// The list states.
const (
	Listed   ListState = ""         // none: it is in the list
	Archived ListState = "archived" // a user archived it; a message brings it back
	OneShots ListState = "oneshots" // a terminal began it for one question
)
