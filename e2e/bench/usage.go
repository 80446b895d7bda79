package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"

	"xbot/internal/host/localstack"
)

// usage is what a stack has written so far.
type usage struct {
	wal     float64            // bytes of Postgres' log
	tables  map[string]float64 // bytes by table with its indexes, of all databases
	indexes float64            // bytes of indexes among them
}

// used reads what the stack has written.
func (s *stack) used(ctx context.Context) (usage, error) {
	u := usage{tables: map[string]float64{}}
	for _, database := range []string{"xbot", "xbot_temporal", "xbot_temporal_visibility"} {
		if err := s.readTables(ctx, database, &u); err != nil {
			return u, fmt.Errorf("read the sizes of database %s: %w", database, err)
		}
	}
	return u, nil
}

// readTables adds the tables of a database, and reads how far the log of its server is.
func (s *stack) readTables(ctx context.Context, database string, u *usage) error {
	conn, err := s.admin(ctx, database)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if err := conn.QueryRow(ctx, "SELECT (pg_current_wal_lsn() - '0/0')::float8").Scan(&u.wal); err != nil {
		return err
	}
	rows, err := conn.Query(ctx, `
		SELECT relname, pg_total_relation_size(oid)::float8, pg_indexes_size(oid)::float8
		FROM pg_class
		WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`)
	if err != nil {
		return err
	}
	var name string
	var total, indexes float64
	_, err = pgx.ForEachRow(rows, []any{&name, &total, &indexes}, func() error {
		u.tables[database+"."+name] = total
		u.indexes += indexes
		return nil
	})
	return err
}

// admin opens a database of the stack as the role that owns the server.
func (s *stack) admin(ctx context.Context, database string) (*pgx.Conn, error) {
	ends, err := localstack.Read(s.home)
	if err != nil {
		return nil, err
	}
	config, err := pgx.ParseConfig(ends.DatabaseURL)
	if err != nil {
		return nil, err
	}
	password, err := os.ReadFile(filepath.Join(s.home, "secrets", "postgres-admin"))
	if err != nil {
		return nil, err
	}
	config.User, config.Password, config.Database = "xbot_admin", strings.TrimSpace(string(password)), database
	return pgx.ConnectConfig(ctx, config)
}

// since returns what was used after an earlier read.
func (u usage) since(before usage) usage {
	out := usage{tables: map[string]float64{}, wal: u.wal - before.wal, indexes: u.indexes - before.indexes}
	for name, bytes := range u.tables {
		out.tables[name] = bytes - before.tables[name]
	}
	return out
}
