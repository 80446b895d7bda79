// Package schema holds the SQL of the product: migrations, applied by package store, and queries, compiled by sqlc.
package schema

import "embed"

// Migrations are goose migrations, one change a file, up and down.
//
//go:embed migrations/*.sql
var Migrations embed.FS
