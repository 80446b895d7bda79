// Package deletion deletes users with all that they have.
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
	// restTime is how long the runs of a user may take to end with a sentence, before they end with their conversations.
	restTime = time.Minute
	// filesTime is how long a runner that is away holds up the deletion of a user whose files it has.
	filesTime = 24 * time.Hour
	// accountsTime is how long connected accounts that cannot be revoked hold up a deletion. They are deleted with their user then.
	accountsTime = 15 * time.Minute
	// accountsStep is the time after which a step revokes no further account: each may take most of a minute.
	accountsStep = 5 * time.Minute
	// stepRows is how many conversations, or jobs, a step deletes.
	stepRows = 20
)

// Agents deletes a conversation with its subagents and group chats.
type Agents interface {
	DeleteSession(ctx context.Context, key chat.SessionKey) error
}

// Cron deletes the jobs of a user.
type Cron interface {
	DeleteJob(ctx context.Context, id chat.JobID) error
}

// Users reads the state of a deletion: which conversations, jobs and files of the user are left.
type Users interface {
	ConversationsOf(ctx context.Context, id chat.UserID, most int) ([]chat.SessionKey, error)
	// Deletion is NotFound if there is nothing to do, or nothing more.
	Deletion(ctx context.Context, id chat.UserID) (chat.Deletion, error)
	DeletionChecked(ctx context.Context, id chat.UserID) error
	EndDeletion(ctx context.Context, id chat.UserID) error
	FilesOf(ctx context.Context, id chat.UserID) (int, error)
	JobsOf(ctx context.Context, id chat.UserID, most int) ([]chat.JobID, error)
	// PruneOrphans removes some prompts of turns that are gone, and returns how many.
	PruneOrphans(ctx context.Context) (int, error)
	StillRunning(ctx context.Context, id chat.UserID) (int, error)
}

// Services deletes the dependents of a user: the services of an administrator, the consumers of a service.
type Services interface {
	// DeletionBelow starts the deletion of some users below a user, and returns how many are left.
	DeletionBelow(ctx context.Context, id chat.UserID, most int) (left int, err error)
}

// ConsumerFiles are the folders of consumers on runners of administrators.
type ConsumerFiles interface {
	// Remove removes the files of a consumer, and returns how many are left: runners may be away.
	Remove(ctx context.Context, id chat.UserID) (left int, err error)
}

// Histories are what Temporal keeps of runs.
type Histories interface {
	// Delete deletes histories of the runs of a user, some at a time, and returns how many it found.
	Delete(ctx context.Context, user string) (int, error)
}

// Accounts are the external accounts that users have connected.
type Accounts interface {
	List(ctx context.Context, user chat.UserID) ([]chat.OAuthAccount, error)
	// Disconnect revokes the tokens of an account and removes it. untold is why its provider could not be notified.
	Disconnect(ctx context.Context, user chat.UserID, provider string) (untold string, err error)
}

// Deleter deletes users.
type Deleter struct {
	Agents        Agents
	Cron          Cron
	Users         Users
	Histories     Histories
	Accounts      Accounts
	Services      Services
	ConsumerFiles ConsumerFiles
	Log           *slog.Logger
}

// Input names a user.
type Input struct {
	User chat.UserID `json:"user"`
}

// Reasons for which a step waits.
const (
	WaitsTurns = "turns" // and answers on their way
	WaitsFiles = "files" // on runners
	WaitsRuns  = "runs"  // whose histories Temporal deletes
	WaitsBelow = "below" // services and consumers, which have separate deletions
)

// Output is the progress of a deletion. The name of the user does not appear in histories.
type Output struct {
	Done          bool   `json:"done,omitempty"`
	Conversations int    `json:"conversations,omitempty"` // total
	Left          int    `json:"left,omitempty"`          // of the conversations
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

// below has the services of an administrator deleted first, and the consumers of a service, each by a separate workflow.
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

// accounts revokes the tokens of the user's accounts at providers: deleting the rows alone would leave them valid. A provider that cannot be notified
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

// prompts removes the system prompts that no other turn uses: they contain memories.
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
	rooms, err := d.ConsumerFiles.Remove(ctx, user)
	return WaitsFiles, n + rooms, err
}

func (d *Deleter) histories(ctx context.Context, _ chat.UserID, now chat.Deletion) (string, int, error) {
	n, err := d.Histories.Delete(ctx, now.Name)
	return WaitsRuns, n, err
}

// each removes the ids. An id that does not exist any more counts as removed.
func each[ID any](ids []ID, remove func(ID) error) error {
	for _, id := range ids {
		if err := remove(id); err != nil && !fault.Is(err, fault.NotFound) {
			return fmt.Errorf("delete %v: %w", id, err)
		}
	}
	return nil
}
