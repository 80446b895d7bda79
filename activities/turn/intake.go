// Package turn holds the activities of a turn: it claims messages, calls the model, runs tools, asks for permission and finishes.
package turn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"xbot/activities"
	"xbot/activities/coding"
	"xbot/activities/hooks"
	"xbot/activities/modelcall"
	"xbot/internal/chat"
	"xbot/internal/chat/ops"
	"xbot/internal/fault"
	"xbot/internal/host/readonce"
	"xbot/internal/i18n"
	"xbot/internal/llm/usage"
	"xbot/internal/turn/command"
	"xbot/internal/turn/slashcommand"
)

// Subagents reads which subagents of a turn have answered.
type Subagents interface {
	// SubagentsReported lists the calls of a turn whose subagents have answered.
	SubagentsReported(ctx context.Context, turn chat.TurnID) ([]chat.CallID, error)
}

// Attachments checks the limit on the stored files of a user.
type Attachments interface {
	// CheckSpace returns TooLarge if so many bytes more are too much for a user.
	CheckSpace(ctx context.Context, user chat.UserID, more int64) error
}

// Calls reads tool calls, and records their progress and results.
type Calls interface {
	// AbandonCall has the command killed, too, if it was sent.
	AbandonCall(ctx context.Context, id chat.CallID, r chat.ToolResult) error
	Answered(ctx context.Context, turn chat.TurnID) ([]chat.CallID, error)
	BeginCall(ctx context.Context, c chat.Call) (bool, error)
	Call(ctx context.Context, id chat.CallID) (chat.Call, error)
	FinishCall(ctx context.Context, id chat.CallID, r chat.ToolResult) error
	// KeepSample stores an answer and books its usage on the user of the session.
	KeepSample(ctx context.Context, key chat.SessionKey, call chat.CallID, s chat.Sample, u chat.Usage) error
	// ReopenCall makes a running call ask a user before it continues; false: it has ended.
	ReopenCall(ctx context.Context, id chat.CallID, questions []chat.Inquiry) (bool, error)
	// Sample returns the answer to a request of a call, and how many requests of the call have one.
	Sample(ctx context.Context, call chat.CallID, request string) (answer chat.Sample, found bool, answered int, err error)
	SetStartedOn(ctx context.Context, id chat.CallID, store string) error
	TasksRunningOf(ctx context.Context, user chat.UserID) (int, error)
}

// Conversations records that answers of a turn do not go to the channel.
type Conversations interface {
	// KeepFromChannel records that the send policy keeps the answers of a turn from the channel.
	KeepFromChannel(ctx context.Context, turn chat.TurnID) error
}

// Leases renews the lease of a model call.
type Leases interface {
	KeepLease(ctx context.Context, step chat.Step) error
}

// ModelRefusals records tools that a model refused.
type ModelRefusals interface {
	// RecordRefusedTools appends a notice, too, if not all of the tools are known to be refused; say may be nil.
	RecordRefusedTools(ctx context.Context, step chat.Step, tools []chat.RefusedTool, say func(i18n.Lang) string) (added bool, err error)
}

// Notices notifies administrators.
type Notices interface {
	NotifyAdministrator(ctx context.Context, of chat.NoticeKey, say func(i18n.Lang) string) (told bool, err error)
}

// Permissions sets permission rules of users.
type Permissions interface {
	// AllowInSession sets a rule of the user of a session.
	AllowInSession(ctx context.Context, key chat.SessionKey, r chat.ToolRule) error
}

// Titles checks whether a model call for a title may start.
type Titles interface {
	// TitleCapacity is RateLimited while as many calls to models run for the tenant as may.
	TitleCapacity(ctx context.Context, key chat.SessionKey) error
}

