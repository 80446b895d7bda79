// Package storagemove moves the files of consumer conversations between runners and object storage.
package storagemove

import (
	"context"
	"errors"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/service"
	"xbot/internal/storage"
)

// Migrations stores migrations.
type Migrations interface {
	Migration(ctx context.Context, id chat.MigrationID) (storage.Migration, error)
	MigrationChecked(ctx context.Context, id chat.MigrationID) error
	EndMigration(ctx context.Context, id chat.MigrationID, state storage.MigrationState) (ok bool, err error)
}

// Mover moves files.
type Mover interface {
	// Step moves some conversations, and returns the progress.
	Step(ctx context.Context, target string) (service.MoveProgress, error)
	// Stop makes the files of all conversations writable again.
	Stop(ctx context.Context) error
}

// Moves are the activities of a migration.
type Moves struct {
	Migrations Migrations
	Mover      Mover
}

// Input names a migration.
type Input struct {
	Migration chat.MigrationID `json:"migration"`
}

// Output is the progress of a migration.
type Output struct {
	Ended         string `json:"ended,omitempty"` // done or stopped; empty: running
	Target        string `json:"target,omitempty"`
	Conversations int    `json:"conversations,omitempty"` // with files
	Left          int    `json:"left,omitempty"`          // elsewhere than the target
	Failed        int    `json:"failed,omitempty"`        // of these, failed at the last attempt
	Leftovers     int    `json:"leftovers,omitempty"`     // copies to remove from runners
}

// Step does the next part of a migration. It is safe to run twice: the rows of the conversations have the progress.
func (m *Moves) Step(ctx context.Context, in Input) (Output, error) {
	defer activities.Heartbeat(ctx)()
	now, err := m.Migrations.Migration(ctx, in.Migration)
	if fault.Is(err, fault.NotFound) {
		return Output{Ended: string(storage.MigrationStopped)}, nil
	}
	if err == nil {
		err = m.Migrations.MigrationChecked(ctx, in.Migration)
	}
	if err != nil {
		return Output{}, activities.Failure(ctx, err)
	}
	out := Output{Target: now.Target, Ended: string(now.State)}
	if now.State != storage.MigrationRunning {
		return out, activities.Failure(ctx, m.Mover.Stop(ctx))
	}
	out.Ended = ""
	p, err := m.Mover.Step(ctx, now.Target)
	if err != nil {
		return Output{}, activities.Failure(ctx, err)
	}
	out.Conversations, out.Left, out.Failed, out.Leftovers = p.Conversations, p.Left, p.Failed, p.Leftovers
	if p.Left > 0 || p.Leftovers > 0 {
		return out, nil
	}
	ok, err := m.Migrations.EndMigration(ctx, in.Migration, storage.MigrationDone)
	if out.Ended = string(storage.MigrationDone); err == nil && !ok {
		out.Ended = string(storage.MigrationStopped) // meanwhile
		err = errors.Join(err, m.Mover.Stop(ctx))
	}
	return out, activities.Failure(ctx, err)
}
