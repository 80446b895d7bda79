package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"xbot/internal/host/localstack"
	"xbot/internal/pg"
)

// stacks is the folder of the template and of the shared stack. TestMain makes it and removes it.
var stacks string

// stackFolders of a home are what its servers keep. Its ports are chosen anew.
var stackFolders = []string{"postgres", "secrets", "temporal"}

func templateHome() string { return filepath.Join(stacks, "template") }

// fillTemplate makes a home on which the servers have run once: a Postgres with the tables of the product and of Temporal. To
// make them takes as long as most tests do afterwards, to copy them a tenth of a second.
var fillTemplate = sync.OnceValue(func() error {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	stack, err := startStack(ctx, templateHome())
	if err != nil {
		return err
	}
	return errors.Join(pg.Migrate(ctx, stack.Endpoints().DatabaseURL), stack.Stop(ctx))
})

// startStack starts a stack that ends with this program.
func startStack(ctx context.Context, home string) (*localstack.Stack, error) {
	return localstack.Start(ctx, localstack.Config{
		Home: home, TemporalBinary: filepath.Join(bin, "xbot-temporal"), ParentDeath: true, Log: slog.New(slog.DiscardHandler),
	})
}

// copyTemplate puts servers that have run once into a home that has none.
func copyTemplate(home string) error {
	if err := fillTemplate(); err != nil {
		return err
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	for _, name := range stackFolders {
		out, err := exec.Command("cp", "-a", filepath.Join(templateHome(), name), home).CombinedOutput() // with its owners
		if err != nil {
			return fmt.Errorf("copy %s of the template: %w: %s", name, err, out)
		}
	}
	return nil
}

// giveStack is copyTemplate for a server that starts servers of its own. A test that watches a first start does without.
func giveStack(t *testing.T, home string) {
	t.Helper()
	require.NoError(t, copyTemplate(home))
}

// sharedStack is one Postgres and one Temporal for all tests that neither kill them nor look at their files. A test has a
// database and a namespace of its own on them. TestMain stops it.
type sharedStack struct {
	stack    *localstack.Stack
	postgres *pgxpool.Pool // a superuser's
	temporal *pgxpool.Pool // the same, in the database of Temporal
	count    atomic.Int64  // of the databases and namespaces so far
}

// runningStack is the shared stack once it has started.
var runningStack *sharedStack

var startSharedStack = sync.OnceValues(func() (*sharedStack, error) {
	home := filepath.Join(stacks, "shared")
	if err := copyTemplate(home); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(home, "postgres", "local.conf"), []byte(sharedPostgresConf), 0o644); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	stack, err := startStack(ctx, home)
	if err != nil {
		return nil, err
	}
	s := &sharedStack{stack: stack}
	runningStack = s
	if s.postgres, err = openAsSuperuser(home, stack, "postgres"); err != nil {
		return nil, err
	}
	s.temporal, err = openAsSuperuser(home, stack, "xbot_temporal")
	return s, err
})

// sharedPostgresConf has room for the connections of many servers. Nothing outlives the program, so nothing is synced.
const sharedPostgresConf = `max_connections = 1000
shared_buffers = '256MB'
max_wal_size = '4GB'
fsync = off
full_page_writes = off
`

func openAsSuperuser(home string, stack *localstack.Stack, database string) (*pgxpool.Pool, error) {
	password, err := os.ReadFile(filepath.Join(home, "secrets", "postgres-admin"))
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(stack.Endpoints().DatabaseURL)
	if err != nil {
		return nil, err
	}
	u.User, u.Path = url.UserPassword("xbot_admin", strings.TrimSpace(string(password))), "/"+database
	return pgxpool.New(context.Background(), u.String())
}

func (s *sharedStack) stop() error {
	if s == nil {
		return nil
	}
	for _, pool := range []*pgxpool.Pool{s.postgres, s.temporal} {
		if pool != nil {
			pool.Close()
		}
	}
	return s.stack.Stop(context.Background())
}

// newEndpoints returns the endpoints of a database and a namespace on the shared stack. Both belong to the test and end with it.
func newEndpoints(t *testing.T) *localstack.Endpoints {
	t.Helper()
	s, err := startSharedStack()
	require.NoError(t, err)
	name := fmt.Sprintf("t%06d", s.count.Add(1))
	require.NoError(t, s.copyDatabase(t.Context(), name))
	t.Cleanup(func() { require.NoError(t, s.remove(context.Background(), name)) })
	require.NoError(t, s.copyNamespace(t.Context(), name))
	e := s.stack.Endpoints()
	u, err := url.Parse(e.DatabaseURL)
	require.NoError(t, err)
	u.Path = "/" + name
	e.DatabaseURL, e.Temporal.Namespace = u.String(), name
	return &e
}

func (s *sharedStack) copyDatabase(ctx context.Context, name string) error {
	_, err := s.postgres.Exec(ctx, "CREATE DATABASE "+name+" TEMPLATE xbot OWNER xbot STRATEGY FILE_COPY")
	return err
}

// copyNamespace registers a namespace by a copy of the row of that which xbot-temporal has registered: the services read the row
// when they hear of its name, at once. Search attributes that are added through the API are known to all of them seconds later.
func (s *sharedStack) copyNamespace(ctx context.Context, name string) error {
	const original = "default"
	var id, copied string
	var data []byte
	err := s.temporal.QueryRow(ctx, "SELECT encode(id, 'hex')::uuid::text, gen_random_uuid()::text, data FROM namespaces WHERE name = $1", original).
		Scan(&id, &copied, &data)
	if err != nil {
		return fmt.Errorf("read the namespace %s: %w", original, err)
	}
	data = bytes.Replace(data, []byte(id), []byte(copied), 1)
	data = bytes.Replace(data, []byte(original), []byte(name), 1) // as long, or the lengths in the message would be wrong
	_, err = s.temporal.Exec(ctx, `INSERT INTO namespaces (partition_id, id, name, notification_version, data, data_encoding, is_global)
		SELECT partition_id, decode(replace($1, '-', ''), 'hex'), $2, notification_version, $3, data_encoding, is_global FROM namespaces WHERE name = $4`,
		copied, name, data, original)
	return err
}

// remove drops the database and the namespace of a test. Temporal drops the tasks of runs whose namespace is gone.
func (s *sharedStack) remove(ctx context.Context, name string) error {
	_, err := s.postgres.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
	_, namespaceErr := s.temporal.Exec(ctx, "DELETE FROM namespaces WHERE name = $1", name)
	return errors.Join(err, namespaceErr)
}
