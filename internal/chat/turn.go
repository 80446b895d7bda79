package chat

import "time"

// TurnState is the state of a turn, or how it ended.
type TurnState string

// The states. Running turns have a live workflow run, or the relay detects that they have none.
const (
	TurnRunning TurnState = "running"
	TurnDone    TurnState = "done"    // answered
	TurnStopped TurnState = "stopped" // a user stopped it
	TurnFailed  TurnState = "failed"  // ended with an error message to the user instead of an answer
	TurnLost    TurnState = "lost"    // its workflow run was closed from outside; the relay notified the user

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
	Plan        PlanState  `json:"plan,omitempty" enum:"wanted,approved,lifted" doc:"Plan mode of the turn. wanted: only reading tools run until a plan is approved. lifted: a user has switched plan mode off."`
	Allows      *Allowance `json:"allows,omitempty" doc:"Set while a user allows all calls of this turn."`
	Waits       *Wait      `json:"waits,omitempty" doc:"Set while the turn waits for an unreachable model provider. The turn continues once the provider responds."`
}

// Wait is the wait of a turn for its model provider.
type Wait struct {
	Since time.Time `json:"since"`
	Until time.Time `json:"until" doc:"When the turn gives up."`
	// Next is nil if it is not known.
	Next   *time.Time `json:"next,omitempty" doc:"When the provider is asked again; a message that is written meanwhile brings it forward."`
	Reason string     `json:"reason" doc:"rate limit, timeout, server error, network, truncated stream"`
}
