package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jmoiron/sqlx"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/postgresql"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/postgresql/driver"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/postgresql/session"
	"go.temporal.io/server/common/resolver"
)

const (
	mainStore       = "main"
	visibilityStore = "visibility"

	// Each of the four services keeps its own pools. At full load a machine of a few cores uses about ten
	// connections in all; the bound keeps four services well under a server limit of 100.
	mainConnections       = 15
	visibilityConnections = 5
	// idleConnection outlives the pauses between a person's messages.
	idleConnection = 2 * time.Minute
)

// SQLSTATE codes that tell why Postgres refuses a connection.
const (
	codeStartingUp      = "57P03"
	codeTooMany         = "53300"
	codeBadPassword     = "28P01"
	codeBadAuth         = "28000"
	codeNoDatabase      = "3D000"
	codeNoPrivilege     = "42501"
	codeMissingFeature  = "0A000"
	codeUndefinedFile   = "58P01"
	codeDuplicateObject = "42P04"
)

// persistenceConfig names the two stores of the Temporal server.
func persistenceConfig(p postgresOptions) config.Persistence {
	main := p.sql(p.Database, mainConnections)
	visibility := p.sql(p.Visibility, visibilityConnections)
	return config.Persistence{
		DefaultStore:     mainStore,
		VisibilityStore:  visibilityStore,
		NumHistoryShards: historyShards,
		DataStores: map[string]config.DataStore{
			mainStore:       {SQL: main},
			visibilityStore: {SQL: visibility},
		},
	}
}

// sql describes one database the way the server wants it, which puts user and address into a URL as they are.
func (p postgresOptions) sql(database string, connections int) *config.SQL {
	attributes := map[string]string{"application_name": "xbot-temporal", "connect_timeout": "5", "sslmode": p.SSLMode}
	addr := net.JoinHostPort(p.Host, strconv.Itoa(p.Port))
	if strings.HasPrefix(p.Host, "/") {
		addr = ""
		attributes["host"], attributes["port"], attributes["sslmode"] = p.Host, strconv.Itoa(p.Port), "disable"
	}
	return &config.SQL{
		PluginName:        postgresql.PluginNamePGX,
		ConnectProtocol:   "tcp",
		ConnectAddr:       addr,
		ConnectAttributes: attributes,
		User:              url.PathEscape(p.User),
		Password:          p.password,
		DatabaseName:      database,
		MaxConns:          connections,
		Connect:           openPool,
	}
}

// openPool opens the pool as the server would, except that connections close after a while without use: at rest four
// services would otherwise keep dozens of Postgres processes.
func openPool(cfg *config.SQL) (*sqlx.DB, error) {
	plain := *cfg
	plain.Connect = nil
	plain.MaxIdleConns = cfg.MaxConns
	pool, err := session.NewSession(&plain, &driver.PGXDriver{}, resolver.NewNoopResolver())
	if err != nil {
		return nil, err
	}
	pool.SetConnMaxIdleTime(idleConnection)
	return pool.DB, nil
}

// connect opens one connection to a database.
func (p postgresOptions) connect(ctx context.Context, database string) (*pgx.Conn, error) {
	cfg, err := pgx.ParseConfig(fmt.Sprintf("dbname=%s connect_timeout=5 sslmode=%s application_name=xbot-temporal", database, p.SSLMode))
	if err != nil {
		return nil, fmt.Errorf("describe the Postgres connection: %w", err)
	}
	cfg.Host, cfg.Port, cfg.User, cfg.Password = p.Host, uint16(p.Port), p.User, p.password
	if cfg.TLSConfig != nil {
		cfg.TLSConfig.ServerName = p.Host
	}
	return pgx.ConnectConfig(ctx, cfg)
}

// prepareDatabases waits for Postgres and creates the two databases where they are missing.
func prepareDatabases(ctx context.Context, p postgresOptions) error {
	for _, name := range []string{p.Database, p.Visibility} {
		conn, err := p.awaitConnection(ctx, name)
		if sqlState(err) == codeNoDatabase {
			err = p.createDatabase(ctx, name)
		}
		if err != nil {
			return err
		}
		if conn != nil {
			if err := conn.Close(ctx); err != nil {
				return fmt.Errorf("close the first connection to %s: %w", name, err)
			}
		}
	}
	return nil
}

// awaitConnection retries while Postgres is absent or starting, for at most p.Wait. Other refusals, such as a wrong
// password, return at once.
func (p postgresOptions) awaitConnection(ctx context.Context, database string) (*pgx.Conn, error) {
	const pause = 10 * time.Millisecond
	deadline := time.Now().Add(p.Wait)
	for {
		conn, err := p.connect(ctx, database)
		switch sqlState(err) {
		case "", codeStartingUp, codeTooMany:
		case codeNoDatabase:
			return nil, err
		default:
			return nil, p.explain(err)
		}
		if err == nil {
			return conn, nil
		}
		if time.Now().After(deadline) {
			return nil, p.explain(err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

func (p postgresOptions) createDatabase(ctx context.Context, name string) error {
	conn, err := p.awaitConnection(ctx, "postgres")
	if err != nil {
		return p.explain(err)
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is pending on it
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize())
	switch sqlState(err) {
	case codeDuplicateObject: // another process was faster
		return nil
	case codeNoPrivilege:
		return fmt.Errorf("role %s may not create database %s; create it, or run ALTER ROLE %s CREATEDB", p.User, name, p.User)
	}
	if err != nil {
		return fmt.Errorf("create database %s: %w", name, err)
	}
	return nil
}

// explain turns a failed connection into one sentence that says what to do.
func (p postgresOptions) explain(err error) error {
	where := net.JoinHostPort(p.Host, strconv.Itoa(p.Port))
	if strings.HasPrefix(p.Host, "/") {
		where = fmt.Sprintf("the socket in %s, port %d", p.Host, p.Port)
	}
	switch sqlState(err) {
	case codeBadPassword, codeBadAuth:
		return fmt.Errorf("the Postgres at %s refuses role %s; check --postgres-user, --postgres-password-file and %s", where, p.User, passwordVariable)
	case codeNoDatabase:
		return fmt.Errorf("the Postgres at %s has neither database %s nor a database postgres to create it from; create it", where, p.Database)
	case codeStartingUp:
		return fmt.Errorf("the Postgres at %s was still starting after %s; wait for it or raise --postgres-wait", where, p.Wait)
	case codeTooMany:
		return fmt.Errorf("the Postgres at %s has no free connection; raise its max_connections", where)
	case "":
		return fmt.Errorf("no Postgres answers at %s; start it, or correct --postgres-host and --postgres-port (%s)", where, lastLine(err))
	}
	return fmt.Errorf("connect to the Postgres at %s: %w", where, err)
}

// sqlState is the code with which Postgres answered, or "" for no error and for errors that did not come from it.
func sqlState(err error) string {
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok {
		return answer.Code
	}
	return ""
}

// lastLine keeps a multi-line error, one line an address tried, to its last one.
func lastLine(err error) string {
	text := strings.TrimSpace(err.Error())
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}
