// Package memorize writes the contents of conversations into memory when they restart.
package memorize

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"go.temporal.io/sdk/activity"

	"xbot/activities"
	"xbot/activities/modelcall"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/memory"
	"xbot/internal/turn/tokens"
	"xbot/internal/turn/window"
)

// Bounds of what is memorized.
const (
	maxMemorizeTries = 10               // in a row, with pauses that grow to an hour: about four hours
	maxMemorizePause = time.Hour        // between two of them
	maxMemorizePart  = 200_000          // characters of a conversation in one request
	minMemorizePart  = 8_000            // of which a model that takes less is not asked
	maxMemorized     = 8_000            // tokens of an answer
	maxMemorizeParts = 200              // of one job; a conversation of that many is longer than any window
	memorizeShare    = 2                // one in so many tokens of the context window is the conversation
	memorizeKey      = "memorize/%d/%d" // job and the message before the part: what makes a part once
)

// Conversations is the store of memorize jobs, which reads the parts of a conversation that a job memorizes.
type Conversations interface {
	EndMemorize(ctx context.Context, j chat.MemorizeJob, state, why string, changed bool) error
	HoldMemorize(ctx context.Context, j chat.MemorizeJob) error
	KeepMemorize(ctx context.Context, id chat.MemorizeID) error
	MemorizeJob(ctx context.Context, id chat.MemorizeID) (chat.MemorizeJob, error)
	MemorizePart(ctx context.Context, j chat.MemorizeJob, upto chat.MessageID, shorter bool) (chat.MessageID, error)
	MemorizeSpan(ctx context.Context, key chat.SessionKey, after, upto chat.MessageID) (from, to time.Time, err error)
	MemorizeTried(ctx context.Context, id chat.MemorizeID, why string) (int, error)
	MemorizeWindow(ctx context.Context, j chat.MemorizeJob) (chat.Window, error)
	Memorized(ctx context.Context, j chat.MemorizeJob, upto chat.MessageID) error
	ReleaseMemorize(ctx context.Context, id chat.MemorizeID) error
}

// Usage records the usage of model calls outside turns.
type Usage interface {
	// BookUsage adds the tokens that a provider counted for a call outside of steps to the usage.
	BookUsage(ctx context.Context, key chat.SessionKey, model string, calls int, u chat.Usage) error
}

// Slots bounds how many jobs call models at once.
type Slots interface {
	// HoldMemorize is RateLimited while the job has to wait for a place.
	HoldMemorize(ctx context.Context, j chat.MemorizeJob) error
	KeepMemorize(ctx context.Context, id chat.MemorizeID) error
	ReleaseMemorize(ctx context.Context, id chat.MemorizeID) error
}

// Memorizer writes conversations that a reset or a summary removes from the context into memory.
type Memorizer struct {
	Conversations Conversations
	Usage         Usage
	Models        activities.Models
	Memory        interface {
		Memorize(ctx context.Context, in memory.MemorizeInput) (memory.MemorizeResult, error)
	}
	Budget modelcall.Budget
	Retry  modelcall.Retry // its Delay is the first pause after a failure; each is four times as long as the one before
}

// Input names a job.
type Input struct {
	Job chat.MemorizeID `json:"job"`
}

// Output is the end of a job, in numbers: the memories are in Postgres.
type Output struct {
	State    string `json:"state,omitempty"` // one of chat.Memorize*; empty: there was nothing left to do
	Parts    int    `json:"parts,omitempty"`
	Changed  int    `json:"changed,omitempty"` // notes or blocks
	Archived int    `json:"archived,omitempty"`
}

// Memorize puts a conversation into memory, part by part. It is safe to run any number of times: a part has a key under which memory is written once,
// and finished parts are recorded. A failure ends the attempt and is counted; after ten in a row the job has failed, and the user is notified.
func (m *Memorizer) Memorize(ctx context.Context, in Input) (Output, error) {
	defer activities.Heartbeat(ctx)()
	job, err := m.Conversations.MemorizeJob(ctx, in.Job)
	if fault.Is(err, fault.NotFound) {
		return Output{}, nil // its conversation was deleted
	}
	if err != nil || job.State != chat.MemorizeWaiting {
		return Output{}, activities.Failure(ctx, err)
	}
	out, err := m.memorize(ctx, job)
	return out, activities.Failure(ctx, err)
}

