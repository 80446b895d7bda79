package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// listIndexes are the indexes of the visibility store that lists and searches by built-in attributes need: newest
// first, by workflow id, by type and by status. The primary key stays, too.
var listIndexes = []string{"default_idx", "by_workflow_id", "by_workflow_type", "by_status"}

// selectiveAttributes are the search attributes of which one value picks few of many runs. A search by another
// attribute reads runs from the newest, which finds a common value at once.
var selectiveAttributes = []string{"XbotSession", "XbotUser", "XbotOutcome"}

// keptIndexes names the indexes that stay, for a namespace with these aliases of columns.
func keptIndexes(aliases map[string]string) []string {
	kept := slices.Clone(listIndexes)
	for column, name := range aliases {
		if digits := len(column) - 2; digits > 0 && slices.Contains(selectiveAttributes, name) {
			kept = append(kept, "by_"+strings.ToLower(column[:digits])+"_"+column[digits:]) // Keyword01: by_keyword_01
		}
	}
	return kept
}

// trimIndexes drops the indexes of the visibility store that are not kept: each run is written there three times, and
// each time into all indexes (docs/decisions/0029). It remembers how they were made, for restoreIndexes, and makes a
// kept one again that an earlier version dropped.
func (p postgresOptions) trimIndexes(ctx context.Context, kept []string) error {
	return p.changeIndexes(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS xbot_dropped_indexes (name text PRIMARY KEY, definition text NOT NULL)`); err != nil {
			return err
		}
		dropped, err := queryNames(ctx, tx, `
			INSERT INTO xbot_dropped_indexes
			SELECT c.relname, pg_get_indexdef(i.indexrelid)
			FROM pg_index i
			JOIN pg_class c ON c.oid = i.indexrelid
			WHERE i.indrelid = 'executions_visibility'::regclass AND NOT i.indisunique AND NOT c.relname = ANY ($1)
			ON CONFLICT (name) DO UPDATE SET definition = excluded.definition
			RETURNING name`, kept)
		if err != nil {
			return err
		}
		for _, name := range dropped {
			if _, err := tx.Exec(ctx, "DROP INDEX "+pgx.Identifier{name}.Sanitize()); err != nil {
				return err
			}
		}
		return makeAgain(ctx, tx, "name = ANY ($1)", kept)
	})
}

// restoreIndexes makes all dropped indexes again, since an upgrade of Temporal's schema may name any of them.
func (p postgresOptions) restoreIndexes(ctx context.Context) error {
	return p.changeIndexes(ctx, func(tx pgx.Tx) error {
		var trimmed bool
		err := tx.QueryRow(ctx, "SELECT to_regclass('xbot_dropped_indexes') IS NOT NULL").Scan(&trimmed)
		if err != nil || !trimmed {
			return err
		}
		return makeAgain(ctx, tx, "true")
	})
}

// makeAgain makes the dropped indexes that a condition selects, and forgets that they were dropped.
func makeAgain(ctx context.Context, tx pgx.Tx, condition string, args ...any) error {
	definitions, err := queryNames(ctx, tx, "DELETE FROM xbot_dropped_indexes WHERE "+condition+" RETURNING definition", args...)
	if err != nil {
		return err
	}
	for _, definition := range definitions {
		// An index of that name may be there again by other hands.
		if _, err := tx.Exec(ctx, strings.Replace(definition, "INDEX", "INDEX IF NOT EXISTS", 1)); err != nil {
			return err
		}
	}
	return nil
}

// changeIndexes runs a change of the visibility database in one transaction.
func (p postgresOptions) changeIndexes(ctx context.Context, change func(pgx.Tx) error) error {
	conn, err := p.connect(ctx, p.Visibility)
	if err != nil {
		return p.explain(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if err := pgx.BeginFunc(ctx, conn, change); err != nil {
		return fmt.Errorf("choose the indexes of %s: %w", p.Visibility, err)
	}
	return nil
}

// queryNames returns the one text column of a statement's rows.
func queryNames(ctx context.Context, tx pgx.Tx, statement string, args ...any) ([]string, error) {
	rows, err := tx.Query(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
