package pg

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	_ "github.com/jackc/pgx/v5/stdlib" // goose uses database/sql
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"xbot/internal/fault"
	"xbot/schema"
)

// Migrate brings the database to the schema of this binary. Many processes may call it at once: one applies, the
// others wait on a session lock. A database that a newer binary migrated is refused, and so is one from before the baseline that does not have the
// schema of the baseline.
func Migrate(ctx context.Context, dsn string) error {
	provider, db, locker, err := migrations(dsn)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // nothing is pending on it
	has, err := checkVersion(ctx, provider)
	if err != nil {
		return err
	}
	if files := provider.ListSources(); has > 0 && has < files[0].Version {
		if err := adoptBaseline(ctx, db, locker, files); err != nil {
			return migrationError(err)
		}
	}
	if _, err := provider.Up(ctx); err != nil {
		return migrationError(err)
	}
	return nil
}

func migrationError(err error) error {
	if refused, ok := errors.AsType[*fault.Error](err); ok {
		return refused
	}
	if Away(Classify(err)) {
		return fault.Away(Part, "migrate the database: %w", err)
	}
	return fault.Errorf(fault.Internal, "migrate the database: %w", err)
}

// SchemaVersions returns the version the database has and the one this binary wants.
func SchemaVersions(ctx context.Context, dsn string) (has, wants int64, err error) {
	provider, db, _, err := migrations(dsn)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = db.Close() }() // nothing is pending on it
	has, wants, err = provider.GetVersions(ctx)
	return has, wants, Classify(err)
}

func migrations(dsn string) (*goose.Provider, *sql.DB, lock.SessionLocker, error) {
	files, err := fs.Sub(schema.Migrations, "migrations")
	if err != nil {
		return nil, nil, nil, fmt.Errorf("open embedded migrations: %w", err)
	}
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		return nil, nil, nil, fault.Errorf(fault.Invalid, "XBOT_DATABASE_URL is not a Postgres connection string: %w", err)
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300)) // asks every second, for five minutes
	if err != nil {
		return nil, nil, nil, fmt.Errorf("make migration lock: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(locker))
	if err != nil {
		return nil, nil, nil, fmt.Errorf("read embedded migrations: %w", err)
	}
	return provider, db, locker, nil
}

// checkVersion returns the version of the database, 0 if no migration was applied, and refuses one that is newer than the binary.
func checkVersion(ctx context.Context, p *goose.Provider) (int64, error) {
	has, wants, err := p.GetVersions(ctx)
	if err != nil {
		return 0, Classify(fmt.Errorf("read the schema version: %w", err))
	}
	if has > wants {
		return 0, fault.Errorf(fault.Conflict, "the database has schema version %d, made by a newer xbot; this binary knows %d: install the newer xbot, or restore a backup made before the upgrade", has, wants)
	}
	return has, nil
}

// MigrationsHash names the schema of this binary, for template databases of tests.
func MigrationsHash() string {
	sum := sha256.New()
	entries, err := schema.Migrations.ReadDir("migrations")
	if err != nil {
		panic(err) // embedded at compile time
	}
	for _, e := range entries {
		body, err := schema.Migrations.ReadFile("migrations/" + e.Name())
		if err != nil {
			panic(err) // embedded at compile time
		}
		sum.Write(body)
	}
	return hex.EncodeToString(sum.Sum(nil))[:16]
}
