package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/testing/dirtest"
)

func TestServe_AnswersRunsToolsAndComesBackOnTheSameData(t *testing.T) {
	t.Parallel()
	s := prepareServerIn(t, dirtest.New(t)) // with nothing at all, as the first start at an operator's
	s.boot()
	k := s.newTalk()
	id := k.send("say hello")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	id = k.send(k.shell("echo one; pwd"), "say done")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Equal(t, []string{"hello", "done"}, k.answers())
	k.wellFormed()

	s.stop()
	require.Empty(t, find(t, s.home), "Ctrl-C leaves nothing behind")
	s.boot()
	require.Equal(t, []string{"hello", "done"}, k.answers())
	id = k.send("say again")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)

	for _, path := range []string{"logs/xbot.log", "logs/serve.jsonl", "logs/runner-local.log"} {
		data, err := os.ReadFile(filepath.Join(s.home, path))
		require.NoError(t, err)
		require.NotContains(t, string(data), "sk-test-secret", "a secret stands in %s", path)
	}
}

func TestServe_StopsARunningStreamAndARunningCommand(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	id := k.send("stream 400 50ms")
	k.untilDelta(time.Minute)
	asked := time.Now()
	_, err := s.client.StopTurn(t.Context(), k.key)
	require.NoError(t, err)
	require.Equal(t, chat.TurnStopped, k.untilEnded(time.Minute, id).State)
	t.Logf("stream stopped after %s", time.Since(asked).Round(time.Millisecond))

	id = k.send(k.shell("echo begun; sleep 60; touch %s", k.file("never")), "say never")
	k.untilTool(time.Minute, chat.CallRunning)
	asked = time.Now()
	k.send("/stop")
	require.Equal(t, chat.TurnStopped, k.untilEnded(time.Minute, id).State)
	t.Logf("command stopped after %s", time.Since(asked).Round(time.Millisecond))
	k.wellFormed()
	require.Empty(t, find(t, "sleep 60", k.file("never")), "the command still runs")
	calls := lastCalls(k)
	require.Contains(t, calls[0].Result, "begun", "partial output is kept")
}

func lastCalls(k *talk) []chat.ToolCall {
	var out []chat.ToolCall
	for _, m := range k.transcript().Messages {
		if len(m.ToolCalls) > 0 {
			out = m.ToolCalls
		}
	}
	return out
}

func TestServe_TellsThePersonOfEachRetryAndOfTheEnd(t *testing.T) {
	t.Parallel()
	s := newServer(t, "LLM_RETRY_DELAY=10ms", "LLM_RETRY_MAX_DELAY=20ms", "LLM_RETRY_ATTEMPTS=3")
	k := s.newTalk()
	id := k.send("fail 503 2", "say after all")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	id = k.send("truncate 1", "say whole")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	id = k.send("empty") // a provider that cannot be reached would be waited for
	require.Equal(t, chat.TurnFailed, k.untilEnded(time.Minute, id).State)
	require.Equal(t, []string{"after all", "whole"}, k.answers())
	var retries []string
	k.until(time.Minute, "the retries", func(e chat.Event) bool {
		if e.Kind == chat.EventRetry {
			retries = append(retries, decode[chat.Retry](t, e).Text)
		}
		return len(retries) == 5
	})
	require.Contains(t, strings.Join(retries, "\n"), "retrying 2/3")
	messages := k.transcript().Messages
	require.Contains(t, messages[len(messages)-1].Content, "could not answer after 3 attempts")
}

func TestServe_EndsATurnAtItsStepLimitAndSaysSo(t *testing.T) {
	t.Parallel()
	s := newServer(t, "AGENT_MAX_ITERATIONS=3")
	k := s.newTalk()
	id := k.send(`repeat 10 call Glob {"pattern":"*.none"}`, "say never")
	require.Equal(t, chat.TurnFailed, k.untilEnded(time.Minute, id).State)
	messages := k.transcript().Messages
	require.Contains(t, messages[len(messages)-1].Content, "after 3 steps")
	k.wellFormed()
}
