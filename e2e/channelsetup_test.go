package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/onebot/onebottest"
	"xbot/internal/client/apiclient"
)

// operateWith runs a command of operators with text on its standard input.
func (s *server) operateWith(in string, arguments ...string) (string, error) {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), filepath.Join(bin, "xbot"), arguments...)
	cmd.Env, cmd.Stdin = s.environment(), strings.NewReader(in)
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func TestChannels_AreSetUpTestedAndMendedWhileTheServerRuns(t *testing.T) {
	t.Parallel()
	p, err := onebottest.New(onebottest.Options{Token: "right-secret"})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	p.AddPerson("20007", "Carol")
	s := newServer(t)
	s.inForce(`{channels: {napcat: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	require.Contains(t, s.operated("channels"), "No bot is configured yet")
	says := func(words ...string) {
		t.Helper()
		require.Eventually(t, func() bool {
			got := s.operated("channels")
			for _, w := range words {
				if !strings.Contains(got, w) {
					return false
				}
			}
			return true
		}, time.Minute, 100*time.Millisecond, "%v in:\n%s", words, s.operated("channels"))
	}

	_, err = s.client.SetChannel(t.Context(), "napcat", apiclient.SetChannelParams{}, apiclient.ChannelChange{
		Enabled: true, Settings: map[string]string{"url": p.URL(), "token": "wrong-secret", "send_pause": "0s"},
	})
	require.NoError(t, err)
	says("faulty", "refuses the token")
	said, err := s.operate("channels", "test", "napcat")
	require.Error(t, err, "a failed test is a failed command")
	require.Contains(t, said, "✗ credentials")
	require.Contains(t, said, "refuses the token")

	said, err = s.operate("channels", "set", "napcat", "token=right-secret")
	require.Error(t, err)
	require.Contains(t, said, "process list")
	said, err = s.operateWith("token=right-secret\n", "channels", "set", "napcat", "--stdin")
	require.NoError(t, err, said)
	says("connected")
	said = s.operated("channels", "test", "napcat", "--to", "20007")
	require.Contains(t, said, "✓ connection")
	saw(t, p, onebottest.Person("20007"), "a test of xbot")

	said, err = s.operate("channels", "set", "napcat/broken", "url=ws://127.0.0.1:9")
	require.NoError(t, err, said)
	says("napcat/broken", "is not reached", "connected")
	p.Say(onebottest.Person("20007"), "20007", onebottest.Text("say still here"))
	saw(t, p, onebottest.Person("20007"), "still here")
	s.operated("channels", "test", "napcat", "--to", "last")

	require.NotContains(t, s.operated("channels", "--json"), "right-secret")
	s.operated("channels", "disable", "napcat/broken")
	says("off")
	s.operated("channels", "remove", "napcat/broken")
	require.NotContains(t, s.operated("channels"), "broken")
	s.crash()
	s.boot()
	says("connected")
	require.Empty(t, p.Broken(), "the protocol was kept")
}
