// Package deletion deletes people with all that they have.
package deletion

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

const (
	// restTime is how long what runs of a person may take to end with a sentence, before it ends with its conversation.
	restTime = time.Minute
	// filesTime is how long a runner that is away holds up the deletion of a person whose files it has.
	filesTime = 24 * time.Hour
	// accountsTime is how long connected accounts that cannot be given back hold up a deletion. They go with their person then.
	accountsTime = 15 * time.Minute
	// accountsStep is after how long a step begins to give back no further account: each may take most of a minute.
	accountsStep = 5 * time.Minute
	// stepRows is how many conversations, or jobs, a step deletes.
	stepRows = 20
)

// Agents stores subagents and group chats.
type Agents interface {
	DeleteSession(ctx context.Context, key chat.SessionKey) error
}

// Cron stores jobs.
type Cron interface {
	DeleteJob(ctx context.Context, id chat.JobID) error
}

// Users stores users.
type Users interface {
	ConversationsOf(ctx context.Context, id chat.UserID, most int) ([]chat.SessionKey, error)
	// Deletion is NotFound if there is nothing to do, or nothing more.
	Deletion(ctx context.Context, id chat.UserID) (chat.Deletion, error)
	DeletionChecked(ctx context.Context, id chat.UserID) error
	EndDeletion(ctx context.Context, id chat.UserID) error
	FilesOf(ctx context.Context, id chat.UserID) (int, error)
	JobsOf(ctx context.Context, id chat.UserID, most int) ([]chat.JobID, error)
	// PruneOrphans removes some prompts of turns that are gone, and says how many.
	PruneOrphans(ctx context.Context) (int, error)
	StillRunning(ctx context.Context, id chat.UserID) (int, error)
}

// Services are those who belong to others: the services of an administrator, the consumers of a service.
type Services interface {
	// DeletionBelow has some of those deleted who belong to a user, and says how many are left.
	DeletionBelow(ctx context.Context, id chat.UserID, most int) (left int, err error)
}

// ConsumerFiles are the folders of consumers on runners of administrators.
type ConsumerFiles interface {
	// Remove removes that of a consumer, and says how many are left: runners may be away.
	Remove(ctx context.Context, id chat.UserID) (left int, err error)
}

// Histories are what Temporal keeps of runs.
type Histories interface {
	// Delete deletes histories of the runs of a person, some at a time, and says how many it found.
	Delete(ctx context.Context, user string) (int, error)
}

// Accounts are those that people have connected elsewhere.
type Accounts interface {
	List(ctx context.Context, user chat.UserID) ([]chat.OAuthAccount, error)
	// Disconnect gives the tokens of an account back and removes it. untold says why its provider could not be told.
	Disconnect(ctx context.Context, user chat.UserID, provider string) (untold string, err error)
}

// Deleter deletes people.
type Deleter struct {
	Agents    Agents
	Cron      Cron
	Users     Users
	Histories Histories
	Accounts  Accounts
	Services  Services
	Rooms     ConsumerFiles
	Log       *slog.Logger
}

// Input names a person.
type Input struct {
	User chat.UserID `json:"user"`
}

// What a step waits for.
const (
	WaitsTurns = "turns" // and answers on their way
	WaitsFiles = "files" // on runners
	WaitsRuns  = "runs"  // whose histories Temporal deletes
	WaitsBelow = "below" // services and consumers, which have deletions of their own
)

// Output says how far a deletion is. The name of the person stands in no history.
type Output struct {
	Done          bool   `json:"done,omitempty"`
	Conversations int    `json:"conversations,omitempty"` // that there were
	Left          int    `json:"left,omitempty"`          // of them
	Waits         string `json:"waits,omitempty"`         // one of the above; empty: the next step may follow at once
	For           int    `json:"for,omitempty"`           // how many of them
}

