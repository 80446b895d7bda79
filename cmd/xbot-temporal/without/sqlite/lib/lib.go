// Package sqlite3 declares the result codes which Temporal's plugin for SQLite names (sqlite.org/rescode.html).
package sqlite3

// Result codes of SQLite.
const (
	SQLITE_CONSTRAINT            = 19
	SQLITE_CONSTRAINT_PRIMARYKEY = 1555
	SQLITE_CONSTRAINT_UNIQUE     = 2067
)
