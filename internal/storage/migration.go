package storage

import (
	"time"

	"xbot/internal/chat"
)

// MigrationState is the state of a migration.
type MigrationState string

// The states of a migration.
const (
	MigrationRunning MigrationState = "running"
	MigrationDone    MigrationState = "done"
	MigrationStopped MigrationState = "stopped" // by an operator
)

// Migration moves the files of all consumer conversations to one place.
type Migration struct {
	ID      chat.MigrationID
	Target  string // a back end, or Local for runners
	State   MigrationState
	Created time.Time
	Ended   *time.Time
}
