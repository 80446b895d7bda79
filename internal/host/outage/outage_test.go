package outage_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/host/outage"
)

var (
	errDatabase = errors.New("connection refused")
	errServer   = errors.New("no server")
	errOther    = errors.New("the runner is away")
)

// part is away while it is told so.
type part struct {
	name string
	err  error
	away atomic.Bool
}

func (p *part) Name() string          { return p.name }
func (p *part) Caused(err error) bool { return errors.Is(err, p.err) }

func (p *part) Ping(context.Context) error {
	if p.away.Load() {
		return p.err
	}
	return nil
}

// buffer is a log that a test reads while it is written.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// take returns the lines since the last call.
func (b *buffer) take() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.text.Reset()
	return b.text.String()
}

func TestWatch_LogsTheBeginAndTheEndOfAnOutageOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out buffer
		database, server := &part{name: "Postgres", err: errDatabase}, &part{name: "Temporal", err: errServer}
		w := outage.New(slog.New(slog.NewTextHandler(&out, nil)), database, server)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- w.Run(ctx) }()
		logged := func() []string {
			synctest.Wait()
			return strings.Split(strings.TrimSpace(out.take()), "\n")
		}
		for range 2 { // an outage after another one is logged, too
			database.away.Store(true)
			for range 100 {
				require.True(t, w.Refused(fmt.Errorf("read the inbox: %w", errDatabase)))
			}
			require.True(t, w.Refused(errServer), "another part")
			lines := logged()
			require.Len(t, lines, 2)
			require.Contains(t, lines[0], "part=Postgres")
			require.Contains(t, lines[0], "connection refused")
			require.Contains(t, lines[1], "part=Temporal")

			time.Sleep(time.Minute) //nolint:forbidigo // on the clock of the test
			require.True(t, w.Refused(errDatabase))
			database.away.Store(false)
			time.Sleep(time.Minute) //nolint:forbidigo // on the clock of the test
			lines = logged()
			require.Len(t, lines, 2)
			require.Contains(t, lines[0], "part=Temporal refused=1")
			require.Contains(t, lines[1], "part=Postgres refused=101")
			require.Contains(t, lines[1], "duration=1m")
		}
		require.False(t, w.Refused(errOther))
		require.False(t, w.Refused(nil))
		cancel()
		require.NoError(t, <-ended)
	})
}

func TestWatch_OfNothingKnowsOfNoOutage(t *testing.T) {
	var none *outage.Watch
	require.False(t, none.Refused(errDatabase))
}
