package e2e

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"

	"xbot/internal/dirtest"
	"xbot/internal/localstack"
	"xbot/internal/pgtest"
	"xbot/internal/store"
	"xbot/internal/temporalclient"
	"xbot/workflows"
)

// sharedServer is newServer for a test that kills, freezes and starts again nothing: its server is given a database and a
// namespace of its own on a Postgres and a Temporal that it shares with other tests, and starts in a second.
func sharedServer(t *testing.T, env ...string) *server {
	t.Helper()
	e := onSharedStack(t)
	given := settings(e)
	s := prepareServerIn(t, diskHome(t), append(given, env...)...)
	s.given, s.settings = &e, given
	s.boot()
	return s
}

// settings are the variables that give servers to xbot.
func settings(e localstack.Endpoints) []string {
	return []string{
		"XBOT_DATABASE_URL=" + e.DatabaseURL, "TEMPORAL_ADDRESS=" + e.Temporal.Address, "TEMPORAL_NAMESPACE=" + e.Temporal.Namespace,
		"TEMPORAL_TLS=true", "TEMPORAL_TLS_SERVER_CA_CERT_PATH=" + e.Temporal.CAFile, "TEMPORAL_TLS_SERVER_NAME=" + e.Temporal.ServerName,
		"TEMPORAL_TLS_CLIENT_CERT_PATH=" + e.Temporal.CertFile, "TEMPORAL_TLS_CLIENT_KEY_PATH=" + e.Temporal.KeyFile,
		"XBOT_TEMPORAL_UI_URL=http://" + e.Temporal.UIAddress, "XBOT_TEMPORAL_UI_TOKEN=" + e.Temporal.UIToken,
	}
}

// onSharedStack returns a database and a namespace that nobody else uses.
func onSharedStack(t *testing.T) localstack.Endpoints {
	t.Helper()
	shared, err := startShared()
	require.NoError(t, err)
	e := shared.servers.Endpoints()
	e.DatabaseURL = pgtest.NewDatabase(t, store.MigrationsHash(), store.Migrate)
	select {
	case e.Temporal.Namespace = <-shared.namespaces:
	case <-time.After(startLimit):
		require.Fail(t, "there is no namespace on the shared Temporal", "%v", shared.failed.Load())
	}
	return e
}

// startShared starts what is shared when the first test needs it.
var startShared = sync.OnceValues(func() (*sharedStack, error) {
	home, err := sharedHome(dirtest.Fast())
	if err != nil {
		return nil, err
	}
	servers, err := localstack.Start(context.Background(), localstack.Config{
		Home: home, TemporalBinary: filepath.Join(bin, "xbot-temporal"), ParentDeath: true, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	running = &sharedStack{servers: servers, home: home, namespaces: make(chan string, 2), cancel: cancel}
	return running, running.prepareNamespaces(ctx)
})

// running is what stopShared ends.
var running *sharedStack

// stopShared ends what startShared started, after all tests.
func stopShared() error {
	if running == nil {
		return nil
	}
	running.cancel()
	running.ahead.Wait()
	if err := running.servers.Stop(context.Background()); err != nil {
		return err
	}
	return os.RemoveAll(running.home)
}

// sharedHome makes the folder of the shared servers, and removes those of test programs that were killed.
func sharedHome(in string) (string, error) {
	const prefix = "xbot-e2e-"
	left, err := filepath.Glob(filepath.Join(in, prefix+"*"))
	if err != nil {
		return "", err
	}
	for _, dir := range left {
		pid, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(dir), prefix))
		if err == nil && syscall.Kill(pid, 0) == syscall.ESRCH {
			_ = os.RemoveAll(dir) // another test program may be doing it
		}
	}
	home := filepath.Join(in, fmt.Sprint(prefix, os.Getpid()))
	return home, os.Mkdir(home, 0o700)
}

// sharedStack is a Postgres and a Temporal for many servers. Its Postgres holds what Temporal keeps, and no test may kill it.
type sharedStack struct {
	servers    *localstack.Stack
	home       string
	namespaces chan string // ready for use
	cancel     context.CancelFunc
	ahead      sync.WaitGroup // who makes them
	failed     atomic.Value   // error that ended the making
}

// prepareNamespaces makes namespaces ahead of those who will take them: Temporal needs seconds to learn of the search
// attributes of a new one.
func (s *sharedStack) prepareNamespaces(ctx context.Context) error {
	e := s.servers.Endpoints().Temporal
	c, err := temporalclient.New(temporalclient.Config{
		Address: e.Address, Namespace: e.Namespace, ServerName: e.ServerName,
		CAFile: e.CAFile, CertFile: e.CertFile, KeyFile: e.KeyFile, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	s.ahead.Go(func() {
		defer c.Close()
		for n := 1; ctx.Err() == nil; n++ {
			name := fmt.Sprint("test-", n)
			if err := makeNamespace(ctx, c, name); err != nil {
				s.failed.Store(err)
				return
			}
			select {
			case s.namespaces <- name:
			case <-ctx.Done():
			}
		}
	})
	return nil
}

// makeNamespace returns when the namespace has what the one that xbot-temporal makes has.
func makeNamespace(ctx context.Context, c client.Client, name string) error {
	_, err := c.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace: name, WorkflowExecutionRetentionPeriod: durationpb.New(720 * time.Hour),
	})
	if err != nil {
		return fmt.Errorf("register the namespace %s: %w", name, err)
	}
	attributes := []string{
		workflows.AttrSession.GetName(), workflows.AttrChannel.GetName(), workflows.AttrUser.GetName(), workflows.AttrKind.GetName(),
		workflows.AttrModel.GetName(), workflows.AttrOutcome.GetName(), workflows.AttrWaits.GetName(), workflows.AttrParent.GetName(),
	}
	for {
		known, err := temporalclient.HasAttributes(ctx, c, name, attributes)
		if known {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(200 * time.Millisecond):
		}
	}
}