// Turns runs the transactions of turns.
type Turns interface {
	// BeginStep takes the lease of the step's call, too, or is RateLimited.
	BeginStep(ctx context.Context, step chat.Step) (failures int, stored chat.Decision, done bool, err error)
	Claim(ctx context.Context, key chat.SessionKey, turn chat.TurnID, run string, n int) (chat.Claim, bool, error)
	CommitStep(ctx context.Context, step chat.Step, a chat.Answer) (chat.Decision, error)
	CountFailure(ctx context.Context, step chat.Step, retry func(failures int, lang i18n.Lang) (chat.Retry, bool)) (int, error)
	EndStep(ctx context.Context, step chat.Step, finish string, say func(i18n.Lang) string) (chat.Decision, error)
	FailStep(ctx context.Context, step chat.Step, call chat.ModelCall, kind fault.Kind, say func(i18n.Lang) string) (chat.Decision, error)
	FinishTurn(ctx context.Context, key chat.SessionKey, turn chat.TurnID, state chat.TurnState, say i18n.ID, args ...any) (bool, error)
	HastenProvider(ctx context.Context, turn chat.TurnID) (by chat.InboxID, attempts int, err error)
	ProviderDue(ctx context.Context, turn chat.TurnID, hastened chat.InboxID) (time.Duration, error)
	Steer(ctx context.Context, key chat.SessionKey, turn chat.TurnID, n int) (chat.Steered, error)
	SteerWaits(ctx context.Context, key chat.SessionKey, turn chat.TurnID) (bool, error)
	StopRequested(ctx context.Context, key chat.SessionKey, turn chat.TurnID) (bool, error)
	WaitForProvider(ctx context.Context, step chat.Step, f chat.ProviderFailure) (rest time.Duration, waits bool, err error)
}

// Usage records usage of models.
type Usage interface {
	// BookUsage records the usage of a call without a usable answer.
	BookUsage(ctx context.Context, key chat.SessionKey, model string, calls int, u chat.Usage) error
}

// maxModelName limits the name of a model in histories, in characters. Names of models of runners may be longer, but Temporal
// limits a search attribute to 255 bytes: a turn with a longer one could never continue.
const maxModelName = 63

// Spending reads the usage of turns.
type Spending interface {
	// TurnTotals returns the usage of a turn.
	TurnTotals(ctx context.Context, turn chat.TurnID) (ops.TurnSpent, error)
}

// Intake opens and closes turns. Its activities run as local activities.
type Intake struct {
	Subagents     Subagents
	Calls         Calls
	Conversations Conversations
	Turns         Turns
	Commands      *slashcommand.Registry // resolves the names of commands
	Models        activities.Models      // names in summaries
	Profiles      modelcall.Profiles     // knows whether answers reach the channel; nil: they do
	Hooks         hooks.Files            // nil: there are none
	Spending      Spending               // nil: limits are not checked
	Prices        usage.Pricer           // nil: no cost is shown
	Speeds        *Speeds                // knows which models are quick; nil: none is
	Agents        *coding.Agents         // ends what a coding agent still does when its turn is over; nil: there are none
	MaxSteps      int                    // calls of a model in a turn
	Words         bool                   // allows the first words of messages in Temporal histories (XBOT_TEMPORAL_SUMMARIES)
	Titles        bool                   // whether models name conversations (AGENT_TITLES)
}

// ClaimInput asks for the n-th claim of a turn.
type ClaimInput struct {
	Session chat.SessionKey `json:"session"`
	Turn    chat.TurnID     `json:"turn"`
	Run     string          `json:"run"`
	N       int             `json:"n"`
}

// AttemptID identifies the claim across its attempts.
func (in ClaimInput) AttemptID() string { return fmt.Sprintf("%s claim %d", in.Session, in.N) }