// Step does the next piece of work of a deletion. Each piece may be repeated: what it did is gone, and so not found again. The order keeps
// what later pieces need: files are removed while their rows are there, and the user goes last.
func (d *Deleter) Step(ctx context.Context, in Input) (Output, error) {
	defer activities.Heartbeat(ctx)()
	now, err := d.Users.Deletion(ctx, in.User)
	if fault.Is(err, fault.NotFound) {
		return Output{Done: true}, nil
	}
	if err == nil {
		err = d.Users.DeletionChecked(ctx, in.User)
	}
	if err != nil {
		return Output{}, activities.Failure(ctx, err)
	}
	out := Output{Conversations: now.Conversations, Left: now.Left}
	for _, piece := range []func(context.Context, chat.UserID, chat.Deletion) (waits string, n int, err error){
		d.below, d.rest, d.accounts, d.jobs, d.conversations, d.prompts, d.files, d.histories,
	} {
		waits, n, err := piece(ctx, in.User, now)
		if err != nil {
			return Output{}, activities.Failure(ctx, err)
		}
		if n > 0 {
			out.Waits, out.For = waits, n
			return out, nil
		}
	}
	if err := d.Users.EndDeletion(ctx, in.User); err != nil {
		return Output{}, activities.Failure(ctx, err)
	}
	out.Done, out.Left = true, 0
	return out, nil
}

// below has the services of an administrator deleted first, and the consumers of a service: each by a workflow of its own.
func (d *Deleter) below(ctx context.Context, user chat.UserID, _ chat.Deletion) (string, int, error) {
	n, err := d.Services.DeletionBelow(ctx, user, stepRows)
	return WaitsBelow, n, err
}

func (d *Deleter) rest(ctx context.Context, user chat.UserID, now chat.Deletion) (string, int, error) {
	if now.Age > restTime {
		return "", 0, nil
	}
	n, err := d.Users.StillRunning(ctx, user)
	return WaitsTurns, n, err
}

// accounts gives back the tokens by which the person was known elsewhere: the rows alone would leave them good. A provider that cannot be told
// holds up nothing.
func (d *Deleter) accounts(ctx context.Context, user chat.UserID, now chat.Deletion) (_ string, n int, _ error) {
	all, err := d.Accounts.List(ctx, user)
	if err != nil {
		return "", 0, err
	}
	var failed error
	for began := time.Now(); len(all) > 0 && time.Since(began) < accountsStep; all = all[1:] {
		provider := all[0].Provider
		untold, err := d.Accounts.Disconnect(ctx, user, provider)
		switch {
		case fault.Is(err, fault.NotFound):
		case err != nil:
			failed = errors.Join(failed, fmt.Errorf("disconnect the account at %s: %w", provider, err))
		default:
			n++
		}
		if untold != "" {
			d.Log.Warn("a provider was not told that an account is disconnected", "provider", provider, "person", user, "error", untold)
		}
	}
	if failed != nil && n == 0 && now.Age > accountsTime {
		d.Log.Warn("connected accounts go without their providers being told", "person", user, "error", failed)
		failed = nil
	}
	if n > 0 {
		failed = nil // the next step finds those again
	}
	return "", n, failed
}

func (d *Deleter) jobs(ctx context.Context, user chat.UserID, _ chat.Deletion) (string, int, error) {
	ids, err := d.Users.JobsOf(ctx, user, stepRows)
	return "", len(ids), errors.Join(err, each(ids, func(id chat.JobID) error { return d.Cron.DeleteJob(ctx, id) }))
}

func (d *Deleter) conversations(ctx context.Context, user chat.UserID, _ chat.Deletion) (string, int, error) {
	keys, err := d.Users.ConversationsOf(ctx, user, stepRows)
	return "", len(keys), errors.Join(err, each(keys, func(key chat.SessionKey) error { return d.Agents.DeleteSession(ctx, key) }))
}

// prompts removes the system prompts that were read by nobody else: they hold what was remembered.
func (d *Deleter) prompts(ctx context.Context, _ chat.UserID, _ chat.Deletion) (string, int, error) {
	n, err := d.Users.PruneOrphans(ctx)
	return "", n, err
}

func (d *Deleter) files(ctx context.Context, user chat.UserID, now chat.Deletion) (string, int, error) {
	if now.Age > filesTime {
		return "", 0, nil
	}
	n, err := d.Users.FilesOf(ctx, user)
	if err != nil {
		return WaitsFiles, 0, err
	}
	rooms, err := d.Rooms.Remove(ctx, user)
	return WaitsFiles, n + rooms, err
}

func (d *Deleter) histories(ctx context.Context, _ chat.UserID, now chat.Deletion) (string, int, error) {
	n, err := d.Histories.Delete(ctx, now.Name)
	return WaitsRuns, n, err
}

// each deletes what is listed. What is gone by now is deleted.
func each[ID any](ids []ID, remove func(ID) error) error {
	for _, id := range ids {
		if err := remove(id); err != nil && !fault.Is(err, fault.NotFound) {
			return fmt.Errorf("delete %v: %w", id, err)
		}
	}
	return nil
}