// GiveUp ends a job that could not be done for a fault of our own, or that an operator has cancelled.
func (m *Memorizer) GiveUp(ctx context.Context, in Input) error {
	job, err := m.Conversations.MemorizeJob(ctx, in.Job)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err == nil {
		err = m.Conversations.EndMemorize(ctx, job, chat.MemorizeFailed, "it was cancelled, or the server has a fault", false)
	}
	return activities.Failure(ctx, err)
}

func (m *Memorizer) memorize(ctx context.Context, job chat.MemorizeJob) (out Output, err error) {
	if err := m.Conversations.HoldMemorize(ctx, job); err != nil {
		return out, err
	}
	defer m.hold(ctx, job)()
	client, err := m.Models.For(ctx, job.Session)
	if err != nil {
		return m.failed(ctx, job, err)
	}
	if _, coding := llm.AgentOf(client); coding { // it answers turns and no calls, and no other model was chosen to read the conversation
		out.State = chat.MemorizeDone
		return out, m.Conversations.EndMemorize(ctx, job, out.State, "", false)
	}
	changed := activity.GetInfo(ctx).Attempt > 1 // an earlier one may have kept something
	for range maxMemorizeParts {
		part, err := m.next(ctx, client, job)
		if err != nil {
			return out, err
		}
		if len(part.lines) == 0 {
			break
		}
		result, err := m.keep(ctx, client, job, part)
		if err != nil {
			return m.failed(ctx, job, err)
		}
		out.Parts, out.Changed, out.Archived = out.Parts+1, out.Changed+len(result.Changed), out.Archived+result.Archived
		changed = changed || result.Again || len(result.Changed)+result.Archived+result.Deleted > 0
		if err := m.Conversations.Memorized(ctx, job, part.upto); err != nil {
			return out, err
		}
		job.Done, job.Part = part.upto, 0
	}
	out.State = chat.MemorizeDone
	return out, m.Conversations.EndMemorize(ctx, job, out.State, "", changed)
}

// part is the piece of a conversation that is memorized under one key.
type part struct {
	lines []chat.Line
	upto  chat.MessageID
	room  int // characters, with some to spare
}

// next returns the part that follows what is done; it has no lines where nothing is left.
func (m *Memorizer) next(ctx context.Context, client llm.Client, job chat.MemorizeJob) (part, error) {
	if job.Done >= job.Upto {
		return part{}, nil
	}
	w, err := m.Conversations.MemorizeWindow(ctx, job)
	if err != nil {
		return part{}, err
	}
	w.Controls = slices.DeleteFunc(w.Controls, func(c chat.Control) bool { return c.Kind == chat.ControlMask || c.Kind == chat.ControlStale })
	p := part{lines: window.View(w), room: m.inputBudget(client, w)}
	if len(p.lines) == 0 {
		return p, nil
	}
	upto := job.Upto
	if n := memory.Fit(p.lines, p.room); n < len(p.lines) {
		upto = p.lines[n-1].Message.ID
	}
	if p.upto, err = m.Conversations.MemorizePart(ctx, job, upto, false); err != nil {
		return p, err
	}
	p.cut()
	return p, nil
}

// cut leaves out the lines behind the part.
func (p *part) cut() {
	p.lines = slices.DeleteFunc(p.lines, func(l chat.Line) bool { return l.Message.ID > p.upto })
}

// inputBudget returns how many characters of a conversation fit into a request, by the ratio of tokens to characters in its text.
func (m *Memorizer) inputBudget(client llm.Client, w chat.Window) int {
	text := strings.Join(window.Transcript(w.Lines, minMemorizePart), "\n")
	if len(text) > maxMemorizePart {
		text = strings.ToValidUTF8(text[:maxMemorizePart], "")
	}
	chars := utf8.RuneCountInString(text) * m.Budget.Limits(client).Context / memorizeShare / max(1, tokens.Count(text))
	return max(minMemorizePart, min(chars, maxMemorizePart))
}