// ClaimOutput is the claimed message, and the settings that the turn needs.
type ClaimOutput struct {
	Claimed  bool         `json:"claimed,omitempty"`
	Inbox    chat.InboxID `json:"inbox,omitempty"`
	Channel  string       `json:"channel,omitempty"`
	User     string       `json:"user,omitempty"`
	Words    string       `json:"words,omitempty"`
	Model    string       `json:"model,omitempty"`
	MaxSteps int          `json:"max_steps,omitempty"`
	// Steer is true if more messages wait that are meant to reach the turn while it runs.
	Steer bool `json:"steer,omitempty"`
	// Control is the name of the command that was claimed instead of a message, such as compact.
	Control string `json:"control,omitempty"`
	// Hooks are the hook points at which hooks run.
	Hooks []string `json:"hooks,omitempty"`
	// Quick: the model usually answers quickly, so that a step may be tried within the workflow task.
	Quick bool `json:"quick,omitempty"`
	// Ended is how the turn has ended already, if the workflow task that ended it is repeated.
	Ended chat.TurnState `json:"ended,omitempty"`
	// InLine is true if nothing was claimed because no turn is free: the session waits for one.
	InLine bool `json:"in_line,omitempty"`
}

// Claim takes the oldest waiting message of the session for the turn.
func (a *Intake) Claim(ctx context.Context, in ClaimInput) (ClaimOutput, error) {
	c, ok, err := a.Turns.Claim(ctx, in.Session, in.Turn, in.Run, in.N)
	if err != nil || !ok {
		return ClaimOutput{InLine: c.InLine}, activities.Failure(ctx, err)
	}
	ctx = readonce.Context(ctx)
	who, err := modelcall.ProfileOf(ctx, a.Profiles, in.Session)
	if err == nil && !who.Deliver {
		err = a.Conversations.KeepFromChannel(ctx, in.Turn)
	}
	if err != nil {
		return ClaimOutput{}, activities.Failure(ctx, err)
	}
	model, err := a.Models.For(ctx, in.Session)
	if err != nil {
		return ClaimOutput{}, activities.Failure(ctx, err)
	}
	out := ClaimOutput{
		Claimed: true, Inbox: c.Inbox, Channel: c.Channel, User: c.User, Model: activities.Shorten(model.Model(), maxModelName), MaxSteps: a.MaxSteps,
		Steer: c.Steer, Hooks: hooks.PointsOf(ctx, a.Hooks, in.Session), Quick: a.Speeds.Quick(model.Model()), Ended: c.Ended,
	}
	if c.Control {
		parsed, _ := command.Parse(c.Text) // only what parses is accepted as one
		out.Control = cmp.Or(a.Commands.Canonical(parsed.Name), parsed.Name)
	}
	if a.Words {
		out.Words = `"` + chat.FirstWords(strings.TrimPrefix(c.Text, chat.TaskMark), chat.SummaryWords) + `"`
	}
	return out, nil
}

// PeekInput names a turn.
type PeekInput struct {
	Session chat.SessionKey `json:"session"`
	Turn    chat.TurnID     `json:"turn"`
	Known   []chat.CallID   `json:"known,omitempty"` // calls of which the turn knows that their subagents have answered
}

// PeekOutput is what arrived for the turn while it runs.
type PeekOutput struct {
	Stop     bool          `json:"stop,omitempty"`
	Answered []chat.CallID `json:"answered,omitempty"` // calls that a user allowed or denied and that wait for it
	Steer    bool          `json:"steer,omitempty"`    // messages wait that are meant to reach the turn while it runs
	Reported []chat.CallID `json:"reported,omitempty"` // other calls whose subagents have answered
}

// Peek reports whether a user asked to stop the turn or answered a question of it, and which subagents have answered.
func (a *Intake) Peek(ctx context.Context, in PeekInput) (PeekOutput, error) {
	stop, err := a.Turns.StopRequested(ctx, in.Session, in.Turn)
	if err != nil || stop {
		return PeekOutput{Stop: stop}, activities.Failure(ctx, err)
	}
	answered, err := a.Calls.Answered(ctx, in.Turn)
	if err != nil {
		return PeekOutput{}, activities.Failure(ctx, err)
	}
	reported, err := a.Subagents.SubagentsReported(ctx, in.Turn)
	if err != nil {
		return PeekOutput{}, activities.Failure(ctx, err)
	}
	reported = slices.DeleteFunc(reported, func(id chat.CallID) bool { return slices.Contains(in.Known, id) })
	steer, err := a.Turns.SteerWaits(ctx, in.Session, in.Turn)
	return PeekOutput{Answered: answered, Steer: steer, Reported: reported}, activities.Failure(ctx, err)
}

