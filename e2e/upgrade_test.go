package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/workflows"
)

// nextBuild builds a server whose turns differ from ours in one place: they do something more before their first step. It
// returns the folder of the binaries. Guarded: runs that began before go on without it, as a release must.
func nextBuild(t *testing.T, guarded bool) string {
	t.Helper()
	const place = "\tfor step := range t.claimed.MaxSteps {\n"
	more := "\t_ = workflow.Sleep(ctx, 1)\n" // names nothing of ours, which changes
	if guarded {
		more = "\tif workflow.GetVersion(ctx, \"next-build\", workflow.DefaultVersion, 1) == 1 {\n" + more + "\t}\n"
	}
	path, err := filepath.Abs("../workflows/turn.go")
	require.NoError(t, err)
	code, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(code), place), "the place of the change has moved")
	dir := t.TempDir()
	changed := filepath.Join(dir, "turn.go")
	require.NoError(t, os.WriteFile(changed, []byte(strings.Replace(string(code), place, more+place, 1)), 0o644))
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: changed}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o644))
	cmd := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", filepath.Join(dir, "xbot"), "./cmd/xbot")
	cmd.Dir = ".."
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, other := range []string{"xbot-runner", "xbot-temporal"} {
		require.NoError(t, os.Symlink(filepath.Join(bin, other), filepath.Join(dir, other)))
	}
	return dir
}

// tookNewWay reports whether a run has recorded that it goes the way of the next build.
func (s *server) tookNewWay(turn chat.Turn) bool {
	s.t.Helper()
	return slices.ContainsFunc(s.history(workflows.TurnID(turn.Session), turn.RunID).Events, func(e *history.HistoryEvent) bool {
		marker := e.GetMarkerRecordedEventAttributes()
		return marker.GetMarkerName() == "Version" && strings.Contains(marker.GetDetails()["change-id"].String(), "next-build")
	})
}

func TestUpgrade_ATurnBegunByOneBuildIsEndedByTheNext(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	before := k.send(k.shell("echo a >> %s; %s", k.file("upgrade"), k.untilFile("killed")), "say before")
	k.untilTool(time.Minute, chat.CallRunning)
	s.crash()
	k.touch("killed")
	s.bin = nextBuild(t, true)
	restarted := time.Now()
	s.boot()
	turn := k.recovered("replaced by the next build during a command", restarted, before)
	require.Equal(t, chat.TurnDone, turn.State)
	require.False(t, s.tookNewWay(turn), "a run that had begun took the new way")
	after := k.untilEnded(time.Minute, k.send("say after"))
	require.Equal(t, chat.TurnDone, after.State)
	require.True(t, s.tookNewWay(after), "a new run did not take the new way")
	require.Equal(t, []string{"a"}, k.trace("upgrade"))
	require.Equal(t, []string{"before", "after"}, k.answers())
}

func TestUpgrade_ABuildThatBreaksRunningTurnsHoldsThemUntilItIsTakenBack(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	before := k.send(k.shell("echo a >> %s; %s", k.file("upgrade"), k.untilFile("killed")), "say before")
	k.untilTool(time.Minute, chat.CallRunning)
	s.crash()
	k.touch("killed")
	good := s.bin
	s.bin = nextBuild(t, false)
	s.boot()
	turns, err := s.client.ListTurns(t.Context(), k.key, apiclient.ListTurnsParams{Limit: 1})
	require.NoError(t, err)
	turn := turns[0]
	c := s.temporal()
	require.Eventually(t, func() bool {
		d, err := c.DescribeWorkflowExecution(t.Context(), workflows.TurnID(k.key), turn.RunID)
		return err == nil && d.GetPendingWorkflowTask().GetAttempt() > 2
	}, time.Minute, 100*time.Millisecond, "the build that does not fit was not noticed")
	d, err := c.DescribeWorkflowExecution(t.Context(), workflows.TurnID(k.key), turn.RunID)
	require.NoError(t, err)
	require.Equal(t, enums.WORKFLOW_EXECUTION_STATUS_RUNNING, d.GetWorkflowExecutionInfo().GetStatus(), "the turn was failed")
	s.crash()
	s.bin = good
	s.boot()
	require.Equal(t, chat.TurnDone, k.untilEnded(2*time.Minute, before).State)
	require.Equal(t, []string{"a"}, k.trace("upgrade"))
	require.Equal(t, []string{"before"}, k.answers())
}

// versions runs "xbot versions" as an operator of the parts does.
func (p *parts) versions(args ...string) string {
	p.t.Helper()
	c := newProcess(p.t, "xbot", p.worker.env, append([]string{"versions"}, args...)...)
	c.start()
	<-c.done
	return c.out.String()
}

// builtBy returns the build that completed the last task of a run.
func (p *parts) builtBy(turn chat.Turn) (build string) {
	p.t.Helper()
	c := p.temporal()
	defer c.Close()
	events := c.GetWorkflowHistory(p.t.Context(), workflows.TurnID(turn.Session), turn.RunID, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		e, err := events.Next()
		require.NoError(p.t, err)
		if done := e.GetWorkflowTaskCompletedEventAttributes(); done != nil {
			build = done.GetDeploymentVersion().GetBuildId()
		}
	}
	return build
}

func TestUpgrade_WorkersOfTwoVersionsShareTheWork(t *testing.T) {
	t.Parallel()
	p := newParts(t, "XBOT_WORKER_VERSIONING=on", "XBOT_BUILD_ID=one")
	promote := func(build string) {
		require.Eventually(t, func() bool { return strings.Contains(p.versions("promote", build), "takes what is new") }, time.Minute, 500*time.Millisecond)
	}
	promote("one")
	p.queue("followup")
	first := p.send(p.shell("until [ -e %s ]; do sleep 0.1; done", p.talk.file("go")), "say first")
	p.untilTool(time.Minute, chat.CallRunning)
	second := p.send("say second")

	next := newProcess(t, "xbot", append(append([]string{}, p.worker.env...), "XBOT_BUILD_ID=two"), "worker")
	next.start()
	promote("two")
	require.Contains(t, p.versions(), "current: takes what is new")
	require.NoError(t, os.WriteFile(p.talk.file("go"), nil, 0o600))
	old, fresh := p.untilEnded(time.Minute, first), p.untilEnded(time.Minute, second)
	require.Equal(t, []string{"first", "second"}, p.answers())
	require.Equal(t, "one", p.builtBy(old), "a turn left the version that had begun it")
	require.Equal(t, "two", p.builtBy(fresh), "what was next stayed with the old version")

	p.worker.stop()
	require.Equal(t, chat.TurnDone, p.untilEnded(time.Minute, p.send("say third")).State)
}

func TestUpgrade_AWrongSettingIsRefusedInWords(t *testing.T) {
	t.Parallel()
	w := newProcess(t, "xbot", []string{"XBOT_HOME=" + t.TempDir(), "XBOT_DATABASE_URL=postgres:///none", "TEMPORAL_ADDRESS=127.0.0.1:1", "XBOT_WORKER_VERSIONING=maybe"}, "worker")
	w.start()
	<-w.done
	require.Contains(t, w.out.String(), `XBOT_WORKER_VERSIONING is "maybe"; it must be one of off, on`)
}
