// Package titles names conversations with a model.
package titles

import (
	"cmp"
	"context"
	"strings"
	"time"

	"go.temporal.io/sdk/activity"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
)

const (
	// MaxAttempts is how often a title is tried in all. A provider that fails to the end is not asked for this conversation again.
	MaxAttempts = 3
	// callTime bounds one call to a model.
	callTime = 45 * time.Second
	// maxSubject bounds each text that a title is made of, in characters.
	maxSubject = 2000
	// maxTokens bounds an answer: much more than a title, since thoughts count as well.
	maxTokens = 2000
	// demoModel begins the names of models that repeat what they are asked.
	demoModel = "demo/"
)

// Conversations reads the subjects of conversations without a title, and sets their titles.
type Conversations interface {
	// GiveTitle names a conversation without a name; empty: it keeps no name.
	GiveTitle(ctx context.Context, key chat.SessionKey, title string) (given bool, err error)
	// TitleCapacity is RateLimited while as many calls to models run for the tenant as may.
	TitleCapacity(ctx context.Context, key chat.SessionKey) error
	// TitleSubject returns the subject of a turn. false: the conversation needs no title, or the turn has no text.
	TitleSubject(ctx context.Context, key chat.SessionKey, turn chat.TurnID, most int) (chat.TitleSubject, bool, error)
}

// Usage records the usage of model calls outside turns.
type Usage interface {
	// BookUsage adds the tokens that a provider counted for a call outside of steps to the usage.
	BookUsage(ctx context.Context, key chat.SessionKey, model string, calls int, u chat.Usage) error
}

// Titles names conversations.
type Titles struct {
	Titles Conversations
	Usage  Usage
	Models activities.Models // the fastest of the user's
}

// Input names a turn after which its conversation is named.
type Input struct {
	Session chat.SessionKey `json:"session"`
	Turn    chat.TurnID     `json:"turn"`
}

// Output is the end of the run; the title is in Postgres.
type Output struct {
	Given bool   `json:"given,omitempty"`
	Model string `json:"model,omitempty"` // that was asked; empty: none was
}

// Title has a model name a conversation, unless it has been named since. Run again after it has ended, it calls no model.
func (t *Titles) Title(ctx context.Context, in Input) (Output, error) {
	defer activities.Heartbeat(ctx)()
	out, err := t.title(ctx, in)
	return out, activities.Failure(ctx, err)
}

func (t *Titles) title(ctx context.Context, in Input) (Output, error) {
	subject, open, err := t.Titles.TitleSubject(ctx, in.Session, in.Turn, maxSubject)
	if err != nil || !open {
		return Output{}, err
	}
	client, err := t.Models.For(ctx, in.Session)
	if err != nil {
		return Output{}, err
	}
	if strings.HasPrefix(client.Model(), demoModel) {
		_, err := t.Titles.GiveTitle(ctx, in.Session, "")
		return Output{}, err
	}
	if err := t.Titles.TitleCapacity(ctx, in.Session); err != nil {
		return Output{}, err
	}
	out := Output{Model: client.Model()}
	text, err := t.ask(ctx, in.Session, client, requestOf(subject))
	if err != nil {
		return out, t.failed(ctx, in.Session, err)
	}
	out.Given, err = t.Titles.GiveTitle(ctx, in.Session, Clean(text))
	return out, err
}

// ask makes the call and records its usage, even if the activity ends at this moment: it was paid for.
func (t *Titles) ask(ctx context.Context, key chat.SessionKey, client llm.Client, request llm.Request) (string, error) {
	request.MaxTokens, request.Effort = maxTokens, chat.ThinkOff
	limited, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	answer, err := client.Generate(limited, request, nil)
	if answer.Usage != (chat.Usage{}) {
		settled, cancel := activities.Settling(ctx)
		defer cancel()
		if err := t.Usage.BookUsage(settled, key, client.Model(), 1, answer.Usage); err != nil {
			return "", err
		}
	}
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = fault.Errorf(fault.Unavailable, "no title within %s: %w", callTime, llm.ErrTimeout)
	}
	return answer.Text, err
}

// failed leaves the conversation without a title if no other attempt follows. The provider's words do not get into histories: they may repeat the
// request.
func (t *Titles) failed(ctx context.Context, key chat.SessionKey, cause error) error {
	if ctx.Err() != nil {
		return cause
	}
	again := fault.Is(cause, fault.Unavailable) || fault.Is(cause, fault.RateLimited)
	if again && activity.GetInfo(ctx).Attempt < MaxAttempts {
		return fault.Limited(fault.After(cause), "the model was asked for a title in vain: %s", cmp.Or(llm.Reason(cause), "it refuses"))
	}
	activity.GetLogger(ctx).Warn("a conversation was not given a title", "session", key, "error", cause)
	_, err := t.Titles.GiveTitle(ctx, key, "")
	return err
}
