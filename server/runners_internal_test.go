package server

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/codingagent"
	"xbot/internal/sandbox/runners"
)

func TestAnsweredAt_IsTheNewestTurnOfTheAgentOnTheRunnerUnlessItFailed(t *testing.T) {
	first, second := time.Unix(1000, 0), time.Unix(2000, 0)
	local, laptop := runners.Runner{Name: "local", User: 1}, runners.Runner{Name: "laptop", User: 1}
	run := func(agent, runner string, at time.Time, answered bool) codingagent.NewestRun {
		return codingagent.NewestRun{Agent: agent, Runner: runner, Owner: 1, At: at, Answered: answered}
	}
	ofOther := run("codex", "laptop", first, true)
	ofOther.Owner = 2
	sharedByOther := run("codex", "local", second, true)
	sharedByOther.Owner = 2
	for name, c := range map[string]struct {
		newest []codingagent.NewestRun
		on     runners.Runner
		want   time.Time
	}{
		"none":                          {nil, local, time.Time{}},
		"answered":                      {[]codingagent.NewestRun{run("codex", "laptop", first, true)}, laptop, first},
		"failed since":                  {[]codingagent.NewestRun{run("codex", "local", first, true), run("codex", "local", second, false)}, local, time.Time{}},
		"answered again":                {[]codingagent.NewestRun{run("codex", "local", second, true), run("codex", "local", first, false)}, local, second},
		"another agent":                 {[]codingagent.NewestRun{run("claude", "laptop", first, true)}, laptop, time.Time{}},
		"another runner":                {[]codingagent.NewestRun{run("codex", "local", first, true)}, laptop, time.Time{}},
		"a runner of another user":      {[]codingagent.NewestRun{ofOther}, laptop, time.Time{}},
		"the server's, by another user": {[]codingagent.NewestRun{run("codex", "local", first, false), sharedByOther}, local, second},
	} {
		require.Equal(t, c.want, answeredAt(c.newest, "codex", c.on), name)
	}
}
