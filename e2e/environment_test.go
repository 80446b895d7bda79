package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

func TestEnvironment_ASecretReachesTheCommandsOfItsAgentAloneAndIsNowhereElseOverAKill(t *testing.T) {
	t.Parallel()
	const value = "ghs_0123456789-abcdef-nobody-else"
	s := newServer(t)
	s.inForce(`{agents: {list: [{id: "main", default: true}, {id: "clerk", env: {REGION: "eu"}}]}}`)
	said, err := s.operateWith(value+"\n", "env", "set", "--agent", "clerk", "TOKEN")
	require.NoError(t, err, said)
	said, err = s.operateWith("short", "env", "set", "--agent", "clerk", "OTHER")
	require.Error(t, err)
	require.NotContains(t, said, "short\n")
	said, err = s.operateWith(value, "env", "set", "--agent", "nobody", "TOKEN")
	require.Error(t, err)
	require.Contains(t, said, "there are main, clerk")
	listed := s.operated("env", "list")
	require.Contains(t, listed, "clerk")
	require.Contains(t, listed, "ready")
	require.NotContains(t, listed, value)

	made, err := s.client.CreateSession(t.Context(), apiclient.NewSession{Agent: "clerk"})
	require.NoError(t, err)
	k := &talk{server: s, key: made.Key}
	id := k.send(k.shell(`echo begun >> %s; sleep 3; echo "$REGION ${#TOKEN} $TOKEN"; printf '%%s' "$TOKEN" | base64 -w 0; printf '%%s' "$TOKEN" > %s`, k.file("marks"), k.file("kept")),
		`call Read {"path":"`+k.file("kept")+`"}`, "say seen")
	require.Eventually(t, func() bool { return len(k.trace("marks")) == 1 }, time.Minute, 10*time.Millisecond)
	k.crash()
	restarted := time.Now()
	k.boot()
	require.Equal(t, chat.TurnDone, k.recovered("a command with a secret", restarted, id).State)
	require.Equal(t, []string{"begun"}, k.trace("marks"), "the command ran once")
	require.Equal(t, []string{value}, k.trace("kept"), "it had the value")
	var calls []chat.ToolCall
	for _, m := range k.transcript().Messages {
		calls = append(calls, m.ToolCalls...)
	}
	require.Len(t, calls, 2)
	require.Contains(t, calls[0].Result, "eu 33 [hidden: TOKEN]\n[hidden: TOKEN]")
	require.Contains(t, calls[1].Result, "[hidden: TOKEN]", "what other tools find is hidden, too")

	other := s.newTalk()
	other.untilEnded(time.Minute, other.send(other.shell(`echo "<$REGION$TOKEN>"`), "say done"))
	require.Contains(t, lastCalls(other)[0].Result, "<>", "another agent has nothing of it")
	s.nowhere(value)
	require.Contains(t, s.operated("env", "rm", "--agent", "clerk", "TOKEN"), "do not have TOKEN")
}
