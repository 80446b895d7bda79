package pg

import (
	"context"
	"crypto/sha256"
	"database/sql"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"xbot/internal/fault"
)

// The first migrations, the baseline, make the whole schema, one file for each module. Version 171, the last of the migrations before it, had
// the same schema, so a database of that version is upgraded by recording the baseline as applied.
const (
	baselineVersion  = 209 // of the last file of the baseline
	precedingVersion = 171
	precedingDigest  = "77903ff48113460041d07e7cd42ac020a4e2ef756ef5c4da7fb617ea3c6e35d5" // schemaDigest of the preceding version
)

// adoptBaseline records the baseline as applied in a database of the preceding version. It refuses a database of another version or with
// another schema, and changes nothing there.
func adoptBaseline(ctx context.Context, db *sql.DB, locker lock.SessionLocker, files []*goose.Source) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // it returns to the pool, and nothing is pending on it
	if err := locker.SessionLock(ctx, conn); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, locker.SessionUnlock(context.WithoutCancel(ctx), conn)) }()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // changes nothing after a commit
	if done, err := hasBaseline(ctx, tx, files[0].Version); err != nil || done {
		return err
	}
	if err := recordBaseline(ctx, tx, files); err != nil {
		return err
	}
	return tx.Commit()
}

// hasBaseline reports whether the database has the baseline, which another process may have recorded in the meantime. It fails if the database has neither
// the baseline nor the schema of the preceding version.
func hasBaseline(ctx context.Context, tx *sql.Tx, first int64) (bool, error) {
	var has int64
	if err := tx.QueryRowContext(ctx, "SELECT max(version_id) FROM goose_db_version").Scan(&has); err != nil || has >= first {
		return err == nil, err
	}
	if has != precedingVersion {
		return false, fault.Errorf(fault.Conflict, "the database has schema version %d, and this xbot upgrades only from version %d: start the last xbot that makes version %d, then this one (docs/operate/upgrade.md says how to get it); nothing was changed", has, precedingVersion, precedingVersion)
	}
	digest, err := schemaDigest(ctx, tx)
	if err != nil {
		return false, err
	}
	if digest != precedingDigest {
		return false, fault.Errorf(fault.Conflict, "the database has schema version %d, but not its schema (digest %.12s, expected %.12s), so something other than xbot has changed it: undo that, or restore a backup (docs/operate/upgrade.md says how to find the difference); nothing was changed", has, digest, precedingDigest)
	}
	return false, nil
}

// recordBaseline replaces the versions in goose's table by those of the baseline. It validates the two constraints that the preceding migrations had
// added without a check of the rows of that time.
func recordBaseline(ctx context.Context, tx *sql.Tx, files []*goose.Source) error {
	for _, statement := range []string{
		"ALTER TABLE turns VALIDATE CONSTRAINT turns_plan_check",
		"ALTER TABLE tool_calls VALIDATE CONSTRAINT tool_calls_rule_check",
		"DELETE FROM goose_db_version WHERE version_id > 0",
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	for _, file := range files {
		if file.Version > baselineVersion {
			break
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO goose_db_version (version_id, is_applied) VALUES ($1, true)", file.Version); err != nil {
			return err
		}
	}
	return nil
}

// schemaQuery returns the structure of the current schema in lines, in no order.
//
//go:embed schemadigest.sql
var schemaQuery string

// schemaDigest returns the SHA-256 of the structure of the current schema, hexadecimal. It changes the settings of the transaction, on which
// the printed form of some constants depends.
func schemaDigest(ctx context.Context, tx *sql.Tx) (string, error) {
	lines, err := schemaLines(ctx, tx)
	if err != nil {
		return "", fmt.Errorf("read the schema: %w", err)
	}
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:]), nil
}

func schemaLines(ctx context.Context, tx *sql.Tx) ([]string, error) {
	for _, setting := range []string{"timezone TO 'UTC'", "datestyle TO 'ISO, MDY'", "intervalstyle TO 'postgres'", "quote_all_identifiers TO off"} {
		if _, err := tx.ExecContext(ctx, "SET LOCAL "+setting); err != nil {
			return nil, err
		}
	}
	rows, err := tx.QueryContext(ctx, schemaQuery)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // rows.Err reports the error
	var lines []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines, rows.Err()
}