// SteerInput asks for the n-th claim of a turn that runs.
type SteerInput struct {
	Session chat.SessionKey `json:"session"`
	Turn    chat.TurnID     `json:"turn"`
	N       int             `json:"n"`
}

// SteerOutput is what reached the turn.
type SteerOutput struct {
	Messages int    `json:"messages,omitempty"`
	Skipped  int    `json:"skipped,omitempty"` // calls that had not begun and do not run any more
	Words    string `json:"words,omitempty"`   // the first words of the first message
}

// Steer gives the messages that are meant to reach a turn while it runs to the turn, and skips its calls that have not
// begun. Done twice, it finds its own claim.
func (a *Intake) Steer(ctx context.Context, in SteerInput) (SteerOutput, error) {
	got, err := a.Turns.Steer(ctx, in.Session, in.Turn, in.N)
	out := SteerOutput{Messages: got.Messages, Skipped: got.Skipped}
	if a.Words && got.Text != "" {
		out.Words = `"` + chat.FirstWords(got.Text, chat.SummaryWords) + `"`
	}
	return out, activities.Failure(ctx, err)
}

// FinishInput ends a turn.
type FinishInput struct {
	Session chat.SessionKey `json:"session"`
	Turn    chat.TurnID     `json:"turn"`
	State   chat.TurnState  `json:"state"`
	Say     i18n.ID         `json:"say,omitempty"`   // sentence to the user, if they must know more than the answer
	Steps   int             `json:"steps,omitempty"` // for i18n.StepLimit
}

// FinishOutput reports whether messages wait for another turn.
type FinishOutput struct {
	Pending bool `json:"pending,omitempty"`
	// Title is true if a model is to name the conversation, which has an answer now.
	Title bool `json:"title,omitempty"`
	// Message is the newest answer of the turn; Tokens and CostUSD are what it took, the latter where prices are known.
	Message int64    `json:"message,omitempty"`
	Tokens  int64    `json:"tokens,omitempty"`
	CostUSD *float64 `json:"cost_usd,omitempty"`
}

// Finish closes the turn. Done twice it changes nothing the second time.
func (a *Intake) Finish(ctx context.Context, in FinishInput) (FinishOutput, error) {
	var args []any
	if in.Say == i18n.StepLimit {
		args = []any{in.Steps}
	}
	if a.Agents != nil && in.State != chat.TurnDone { // a turn that was done has no process any more
		if err := a.Agents.End(ctx, in.Session, in.Turn); err != nil {
			return FinishOutput{}, activities.Failure(ctx, err)
		}
	}
	pending, err := a.Turns.FinishTurn(ctx, in.Session, in.Turn, in.State, in.Say, args...)
	out := FinishOutput{Pending: pending}
	if err == nil {
		a.total(ctx, in.Turn, &out)
	}
	out.Title = out.Title && in.State == chat.TurnDone
	return out, activities.Failure(ctx, err)
}

// total adds what the turn took, and whether its conversation has no title yet. What cannot be read is left out: a later turn finds it.
func (a *Intake) total(ctx context.Context, turn chat.TurnID, out *FinishOutput) {
	if a.Spending == nil {
		return
	}
	t, err := a.Spending.TurnTotals(ctx, turn)
	if err != nil {
		return
	}
	var prices usage.Prices
	if a.Prices != nil {
		prices, _ = a.Prices.Prices(ctx, t.User) // without prices no cost is shown
	}
	out.Message, out.Title = t.Message, a.Titles && t.Untitled
	sum, known := 0.0, len(t.Spent) > 0
	for _, s := range t.Spent {
		out.Tokens += s.PromptTokens + s.CompletionTokens
		if known {
			cost := prices.Cost(s)
			if known = cost != nil; known {
				sum += *cost
			}
		}
	}
	if known {
		out.CostUSD = &sum
	}
}
