package chat

import "time"

// TurnState is how far a turn has come, or how it ended.
type TurnState string

// The states. Running turns have a live workflow run, or the relay finds out that they have none.
const (
	TurnRunning TurnState = "running"
	TurnDone    TurnState = "done"    // answered
	TurnStopped TurnState = "stopped" // a person stopped it
	TurnFailed  TurnState = "failed"  // ended with a sentence to the user instead of an answer
	TurnLost    TurnState = "lost"    // its workflow run was closed from outside; the relay told the user

	// TurnReleased is only seen in the feed: the run vanished before its first step, so the message waits again and a
	// new turn will claim it.
	TurnReleased TurnState = "released"
)

// Turn is one run of the Turn workflow, as the API shows it.
type Turn struct {
	ID          TurnID     `json:"id"`
	Session     SessionKey `json:"session"`
	State       TurnState  `json:"state" enum:"running,done,stopped,failed,lost,released"`
	Steps       int        `json:"steps" doc:"LLM calls made so far."`
	Model       string     `json:"model,omitempty"`
	Usage       Usage      `json:"usage"`
	RunID       string     `json:"run_id" doc:"Run of the Turn workflow."`
	TemporalURL string     `json:"temporal_url,omitempty" doc:"Path of this run in the Temporal UI, behind the same login."`
	StartedAt   time.Time  `json:"started_at"`
	EndedAt     *time.Time `json:"ended_at,omitempty"`
}

// Session is one conversation, as the API shows it.
type Session struct {
	Key       SessionKey `json:"key"`
	Channel   string     `json:"channel"`
	Title     string     `json:"title" doc:"First words of the first message until somebody names it."`
	Pinned    bool       `json:"pinned"`
	Cwd       string     `json:"cwd" doc:"Working folder of the session's tools; empty means the runner's workspace."`
	CwdRunner string     `json:"cwd_runner,omitempty" doc:"Runner that cwd is a folder of; on another one the session starts in the workspace. Empty: not known."`
	Runner    string     `json:"runner" doc:"Runner of this session alone; empty follows the active runner of its user."`
	Running   TurnID     `json:"running,omitempty" doc:"The live turn, if there is one."`
	Queued    int        `json:"queued" doc:"Accepted messages that no turn has claimed yet."`
	Waiting   bool       `json:"waiting,omitempty" doc:"A tool call waits for a person's permission."`
	Seq       int64      `json:"seq" doc:"Sequence of the newest durable event of the session."`
	// ForkOf and ContextMode are about the whole conversation.
	ForkOf      SessionKey `json:"fork_of,omitempty" doc:"The session that this one was copied from; it may be gone."`
	ContextMode string     `json:"context_mode,omitempty" enum:"default,none" doc:"default: old parts of the conversation are masked and summarized as its context fills up. none: only when somebody asks. Empty: as the installation says."`
	ContextUsed int        `json:"context_used" doc:"Tokens that the last answer and its request took, or that the last compression left; 0: nothing was asked yet."`
	ContextMax  int        `json:"context_max" doc:"Tokens that the model takes in all."`
	CreatedAt   time.Time  `json:"created_at"`
	UpdatedAt   time.Time  `json:"updated_at" doc:"Last time a person wrote here."`
}
