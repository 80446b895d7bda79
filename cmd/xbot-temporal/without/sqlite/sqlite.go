// Package sqlite declares what Temporal's plugin for SQLite names. No driver is registered: opening one fails.
package sqlite

// Error is never returned.
type Error struct{}

func (*Error) Error() string { return "SQLite is not built in" }

// Code returns 0.
func (*Error) Code() int { return 0 }
