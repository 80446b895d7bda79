package pgtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// templateLock is the advisory lock under which templates are made; any number that others do not use.
const templateLock = 0x7067_7465_7374 // "pgtest"

// server is a Postgres to make databases on.
type server struct {
	Admin string `json:"admin"` // connection string of a role that may create databases
	User  string `json:"user"`  // connection string of the role that tests use; owner of their databases

	users *os.File // holds our lock; without a reference the file would be closed
}

// dsn returns the tests' connection string of a database.
func (s *server) dsn(database string) string {
	u, err := url.Parse(s.User)
	if err != nil {
		panic(fmt.Sprintf("the connection string was parsed before: %v", err))
	}
	u.Path = "/" + database
	return u.String()
}

func (s *server) owner() string {
	u, err := url.Parse(s.User)
	if err != nil {
		panic(fmt.Sprintf("the connection string was parsed before: %v", err))
	}
	return u.User.Username()
}

// execute runs one statement as the administrator.
func (s *server) execute(ctx context.Context, statement string) error {
	return s.withAdmin(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, statement)
		return err
	})
}

func (s *server) withAdmin(ctx context.Context, do func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, s.Admin)
	if err != nil {
		return err
	}
	return errors.Join(do(conn), conn.Close(ctx))
}

// template returns the database made by migrate, making it if no test program has yet.
func (s *server) template(ctx context.Context, hash string, migrate Migrate) (string, error) {
	if migrate == nil {
		return "template1", nil
	}
	sum := sha256.Sum256([]byte(hash))
	name := "pgtest_template_" + hex.EncodeToString(sum[:12])
	err := s.withAdmin(ctx, func(conn *pgx.Conn) error {
		// The lock goes with the connection.
		if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(templateLock)); err != nil {
			return err
		}
		var exists bool
		if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&exists); err != nil || exists {
			return err
		}
		return s.makeTemplate(ctx, conn, name, migrate)
	})
	if err != nil {
		return "", fmt.Errorf("make the template database: %w", err)
	}
	return name, nil
}

// makeTemplate gives the database its name at the end, so that one which carries it is complete.
func (s *server) makeTemplate(ctx context.Context, conn *pgx.Conn, name string, migrate Migrate) error {
	draft := name + "_draft"
	for _, statement := range []string{
		"DROP DATABASE IF EXISTS " + quote(draft) + " WITH (FORCE)",
		"CREATE DATABASE " + quote(draft) + " OWNER " + quote(s.owner()),
		"ALTER DATABASE " + quote(draft) + " SET timezone TO '" + timezone + "'",
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	if err := migrate(ctx, s.dsn(draft)); err != nil {
		return err
	}
	// A database with connections cannot be copied.
	if _, err := conn.Exec(ctx, "ALTER DATABASE "+quote(draft)+" ALLOW_CONNECTIONS false"); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1", draft); err != nil {
		return err
	}
	_, err := conn.Exec(ctx, "ALTER DATABASE "+quote(draft)+" RENAME TO "+quote(name))
	return err
}

// copyDatabase makes a database from a template.
func (s *server) copyDatabase(ctx context.Context, template, name string) error {
	return s.withAdmin(ctx, func(conn *pgx.Conn) error {
		for _, statement := range []string{
			"CREATE DATABASE " + quote(name) + " TEMPLATE " + quote(template) + byFile(conn) + " OWNER " + quote(s.owner()),
			"ALTER DATABASE " + quote(name) + " SET timezone TO '" + timezone + "'",
		} {
			if _, err := conn.Exec(ctx, statement); err != nil {
				return fmt.Errorf("make a test database: %w", err)
			}
		}
		return nil
	})
}

// byFile copies a template file by file, not through the log. Before version 15 that was the only way, and had no name.
func byFile(conn *pgx.Conn) string {
	major, _, _ := strings.Cut(conn.PgConn().ParameterStatus("server_version"), ".")
	if n, err := strconv.Atoi(major); err != nil || n < 15 {
		return ""
	}
	return " STRATEGY FILE_COPY"
}
