package installed_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/plugin/installed"
	"xbot/internal/extension/plugin/pluginstore"
)

// table is a database that answers when it is let.
type table struct {
	installed.Rows

	let   chan struct{}
	asked atomic.Int32
	rows  []pluginstore.Plugin
}

func (d *table) Plugins(ctx context.Context) ([]pluginstore.Plugin, error) {
	d.asked.Add(1)
	rows := d.rows // as they were when it was asked
	select {
	case <-d.let:
		return rows, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (d *table) RemovePlugin(context.Context, string) error {
	d.rows = nil
	return nil
}

func (*table) ChangePlugin(context.Context, string, pluginstore.Change, chat.UserID) error {
	return nil
}

func TestAll_WhoLeavesDoesNotWaitForTheDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &table{let: make(chan struct{}), rows: []pluginstore.Plugin{{ID: "a"}}}
		known := &installed.Plugins{Rows: d}
		ctx, cancel := context.WithCancel(t.Context())
		var wait sync.WaitGroup
		wait.Go(func() {
			_, err := known.All(ctx)
			require.ErrorIs(t, err, context.Canceled)
		})
		synctest.Wait()
		wait.Go(func() {
			all, err := known.All(t.Context())
			require.NoError(t, err, "who asked first has left, and the look goes on")
			require.Len(t, all, 1)
		})
		short, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		_, err := known.All(short)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		cancel()
		synctest.Wait()
		close(d.let)
		wait.Wait()
		require.EqualValues(t, 1, d.asked.Load(), "those who ask at the same time share a look")
	})
}

func TestAll_ADatabaseThatHangsIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &table{let: make(chan struct{})}
		known := &installed.Plugins{Rows: d}
		begun := time.Now()
		_, err := known.All(t.Context())
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 5*time.Second, time.Since(begun))
		close(d.let)
		_, err = known.All(t.Context())
		require.NoError(t, err)
	})
}

func TestAll_ALookFromBeforeAChangeIsOfNoUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &table{let: make(chan struct{}), rows: []pluginstore.Plugin{{ID: "a"}}}
		known := &installed.Plugins{Rows: d}
		var wait sync.WaitGroup
		wait.Go(func() { _, _ = known.All(t.Context()) })
		synctest.Wait()
		require.NoError(t, known.Remove(t.Context(), "a"))
		wait.Go(func() {
			all, err := known.All(t.Context())
			require.NoError(t, err)
			require.Empty(t, all)
		})
		synctest.Wait()
		require.EqualValues(t, 2, d.asked.Load())
		close(d.let)
		wait.Wait()
		all, err := known.All(t.Context())
		require.NoError(t, err)
		require.Empty(t, all)
		require.EqualValues(t, 2, d.asked.Load(), "what was found is fresh for a second")
	})
}
