package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/iancoleman/strcase"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/postgresql"
)

const (
	mainStore       = "main"
	visibilityStore = "visibility"

	// Each of the four services keeps its own pools. At full load a machine of a few cores uses about ten
	// connections in all, and each costs Postgres 5 MB.
	mainConnections       = 5
	visibilityConnections = 2
	// idleConnection outlives the pauses between a user's messages.
	idleConnection = 2 * time.Minute
)

// SQLSTATE codes of refused connections.
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
	return config.Persistence{
		DefaultStore:     mainStore,
		VisibilityStore:  visibilityStore,
		NumHistoryShards: historyShards,
		DataStores: map[string]config.DataStore{
			mainStore:       {SQL: p.sql(p.Database, mainConnections, false)},
			visibilityStore: {SQL: p.sql(p.Visibility, visibilityConnections, true)},
		},
	}
}

// sql describes one database for the server. How to reach it stays with us: the server would put it into a URL
// without escaping everything, and into its debug log. Nothing written through a lazy one waits for the disk.
func (p postgresOptions) sql(database string, connections int, lazy bool) *config.SQL {
	return &config.SQL{
		PluginName:   postgresql.PluginNamePGX,
		DatabaseName: database,
		Connect: func(*config.SQL) (*sqlx.DB, error) {
			return p.openPool(database, connections, lazy)
		},
	}
}

// openPool opens a pool the way the server's own driver does. Connections close after a while without use: four idle
// services would otherwise keep dozens of Postgres processes.
func (p postgresOptions) openPool(database string, connections int, lazy bool) (*sqlx.DB, error) {
	cfg, err := p.config(database)
	if err != nil {
		return nil, err
	}
	if lazy { // docs/decisions/0017
		cfg.RuntimeParams["synchronous_commit"] = "off"
	}
	connector := stdlib.GetConnector(*cfg, stdlib.OptionAfterConnect(durationsAsIntegers))
	pool := sqlx.NewDb(sql.OpenDB(connector), "pgx")
	pool.MapperFunc(strcase.ToSnake)
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	pool.SetConnMaxIdleTime(idleConnection)
	if err := pool.Ping(); err != nil { //nolint:noctx // the server hands us no context; connect_timeout is the limit
		return nil, errors.Join(err, pool.Close())
	}
	return pool, nil
}

// durationsAsIntegers registers the type of a time.Duration in the server's tables: nanoseconds.
func durationsAsIntegers(_ context.Context, conn *pgx.Conn) error {
	conn.TypeMap().RegisterDefaultPgType(time.Duration(0), "int8")
	conn.TypeMap().RegisterDefaultPgType((*time.Duration)(nil), "int8")
	return nil
}

func (p postgresOptions) config(database string) (*pgx.ConnConfig, error) {
	cfg, err := pgx.ParseConfig(fmt.Sprintf("host=%s dbname=%s connect_timeout=5 sslmode=%s application_name=xbot-temporal",
		quoteValue(p.Host), database, p.SSLMode))
	if err != nil {
		return nil, fmt.Errorf("describe the Postgres connection: %w", err)
	}
	cfg.User, cfg.Password = p.User, p.password
	cfg.Port = uint16(p.Port)
	for _, fallback := range cfg.Fallbacks {
		fallback.Port = cfg.Port
	}
	return cfg, nil
}

// quoteValue writes a value of a connection string.
func quoteValue(value string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(value) + "'"
}

// connect opens one connection to a database.
func (p postgresOptions) connect(ctx context.Context, database string) (*pgx.Conn, error) {
	cfg, err := p.config(database)
	if err != nil {
		return nil, err
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
	defer conn.Close(context.WithoutCancel(ctx))
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

// explain turns a failed connection into one sentence on what to do.
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

// sqlState returns the code with which Postgres answered, or "" for no error and for errors that did not come from it.
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
