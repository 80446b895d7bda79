package workflows_test

import (
	"embed"
	"io/fs"
	"log/slog"
	"path"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"xbot/workflows"
)

// histories are embedded so that Go caches the result of the test by their content.
//
//go:embed testdata
var histories embed.FS

// TestReplay_EveryCapturedHistory replays histories of real runs against the code as it is. When a change breaks one,
// running turns would break the same way: use workflow.GetVersion, and capture a history of the new branch with
// CAPTURE_HISTORIES=1 go test ./e2e -run TestHistories.
func TestReplay_EveryCapturedHistory(t *testing.T) {
	files, err := fs.Glob(histories, "testdata/*.json")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 64, "captured histories are missing")
	for _, file := range files {
		t.Run(path.Base(file), func(t *testing.T) {
			replayer, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{DisableDeadlockDetection: true})
			require.NoError(t, err)
			for _, w := range workflows.Registered() {
				replayer.RegisterWorkflowWithOptions(w.Func, workflow.RegisterOptions{Name: w.Name})
			}
			logger := log.NewStructuredLogger(slog.New(slog.DiscardHandler))
			captured, err := histories.Open(file)
			require.NoError(t, err)
			defer captured.Close()
			history, err := client.HistoryFromJSON(captured, client.HistoryJSONOptions{})
			require.NoError(t, err)
			require.NoError(t, replayer.ReplayWorkflowHistory(logger, history))
		})
	}
}
