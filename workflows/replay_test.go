package workflows_test

import (
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"xbot/workflows"
)

// TestReplay_EveryCapturedHistory replays histories of real runs against the code as it is. When a change breaks one,
// running turns would break the same way: use workflow.GetVersion, and capture a history of the new branch with
// CAPTURE_HISTORIES=1 go test ./e2e -run TestHistories.
func TestReplay_EveryCapturedHistory(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 64, "captured histories are missing")
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			replayer, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{DisableDeadlockDetection: true})
			require.NoError(t, err)
			replayer.RegisterWorkflowWithOptions(workflows.Turn, workflow.RegisterOptions{Name: workflows.NameTurn})
			replayer.RegisterWorkflowWithOptions(workflows.Background, workflow.RegisterOptions{Name: workflows.NameBackground})
			replayer.RegisterWorkflowWithOptions(workflows.Deliver, workflow.RegisterOptions{Name: workflows.NameDeliver})
			replayer.RegisterWorkflowWithOptions(workflows.Fetch, workflow.RegisterOptions{Name: workflows.NameFetch})
			replayer.RegisterWorkflowWithOptions(workflows.CronJob, workflow.RegisterOptions{Name: workflows.NameCronJob})
			replayer.RegisterWorkflowWithOptions(workflows.Subagent, workflow.RegisterOptions{Name: workflows.NameSubagent})
			replayer.RegisterWorkflowWithOptions(workflows.GroupChat, workflow.RegisterOptions{Name: workflows.NameGroupChat})
			replayer.RegisterWorkflowWithOptions(workflows.Memorize, workflow.RegisterOptions{Name: workflows.NameMemorize})
			replayer.RegisterWorkflowWithOptions(workflows.Closing, workflow.RegisterOptions{Name: workflows.NameClosing})
			replayer.RegisterWorkflowWithOptions(workflows.Command, workflow.RegisterOptions{Name: workflows.NameCommand})
			logger := log.NewStructuredLogger(slog.New(slog.DiscardHandler))
			require.NoError(t, replayer.ReplayWorkflowHistoryFromJSONFile(logger, file))
		})
	}
}
