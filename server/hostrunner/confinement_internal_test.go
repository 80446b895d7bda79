package hostrunner

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

// choices is a store with what an administrator chose, which tells of changes.
type choices struct {
	Runners

	mu      sync.Mutex
	confine string
	err     error
	changes chan struct{}
}

func (c *choices) LocalSandbox(context.Context) (chat.RunnerSandbox, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return chat.RunnerSandbox{}, c.err
	}
	return chat.RunnerSandbox{Confine: c.confine}, nil
}

func (c *choices) AccessChanges() (<-chan struct{}, func()) { return c.changes, func() {} }

func (c *choices) set(confine string, err error, notify bool) {
	c.mu.Lock()
	c.confine, c.err = confine, err
	c.mu.Unlock()
	if notify {
		c.changes <- struct{}{}
	}
}

func TestConfinement_FollowsTheChoiceOfAnAdministratorAndFailsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &choices{err: errors.New("no database"), changes: make(chan struct{}, 1)}
		h := &Host{Runners: c, Changes: c, Log: slog.New(slog.DiscardHandler)}
		ctx, cancel := context.WithCancel(t.Context())
		began := make(chan string, 10)
		ended := make(chan error, 1)
		go func() {
			ended <- h.withConfinement(ctx, "", func(ctx context.Context, confine string) error {
				began <- confine
				<-ctx.Done()
				return ctx.Err()
			})
		}()
		require.Equal(t, chat.ConfineAuto, <-began, "what cannot be read is no choice")
		c.set(chat.ConfineOff, nil, false)
		require.Equal(t, chat.ConfineOff, <-began, "also where the notification was missed")
		c.set("", errors.New("no database"), true)
		synctest.Wait()
		require.Empty(t, began, "a failure changes nothing")
		c.set(chat.ConfineOff, nil, true)
		synctest.Wait()
		require.Empty(t, began, "another change does not start it again")
		c.set(chat.ConfineAuto, nil, true)
		require.Equal(t, chat.ConfineAuto, <-began)
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
	})
}

func TestConfinement_TheSettingComesBeforeTheChoice(t *testing.T) {
	c := &choices{confine: chat.ConfineOff}
	h := &Host{Runners: c, Changes: c, Log: slog.New(slog.DiscardHandler)}
	for _, setting := range []string{chat.ConfineAuto, chat.ConfineRequire, chat.ConfineOff} {
		died := errors.New("died")
		err := h.withConfinement(t.Context(), setting, func(_ context.Context, confine string) error {
			require.Equal(t, setting, confine)
			return died
		})
		require.ErrorIs(t, err, died)
	}
	err := h.withConfinement(t.Context(), "", func(_ context.Context, confine string) error {
		require.Equal(t, chat.ConfineOff, confine)
		return errors.New("died by itself")
	})
	require.ErrorContains(t, err, "died by itself", "keepAlive starts it again")
}
