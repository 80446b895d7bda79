// Package schema holds the SQL of the product: migrations, which pg.Migrate applies, and the queries of each module, which sqlc compiles.
package schema

import "embed"

// Migrations are goose migrations, up and down: the baseline, a file for each module, and after it one change a file.
//
//go:embed migrations/*.sql
var Migrations embed.FS
