package e2e

import (
	"fmt"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/testing/dirtest"
)

// TestStart_GoesOnWhereverPostgresOrTemporalIsKilled kills them at several points of a first start, which makes their data, and of later ones.
func TestStart_GoesOnWhereverPostgresOrTemporalIsKilled(t *testing.T) {
	t.Parallel()
	s := prepareServerIn(t, dirtest.New(t))
	for n, kill := range []struct {
		name  string
		after time.Duration // of the first sight of the process
	}{
		{"xbot-temporal", time.Second}, // it waits for its database, or makes its tables
		{"postgres", 0}, {"postgres", 300 * time.Millisecond},
		{"xbot-temporal", 0}, {"xbot-temporal", 300 * time.Millisecond},
	} {
		s.process.start()
		var pids []int
		require.Eventually(t, func() bool {
			pids = children(t, s.cmd.Process.Pid, kill.name)
			return len(pids) > 0
		}, startLimit, time.Millisecond)
		<-time.After(kill.after) // what is tested, not a wait for something
		if pids = children(t, s.cmd.Process.Pid, kill.name); len(pids) > 0 {
			signal(t, pids[0], syscall.SIGKILL)
		}
		s.booted()
		if n == 0 {
			k := s.newTalk()
			require.Equal(t, chat.TurnDone, k.untilEnded(startLimit, k.send("say answered")).State)
		}
		s.stop()
		require.Zero(t, s.cmd.ProcessState.ExitCode(), "%s", s.out)
	}
}

// TestStart_WaitsForServersThatAreAwayAndRefusesWrongSettings starts processes on a Postgres that others run.
func TestStart_WaitsForServersThatAreAwayAndRefusesWrongSettings(t *testing.T) {
	t.Parallel()
	e := newEndpoints(t)
	given, err := url.Parse(e.DatabaseURL)
	require.NoError(t, err)
	wrong := *given
	wrong.User = url.UserPassword(given.User.Username(), "guess")
	none := *given
	none.Path = "/nowhere"
	for name, c := range map[string]struct {
		database string
		says     string
		waits    bool
	}{
		"away":                    {"postgres://xbot:secret@127.0.0.1:1/xbot", "Waiting for Postgres: ", true},
		"another password":        {wrong.String(), "XBOT_DATABASE_URL cannot be used: ", false},
		"a database that is none": {none.String(), "XBOT_DATABASE_URL cannot be used: ", false},
		"no connection string":    {"postgres://%zz", "XBOT_DATABASE_URL cannot be used: ", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prepareServerIn(t, dirtest.New(t), append(settings(*e), "XBOT_DATABASE_URL="+c.database)...)
			s.process.start()
			require.Eventually(t, func() bool { return strings.Contains(s.out.String(), c.says) }, startLimit, 10*time.Millisecond, "%s", s.out)
			if !c.waits {
				<-s.done
				require.Equal(t, 1, s.cmd.ProcessState.ExitCode())
				require.NotContains(t, s.out.String(), "guess")
				return
			}
			require.True(t, s.running())
			s.stop()
			require.Zero(t, s.cmd.ProcessState.ExitCode(), "%s", s.out)
			require.Equal(t, 1, strings.Count(s.out.String(), c.says), fmt.Sprint(s.out))
			require.NotContains(t, s.out.String(), "secret@")
		})
	}
}