// keep memorizes a part. One that the model finds too long is made shorter, which costs a try.
func (m *Memorizer) keep(ctx context.Context, client llm.Client, job chat.MemorizeJob, p part) (memory.MemorizeResult, error) {
	from, to, err := m.Conversations.MemorizeSpan(ctx, job.Session, job.Done, p.upto)
	if err != nil {
		return memory.MemorizeResult{}, err
	}
	result, err := m.Memory.Memorize(ctx, memory.MemorizeInput{
		User: job.User, Session: job.Session, Key: fmt.Sprintf(memorizeKey, job.ID, job.Done), Lines: p.lines, From: from, To: to,
		Room: p.room + 2*minMemorizePart, Ask: m.asker(client, job),
	})
	if fault.Is(err, fault.TooLarge) {
		half := memory.Fit(p.lines, p.room>>(job.Tries+1))
		if _, err := m.Conversations.MemorizePart(ctx, job, p.lines[half-1].Message.ID, true); err != nil {
			return result, err
		}
	}
	return result, err
}

// asker calls the model and records the usage, even if the activity ends at this moment: the calls were paid for.
func (m *Memorizer) asker(client llm.Client, job chat.MemorizeJob) memory.Ask {
	return func(ctx context.Context, r llm.Request) (llm.Answer, error) {
		if r.MaxTokens == 0 {
			r.MaxTokens = min(m.Budget.Limits(client).Output, maxMemorized)
		}
		answer, err := client.Generate(ctx, r, nil)
		if answer.Usage != (chat.Usage{}) {
			settled, cancel := activities.Settling(ctx)
			defer cancel()
			if err := m.Usage.BookUsage(settled, job.Session, client.Model(), 1, answer.Usage); err != nil {
				return answer, err
			}
		}
		if err != nil && ctx.Err() == nil {
			return answer, &modelcall.ProviderError{Cause: err}
		}
		return answer, err
	}
}

// failed counts a failure and has the job tried again after a pause, or ends it.
func (m *Memorizer) failed(ctx context.Context, job chat.MemorizeJob, cause error) (Output, error) {
	if ctx.Err() != nil || fault.PartOf(cause) != "" { // it is no failure of the job that a part of xbot is away
		return Output{}, cause
	}
	why := reasonOf(cause)
	tries, err := m.Conversations.MemorizeTried(ctx, job.ID, why)
	if err != nil || tries == 0 {
		return Output{}, err
	}
	activity.GetLogger(ctx).Warn("a conversation was not memorized", "session", job.Session, "tries", tries, "error", cause)
	if tries >= maxMemorizeTries {
		out := Output{State: chat.MemorizeFailed}
		return out, m.Conversations.EndMemorize(ctx, job, out.State, why, false)
	}
	pause := max(min(m.Retry.Delay<<(2*(tries-1)), maxMemorizePause), fault.After(cause))
	return Output{}, fault.Limited(pause, "memorize, try %d of %d: %s", tries, maxMemorizeTries, why)
}

// reasonOf returns why a conversation was not memorized, without any of its text.
func reasonOf(err error) string {
	if failed, ok := errors.AsType[*modelcall.ProviderError](err); ok {
		return failed.Reason()
	}
	if kind := fault.KindOf(err); kind == fault.Unavailable || kind == fault.TooLarge {
		return err.Error()
	}
	return "the server has a fault"
}

// hold keeps the place of a job until the returned function is called.
func (m *Memorizer) hold(ctx context.Context, job chat.MemorizeJob) (release func()) {
	stop := modelcall.KeepLease(ctx, jobLease{m.Conversations, job.ID}, chat.Step{Session: job.Session})
	return func() {
		stop()
		ctx, cancel := activities.Settling(ctx)
		defer cancel()
		_ = m.Conversations.ReleaseMemorize(ctx, job.ID) // it ends soon after in any case
	}
}

// jobLease renews the place of a job as leases of steps are renewed.
type jobLease struct {
	jobs Slots
	id   chat.MemorizeID
}

// KeepLease implements Leases.
func (l jobLease) KeepLease(ctx context.Context, _ chat.Step) error {
	return l.jobs.KeepMemorize(ctx, l.id)
}
