package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/examples/plugins/telegram/telegramtest"
	"xbot/internal/client/apiclient"
)

// onTelegram is a server with the example plugin and an account of the emulated platform.
func onTelegram(t *testing.T) (*server, *telegramtest.Server) {
	t.Helper()
	p := telegramtest.New("4242:right-secret")
	t.Cleanup(p.Close)
	s := diskServer(t)
	s.inForce(`{channels: {telegram: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	s.install(example(t, "telegram"))
	require.Eventually(t, func() bool {
		_, err := s.client.SetChannel(t.Context(), "telegram", apiclient.SetChannelParams{}, apiclient.ChannelChange{
			Enabled: true, Settings: map[string]string{"api": p.URL, "token": "4242:right-secret"},
		})
		return err == nil
	}, time.Minute, 100*time.Millisecond, "the platform of a plugin is there within a second")
	s.channelSays(t, "telegram", "connected")
	return s, p
}

// channelSays waits until the list of channels has words.
func (s *server) channelSays(t *testing.T, words ...string) {
	t.Helper()
	require.Eventually(t, func() bool {
		got := s.operated("channels")
		for _, w := range words {
			if !strings.Contains(got, w) {
				return false
			}
		}
		return true
	}, time.Minute, 100*time.Millisecond, "%v", words)
}

func told(t *testing.T, p *telegramtest.Server, text string) {
	t.Helper()
	require.Eventually(t, func() bool { return p.Said(text) > 0 }, time.Minute, 20*time.Millisecond, "%q in %v", text, p.Sent())
}

// pluginProcesses are the processes of a program of a plugin of this server.
func pluginProcesses(t *testing.T, s *server, name string) (out []int) {
	t.Helper()
	listed, err := exec.CommandContext(t.Context(), "ps", "-eo", "pid=,args=").Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(listed)) {
		pid, args, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.Atoi(pid)
		if err != nil || !strings.HasSuffix(strings.TrimSpace(args), "./"+name) {
			continue
		}
		if dir, err := os.Readlink(filepath.Join("/proc", pid, "cwd")); err == nil && strings.HasPrefix(dir, s.home) {
			out = append(out, n)
		}
	}
	return out
}

// TestPluginChannel_APersonIsAnsweredOnceOverKills writes to a bot of a plugin while the plugin and the server are killed.
func TestPluginChannel_APersonIsAnsweredOnceOverKills(t *testing.T) {
	t.Parallel()
	s, p := onTelegram(t)
	p.Say(20007, 0, "say hello there")
	told(t, p, "hello there")
	require.Eventually(t, func() bool { return p.Waiting() == 0 }, time.Minute, 20*time.Millisecond, "what was received is confirmed")
	require.NotContains(t, s.operated("channels", "--json"), "right-secret")

	for i := range 3 {
		killed := pluginProcesses(t, s, "telegram")
		require.NotEmpty(t, killed)
		p.Say(20007, 0, fmt.Sprintf("say answer %d", i))
		for _, pid := range killed {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended with another one
		}
		told(t, p, fmt.Sprintf("answer %d", i))
	}
	p.Say(20007, 0, "say after the crash")
	s.crash()
	s.boot()
	told(t, p, "after the crash")
	p.Limit(1)
	p.Say(20007, 0, "say not so fast")
	told(t, p, "not so fast")
	p.Lose(1)
	p.Say(20007, 0, "say nobody knows")
	told(t, p, "nobody knows")
	p.Say(20007, 0, "say the end")
	told(t, p, "the end")
	for _, text := range []string{"hello there", "answer 0", "answer 1", "answer 2", "after the crash", "not so fast", "nobody knows", "the end"} {
		require.Equal(t, 1, p.Said(text), "%q in %v", text, p.Sent())
	}
}

// TestPluginChannel_WaitsWhileItsPluginIsAway switches the plugin off and on: nothing that was written is lost.
func TestPluginChannel_WaitsWhileItsPluginIsAway(t *testing.T) {
	t.Parallel()
	s, p := onTelegram(t)
	p.Say(20007, 0, "say before")
	told(t, p, "before")
	out, err := s.operate("plugin", "disable", "telegram")
	require.NoError(t, err, out)
	s.channelSays(t, "faulty", "switched off")
	p.Say(20007, 0, "say meanwhile")
	out, err = s.operate("plugin", "enable", "telegram")
	require.NoError(t, err, out)
	told(t, p, "meanwhile")
	s.channelSays(t, "connected")
	require.Equal(t, 1, p.Said("meanwhile"))

	said, err := s.operateWith("token=4242:wrong-secret\n", "channels", "set", "telegram", "--stdin")
	require.NoError(t, err, said)
	s.channelSays(t, "faulty", "Unauthorized")
	require.NotContains(t, s.operated("channels"), "wrong-secret")
}
