package hostrunner

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestKeepAlive_SlowsDownForARunnerThatCannotStartAndSaysWhyOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		var starts []time.Duration
		began, reason := time.Now(), "no workspace"
		keepAlive{log: slog.New(slog.NewTextHandler(&log, nil))}.run(ctx, func() error {
			at := time.Since(began)
			starts = append(starts, at)
			if at > 5*time.Minute {
				reason = "no token"
			}
			return errors.New(reason)
		})
		require.Equal(t, []time.Duration{0, 200 * time.Millisecond, 600 * time.Millisecond, 1400 * time.Millisecond}, starts[:4])
		require.Less(t, len(starts), 30)
		require.Greater(t, len(starts), 20)
		require.Equal(t, 1, strings.Count(log.String(), "no workspace"), log.String())
		require.Equal(t, 1, strings.Count(log.String(), "no token"), log.String())
	})
}

func TestKeepAlive_StartsARunnerThatLivedAtOnceEachTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		starts := 0
		keepAlive{log: slog.New(slog.DiscardHandler)}.run(ctx, func() error {
			starts++
			select {
			case <-time.After(runnerLived):
			case <-ctx.Done():
			}
			return errors.New("killed")
		})
		require.Equal(t, 12, starts)
	})
}

func TestLastWords_AreTheLastLineWithoutItsTime(t *testing.T) {
	home := t.TempDir()
	require.Empty(t, LastWords(home, "local"))
	require.NoError(t, os.Mkdir(filepath.Join(home, "logs"), 0o700))
	for text, want := range map[string]string{
		"": "",
		"a\nxbot-runner: the workspace is gone\n":                   "xbot-runner: the workspace is gone",
		"time=2026-11-22T22:00:00Z level=ERROR msg=\"no server\"\n": `level=ERROR msg="no server"`,
	} {
		require.NoError(t, os.WriteFile(runnerLog(home, "local"), []byte(text), 0o600))
		require.Equal(t, want, LastWords(home, "local"))
	}
}
