// Package compress replaces the beginning of a conversation by a summary.
package compress

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"go.temporal.io/sdk/activity"

	"xbot/activities"
	"xbot/activities/modelcall"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/memory"
	"xbot/internal/tool"
	"xbot/internal/turn/permission"
	"xbot/internal/turn/window"
)

// Conversations reads the context window of a conversation, and commits its compactions.
type Conversations interface {
	// AnswerTurnCommand answers the command of a turn, once.
	AnswerTurnCommand(ctx context.Context, turn chat.TurnID, text string) error
	// Compact commits a compaction with its archive and notifies the user, unless the turn is closed or the record is there.
	Compact(ctx context.Context, step chat.Step, c chat.Control, archive chat.Offload, say string) error
	Control(ctx context.Context, key chat.SessionKey, record string) (chat.Control, bool, error)
	// Spend adds the tokens that a provider counted for a call outside of steps to the usage.
	Spend(ctx context.Context, step chat.Step, model string, u chat.Usage) error
	NotifyRetry(ctx context.Context, key chat.SessionKey, r chat.Retry) error
	Window(ctx context.Context, key chat.SessionKey) (chat.Window, error)
}

// Leases takes and renews the lease for the model calls of a compression.
type Leases interface {
	KeepLease(ctx context.Context, step chat.Step) error
	// TakeLease takes the lease for the calls of a compression, or is RateLimited.
	TakeLease(ctx context.Context, step chat.Step) error
}

// Turns runs the transactions of turns.
type Turns interface {
	TurnOrigin(ctx context.Context, turn chat.TurnID) (chat.TurnOrigin, error)
}

// Notes runs the tools with which a model keeps lasting notes.
type Notes interface {
	Specs() []tool.Spec
	Run(ctx context.Context, name string, call tool.Call) (chat.ToolResult, error)
}

// Progress shows watchers what a step is busy with: a chat.Doing*, or empty once it has ended.
type Progress interface {
	ShowDoing(step chat.Step, what string)
}

// Compressor compresses conversations: a summary replaces their beginning. The summarized messages stay in the database, and an
// archive of them can be recalled.
type Compressor struct {
	Models        activities.Models
	Conversations Conversations
	Leases        Leases
	Turns         Turns
	Prompts       modelcall.Prompts
	// Profiles knows whether anything is kept of the conversation; nil: it is.
	Profiles    modelcall.Profiles
	Context     *modelcall.Assembler // knows how much models take and how they count
	Notes       Notes                // nil: no notes are saved before
	Memory      memory.Recaller      // what the model sees when it saves notes; nil: nothing
	Authorizers permission.Authorizers
	Retry       modelcall.Retry
	Progress    Progress // nil: no progress is shown
}

// Input asks for a compression of a session's context.
type Input struct {
	Session chat.SessionKey `json:"session"`
	Turn    chat.TurnID     `json:"turn"`
	Step    int             `json:"step"`
	N       int             `json:"n,omitempty"` // counts the compressions of the step, from 0: a repeated activity finds its own
	Trigger string          `json:"trigger"`     // one of chat.Trigger*
}

// Output is the end of a compression; the summary is in Postgres.
type Output struct {
	Before int    `json:"before,omitempty"` // tokens of a request, estimated
	After  int    `json:"after,omitempty"`
	Method string `json:"method,omitempty"` // how the summary was made; empty: there was nothing to compress
}

// Compress summarizes the beginning of a conversation, and commits the summary if it is usable and makes the next request
// smaller. A summary that an earlier attempt committed stays. Compress always ends: after a bounded number of model calls it
// makes the summary by rule.
func (c *Compressor) Compress(ctx context.Context, in Input) (Output, error) {
	j := &compression{Compressor: c, in: in, step: chat.Step{Session: in.Session, Turn: in.Turn, N: in.Step}}
	j.resume(ctx)
	defer activities.HeartbeatWith(ctx, activities.HeartbeatInterval, j.progress)()
	out, err := j.run(ctx)
	return out, activities.Failure(ctx, err)
}

// Weigh returns how much a compression would cover: the number of messages of the next request, and its tokens, estimated.
func (c *Compressor) Weigh(ctx context.Context, in Input) (messages, tokens int, err error) {
	j := &compression{Compressor: c, in: in, step: chat.Step{Session: in.Session, Turn: in.Turn, N: in.Step}}
	if err := j.open(ctx); err != nil {
		return 0, 0, err
	}
	return len(j.view), j.static + j.weighLines(j.view), nil
}

// key returns the key of the compaction's record, by which a repeated activity finds it. For a command it is made from the
// command's row, which outlives a turn that is released.
func (j *compression) key() string {
	if j.in.Trigger == chat.TriggerManual && j.asked.Control {
		return fmt.Sprintf("compact/command/%d", j.asked.Inbox)
	}
	return "compact/" + string(j.in.Turn) + "/" + strconv.Itoa(j.in.Step) + "/" + strconv.Itoa(j.in.N)
}

