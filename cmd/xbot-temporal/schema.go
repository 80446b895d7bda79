package main

import (
	"context"
	"fmt"

	"github.com/blang/semver/v4"
	"go.temporal.io/server/common/log"
	v12 "go.temporal.io/server/schema/postgresql/v12"
	"go.temporal.io/server/tools/common/schema"
	"go.temporal.io/server/tools/sql"
)

// database is one of the two, with the schema this server was built for.
type database struct {
	name    string
	schema  string // folder of the embedded schema
	version string // newest version in it
}

func (p postgresOptions) databases() []database {
	return []database{
		{name: p.Database, schema: "postgresql/v12/temporal", version: v12.Version},
		{name: p.Visibility, schema: "postgresql/v12/visibility", version: v12.VisibilityVersion},
	}
}

// migrate brings both schemas to this server's version. A step that ran before a crash is recognised and passed over.
func migrate(ctx context.Context, p postgresOptions, logger log.Logger) error {
	for _, db := range p.databases() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.migrateOne(ctx, db, logger); err != nil {
			return err
		}
	}
	return nil
}

func (p postgresOptions) migrateOne(ctx context.Context, db database, logger log.Logger) error {
	current, err := p.schemaVersion(ctx, db.name)
	if err != nil {
		return err
	}
	switch order, err := compareVersions(current, db.version); {
	case err != nil:
		return fmt.Errorf("database %s: %w", db.name, err)
	case order == 0:
		return nil
	case order > 0:
		return fmt.Errorf("database %s has schema %s, newer than the %s this xbot-temporal knows; use the newer xbot-temporal that made it", db.name, current, db.version)
	}

	if current != "" && db.name == p.Visibility {
		if err := p.restoreIndexes(ctx); err != nil {
			return err
		}
	}
	conn, err := sql.NewConnection(p.sql(db.name, 1, false), logger)
	if err != nil {
		return fmt.Errorf("connect to set up the schema of %s: %w", db.name, err)
	}
	defer conn.Close()
	if current == "" {
		setup := &schema.SetupConfig{InitialVersion: "0.0"}
		if err := schema.NewSetupSchemaTask(conn, setup, logger).Run(); err != nil {
			return fmt.Errorf("set up the schema of %s: %w", db.name, err)
		}
	}
	update := &schema.UpdateConfig{DBName: db.name, SchemaName: db.schema, TargetVersion: db.version}
	if err := schema.NewUpdateSchemaTask(conn, update, logger).Run(); err != nil {
		return p.explainMigration(db, err)
	}
	return nil
}

func (p postgresOptions) explainMigration(db database, err error) error {
	switch sqlState(err) {
	case codeUndefinedFile, codeMissingFeature:
		return fmt.Errorf("database %s needs the extension btree_gin, which this Postgres lacks; install its contrib package (postgresql-contrib)", db.name)
	case codeNoPrivilege:
		return fmt.Errorf("role %s may not change the schema of %s; make it the database's owner (%w)", p.User, db.name, err)
	}
	return fmt.Errorf("upgrade the schema of %s to %s: %w", db.name, db.version, err)
}

// schemaVersion reads the version that the schema tools left in the database. An empty one means a database without
// schema.
func (p postgresOptions) schemaVersion(ctx context.Context, name string) (string, error) {
	conn, err := p.connect(ctx, name)
	if err != nil {
		return "", p.explain(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var exists bool
	if err := conn.QueryRow(ctx, "SELECT to_regclass('public.schema_version') IS NOT NULL").Scan(&exists); err != nil || !exists {
		return "", err
	}
	var version string
	const query = "SELECT coalesce(max(curr_version), '') FROM public.schema_version WHERE version_partition = 0 AND db_name = $1"
	if err := conn.QueryRow(ctx, query, name).Scan(&version); err != nil {
		return "", fmt.Errorf("read the schema version of %s: %w", name, err)
	}
	return version, nil
}

// compareVersions orders two schema versions such as 1.9 and 1.19; "" is before all others.
func compareVersions(current, wanted string) (int, error) {
	if current == "" {
		return -1, nil
	}
	a, err := semver.ParseTolerant(current)
	if err != nil {
		return 0, fmt.Errorf("schema version %q is not a version: %w", current, err)
	}
	b, err := semver.ParseTolerant(wanted)
	if err != nil {
		return 0, fmt.Errorf("schema version %q is not a version: %w", wanted, err)
	}
	return a.Compare(b), nil
}
