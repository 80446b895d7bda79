package workflows

import (
	"strconv"
	"time"

	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/storagemove"
	"xbot/internal/chat"
)

const (
	// minMigrationPause and maxMigrationPause bound the pause between two steps of a migration. It doubles while no conversation is moved: conversations are
	// only read for some minutes before, and runners may be away.
	minMigrationPause = time.Second
	maxMigrationPause = time.Minute
	// maxMigrationSteps is how many steps one run takes before it continues as new.
	maxMigrationSteps = 100
)

// MigrateStorageInput names a migration.
type MigrateStorageInput struct {
	Migration chat.MigrationID `json:"migration"`
}

// MigrateStorage moves the files of consumer conversations to one place, step by step. The steps find the remaining work in Postgres.
func MigrateStorage(ctx workflow.Context, in MigrateStorageInput) error {
	pause, left := minMigrationPause, -1
	for range maxMigrationSteps {
		var out storagemove.Output
		err := workflow.ExecuteActivity(migrationOptions(ctx), activities.NameMoveFiles, storagemove.Input{Migration: in.Migration}).Get(ctx, &out)
		if err != nil {
			return err
		}
		workflow.SetCurrentDetails(ctx, migrationDetails(out))
		if out.Ended != "" {
			return nil
		}
		pause = min(2*pause, maxMigrationPause)
		if now := out.Left + out.Leftovers; now != left {
			pause, left = minMigrationPause, now
		}
		timer := workflow.NewTimerWithOptions(ctx, pause, workflow.TimerOptions{Summary: "until the next conversations"})
		if err := timer.Get(ctx, nil); err != nil {
			return err
		}
	}
	return continueAsNew(ctx, NameMigrateStorage, in)
}

// migrationDetails is what operators see of a migration.
func migrationDetails(out storagemove.Output) string {
	if out.Ended != "" {
		return "**" + out.Ended + "**"
	}
	text := "**moving to " + out.Target + "** · " + strconv.Itoa(out.Left) + " of " + count(out.Conversations, "conversation", "conversations") + " left"
	if out.Failed > 0 {
		text += " · " + strconv.Itoa(out.Failed) + " could not be moved at the last attempt"
	}
	if out.Leftovers > 0 {
		text += " · " + count(out.Leftovers, "copy", "copies") + " to be removed from runners"
	}
	return text
}