func (j *compression) run(ctx context.Context) (Output, error) {
	known, done, err := j.known(ctx)
	if err != nil || done {
		return outputOf(known), err
	}
	if err := j.open(ctx); err != nil {
		return Output{}, err
	}
	if !j.worthwhile() {
		return Output{}, j.answer(ctx, i18n.NothingToCompact)
	}
	if err := j.Leases.TakeLease(ctx, j.step); err != nil {
		return Output{}, err
	}
	j.began = time.Now()
	defer modelcall.KeepLease(ctx, j.Leases, j.step)()
	defer j.announce()()
	if err := j.saveNotes(ctx); err != nil {
		return Output{}, err
	}
	summary, err := j.summarize(ctx)
	switch failed, provider := errors.AsType[*modelcall.ProviderError](err); {
	case provider && !j.needed(): // better no summary than a poor one
		return Output{}, j.answer(ctx, i18n.NotCompacted, failed.Reason())
	case provider || errors.Is(err, errUnusable):
		activity.GetLogger(ctx).Warn("no usable summary, compressing by rule", "session", j.in.Session, "error", err)
	case err != nil:
		return Output{}, err
	}
	return j.commit(ctx, summary)
}

// known finds a record committed before: by an earlier attempt, or for a command by an earlier turn that was released. The answer of a released turn
// was removed with it, so the user is notified again.
func (j *compression) known(ctx context.Context) (c chat.Control, done bool, err error) {
	if j.asked, err = j.Turns.TurnOrigin(ctx, j.in.Turn); err != nil {
		return c, false, err
	}
	c, done, err = j.Conversations.Control(ctx, j.in.Session, j.key())
	if err != nil || !done || j.in.Trigger != chat.TriggerManual || c.Compaction == nil {
		return c, done, err
	}
	return c, true, j.Conversations.AnswerTurnCommand(ctx, j.in.Turn, noticeOf(i18n.Lang(j.asked.Lang), c))
}

// needed reports whether the turn cannot continue without a compression, because the provider has refused the request as it is.
func (j *compression) needed() bool {
	return j.in.Trigger == chat.TriggerTooLong || j.in.Trigger == chat.TriggerExceeded
}

// announce shows that the context is being compressed until the returned function is called.
func (j *compression) announce() (over func()) {
	if j.Progress == nil {
		return func() {}
	}
	j.Progress.ShowDoing(j.step, chat.DoingCompress)
	return func() { j.Progress.ShowDoing(j.step, "") }
}

// commit records the best summary that makes the next request smaller: the model's, if there is one, else shorter and
// shorter ones by rule.
func (j *compression) commit(ctx context.Context, summary string) (Output, error) {
	for method, text := range j.candidates(summary) {
		if text == "" {
			continue
		}
		control, archive := j.record(method, text)
		if control.Compaction.TokensAfter >= control.Compaction.TokensBefore {
			continue
		}
		return outputOf(control), j.Conversations.Compact(ctx, j.step, control, archive, noticeOf(i18n.Lang(j.asked.Lang), control))
	}
	return Output{}, j.answer(ctx, i18n.NothingToCompact)
}

// candidates are summaries and how each was made, the best first; each is made when it is asked for.
func (j *compression) candidates(summary string) iter.Seq2[string, string] {
	return func(yield func(method, text string) bool) {
		_ = yield(chat.CompactedByModel, summary) &&
			yield(chat.CompactedByRule, window.Extract(j.part, j.facts, j.target, j.count)) &&
			yield(chat.CompactedByRule, window.Extract(j.part, j.facts, j.target/3, j.count)) &&
			yield(chat.CompactedByRule, window.Bare)
	}
}

// answer reports to the user how their command ended. A compression without a command reports nothing.
func (j *compression) answer(ctx context.Context, id i18n.ID, args ...any) error {
	if j.in.Trigger != chat.TriggerManual {
		return nil
	}
	return j.Conversations.AnswerTurnCommand(ctx, j.in.Turn, i18n.Say(i18n.Lang(j.asked.Lang), id, args...))
}

func noticeOf(l i18n.Lang, c chat.Control) string {
	id := i18n.Compacted
	if c.Compaction.Method == chat.CompactedByRule {
		id = i18n.CompactedByRule
	}
	return i18n.Say(l, id, thousands(c.Compaction.TokensBefore), thousands(c.Compaction.TokensAfter))
}

// thousands formats a number of tokens for users: 820, 9.8 k, 152 k.
func thousands(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n)
	case n < 10_000:
		return fmt.Sprintf("%.1f k", float64(n)/1000)
	}
	return strconv.Itoa((n+500)/1000) + " k"
}

func outputOf(c chat.Control) Output {
	if c.Compaction == nil {
		return Output{}
	}
	return Output{Before: c.Compaction.TokensBefore, After: c.Compaction.TokensAfter, Method: c.Compaction.Method}
}
