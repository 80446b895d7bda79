package qq_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/qq"
	"xbot/internal/channel/qq/qqtest"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

func TestRun_AfterADisconnectTheSessionGoesOnWithoutLoss(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	w.run(t)
	session, _ := w.Session()
	var want []string
	for i := range 30 {
		if i%10 == 5 {
			w.Disconnect()
		}
		text := fmt.Sprint("message ", i)
		want = append(want, text)
		w.says(qqtest.Direct, text)
	}
	require.Equal(t, want, texts(w.got(t, 30)))
	w.connected(t)
	now, _ := w.Session()
	require.Equal(t, session, now, "a new session was begun")
	require.Empty(t, w.Broken())
}

func TestRun_ANewProcessGoesOnWhereTheOldOneEnded(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	w.run(t)
	w.says(qqtest.Direct, "before")
	w.got(t, 1)
	require.NoError(t, w.stop())
	w.says(qqtest.Direct, "meanwhile")
	w.open(t)
	w.run(t)
	require.Equal(t, []string{"before", "meanwhile"}, texts(w.got(t, 2)))
	require.Empty(t, w.Broken())
}

func TestRun_AProcessThatIsKilledRightAfterItsSessionBeganLosesNothing(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	qq.Saves(w.account, time.Hour) // a kill leaves no time for the next one
	w.run(t)
	w.memory.close()
	require.NoError(t, w.stop())
	w.says(qqtest.Direct, "meanwhile")
	w.memory.reopen()
	w.open(t)
	w.run(t)
	require.Equal(t, []string{"meanwhile"}, texts(w.got(t, 1)))
}

func TestRun_WhileItsPlaceCannotBeReadNoNewSessionBegins(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	w.run(t)
	require.NoError(t, w.stop())
	session, _ := w.Session()
	w.says(qqtest.Direct, "meanwhile")
	w.memory.close()
	w.open(t)
	w.begin(t)
	require.Eventually(t, func() bool {
		all := w.statuses()
		return fault.Is(all[len(all)-1].Err, fault.Unavailable)
	}, soon, tick)
	w.memory.reopen()
	require.Equal(t, []string{"meanwhile"}, texts(w.got(t, 1)))
	now, _ := w.Session()
	require.Equal(t, session, now)
}

func TestRun_WhileTheStoreIsAwayNothingIsPassedOver(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	qq.Impatient(w.account, time.Millisecond)
	tries := 0
	w.failing(func(chat.Envelope) error {
		if tries++; tries < 5 {
			return fault.Errorf(fault.Unavailable, "the database is away")
		}
		return nil
	})
	w.run(t)
	w.says(qqtest.Direct, "patience")
	require.Equal(t, []string{"patience"}, texts(w.got(t, 1)))
}

func TestRun_WhatWasNotCommittedComesAgain(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	w.failing(func(e chat.Envelope) error {
		if e.Text == "second" {
			return errors.New("the database is away")
		}
		return nil
	})
	w.run(t)
	w.says(qqtest.Direct, "first")
	w.got(t, 1)
	w.says(qqtest.Direct, "second")
	w.says(qqtest.Direct, "third")
	require.NoError(t, w.stop())
	w.failing(nil)
	w.open(t)
	w.run(t)
	require.Equal(t, []string{"first", "second", "third"}, texts(w.got(t, 3)))
}

func TestRun_AnEventThatKeepsFailingDoesNotHoldTheOthers(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	qq.Impatient(w.account, 50*time.Millisecond)
	w.failing(func(e chat.Envelope) error {
		switch e.Text {
		case "poison":
			return errors.New("our bug")
		case "nonsense":
			return fault.Errorf(fault.Invalid, "malformed")
		}
		return nil
	})
	w.run(t)
	for _, text := range []string{"poison", "nonsense", "fine"} {
		w.says(qqtest.Direct, text)
	}
	require.Equal(t, []string{"fine"}, texts(w.got(t, 1)))
	var told int
	for _, s := range w.statuses() {
		if s.Err != nil && strings.Contains(s.Err.Error(), "passed over") {
			told++
		}
	}
	require.Equal(t, 2, told, "what was passed over is told")
}

func TestRun_AnEventThatIsTooLargeCostsNoOther(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	w.run(t)
	session, _ := w.Session()
	w.says(qqtest.Direct, "before")
	for i := range 2 {
		w.Emit("C2C_MESSAGE_CREATE", `{"content":"`+strings.Repeat("x", 17<<20)+`"}`)
		w.says(qqtest.Direct, fmt.Sprint("after ", i))
	}
	require.Equal(t, []string{"before", "after 0", "after 1"}, texts(w.got(t, 3)))
	now, _ := w.Session()
	require.Equal(t, session, now)
	require.Empty(t, w.Broken())
}

func TestRun_AskedToReconnectItResumes(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	w.run(t)
	session, _ := w.Session()
	before := len(w.statuses())
	w.AskReconnect()
	require.Eventually(t, func() bool { return len(w.statuses()) >= before+2 && w.up() }, soon, tick)
	now, _ := w.Session()
	require.Equal(t, session, now)
	w.says(qqtest.Direct, "hello")
	w.got(t, 1)
}

func TestRun_AnInvalidSessionIsReplacedByANewOne(t *testing.T) {
	for name, lose := range map[string]func(w *world){
		"told while connected": func(w *world) { w.Invalidate() },
		"found out by Resume":  func(w *world) { w.Forget(); w.Disconnect() },
		"closed with 4006":     func(w *world) { w.Dismiss(4006) },
		"closed with 4007":     func(w *world) { w.Dismiss(4007) },
		"closed with 4901":     func(w *world) { w.Dismiss(4901) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, qqtest.Config{})
			w.run(t)
			session, intents := w.Session()
			lose(w)
			require.Eventually(t, func() bool {
				now, _ := w.Session()
				return now != "" && now != session && w.Connected() == 1
			}, soon, tick)
			_, now := w.Session()
			require.Equal(t, intents, now, "less was asked for than before")
			w.says(qqtest.Direct, "hello")
			w.got(t, 1)
		})
	}
}

func TestRun_CodesThatPermitResumeKeepTheSession(t *testing.T) {
	for _, code := range []int{4008, 4009, 1001} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			w := newWorld(t, qqtest.Config{})
			w.run(t)
			session, _ := w.Session()
			before := len(w.statuses())
			w.Dismiss(code)
			require.Eventually(t, func() bool { return len(w.statuses()) >= before+2 && w.up() }, soon, tick)
			now, _ := w.Session()
			require.Equal(t, session, now)
		})
	}
}

func TestRun_WhatCannotBeHelpedEndsIt(t *testing.T) {
	for code, kind := range map[int]fault.Kind{
		4010: fault.Invalid, 4011: fault.Invalid, 4012: fault.Invalid, 4914: fault.Denied, 4915: fault.Denied,
	} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			w := newWorld(t, qqtest.Config{})
			w.run(t)
			w.Dismiss(code)
			require.Eventually(t, func() bool { return !w.up() }, soon, tick)
			require.Equal(t, kind, fault.KindOf(w.stop()))
		})
	}
}

func TestRun_AWrongSecretEndsIt(t *testing.T) {
	w := newWorld(t, qqtest.Config{}, "app_secret", "wrong")
	err := w.ends(t)
	require.True(t, fault.Is(err, fault.Denied), "%v", err)
	require.NotContains(t, err.Error(), "wrong secret")
	_, _, err = w.account.Check(t.Context())
	require.True(t, fault.Is(err, fault.Denied), "%v", err)
}

func TestRun_ARefusalThatMayPassDoesNotEndIt(t *testing.T) {
	for name, body := range map[string]string{
		"by something between":          "<html>sign in to the network</html>",
		"of a kind that nobody knows":   `{"code":12345,"message":"?"}`,
		"as permissions were not known": `{"code":11252,"message":"check app privilege failed"}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, qqtest.Config{})
			w.client.Transport = &between{RoundTripper: w.client.Transport, path: "/gateway/bot", body: body, times: 2}
			w.run(t)
		})
	}
}

// between stands before the platform and answers the first calls of a path itself.
type between struct {
	http.RoundTripper
	path, body string
	times      int
}

func (b *between) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path != b.path || b.times == 0 {
		return b.RoundTripper.RoundTrip(r)
	}
	b.times--
	return &http.Response{StatusCode: http.StatusForbidden, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(b.body)), Request: r}, nil
}

func TestRun_ATokenThatTheGatewayRefusesIsReplaced(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	w.run(t)
	w.Revoke()
	w.Disconnect()
	require.Eventually(t, func() bool { return !w.up() }, soon, tick)
	w.connected(t)
	w.says(qqtest.Direct, "hello")
	w.got(t, 1)
}

func TestRun_LessIsAskedForUntilTheBotGetsASession(t *testing.T) {
	const group, interaction, private, public = 1 << 25, 1 << 26, 1 << 12, 1 << 30
	for name, c := range map[string]struct{ permitted, want, missing int }{
		"everything is permitted":      {group | interaction | private | public, group | interaction | private | public, 0},
		"no buttons":                   {group | private | public, group | public, 2},
		"no groups":                    {public | private, public, 3},
		"groups and direct chats only": {group, group, 3},
	} {
		for _, strict := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, closed with a code %t", name, strict), func(t *testing.T) {
				w := newWorld(t, qqtest.Config{Intents: c.permitted, Strict: strict})
				w.run(t)
				_, got := w.Session()
				require.Equal(t, c.want, got)
				require.NoError(t, w.stop())
				_, problems, err := w.account.Check(t.Context())
				require.NoError(t, err)
				require.Len(t, problems, c.missing)
				require.Empty(t, w.Broken())
			})
		}
	}
}

func TestRun_APermissionThatCameIsUsedByTheNextSession(t *testing.T) {
	w := newWorld(t, qqtest.Config{Intents: 1 << 25, Strict: true})
	w.run(t)
	require.NoError(t, w.stop())
	w.Permit(func(c *qqtest.Config) { c.Intents = 0 })
	w.Forget() // the platform does not keep sessions for long
	w.open(t)
	w.run(t)
	require.Eventually(t, func() bool { _, got := w.Session(); return got == 1<<25|1<<26|1<<12|1<<30 }, soon, tick)
	require.Eventually(t, func() bool {
		_, problems, err := w.account.Check(t.Context())
		return err == nil && len(problems) == 0
	}, soon, tick)
}

func TestRun_OtherSettingsBeginAnotherSession(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	w.run(t)
	session, _ := w.Session()
	require.NoError(t, w.stop())
	w.open(t, "guild_messages", "all")
	w.run(t)
	require.Eventually(t, func() bool {
		now, intents := w.Session()
		return now != session && intents&(1<<9) != 0
	}, soon, tick)
	w.Write(qqtest.Incoming{Scene: qqtest.Guild, Chat: "CHAN0", From: ann, Text: "not for you"})
	require.False(t, w.got(t, 1)[0].Mentioned)
}

func TestRun_ABotWithoutAnyEventEndsWithASentence(t *testing.T) {
	w := newWorld(t, qqtest.Config{Intents: 1})
	err := w.ends(t)
	require.True(t, fault.Is(err, fault.Denied), "%v", err)
	require.Contains(t, err.Error(), "Event subscription")
}

func TestRun_UnansweredHeartbeatsEndTheConnection(t *testing.T) {
	w := newWorld(t, qqtest.Config{Heartbeat: 20 * time.Millisecond})
	w.run(t)
	session, _ := w.Session()
	w.Mute(true)
	require.Eventually(t, func() bool { return !w.up() }, soon, tick)
	w.Mute(false)
	w.connected(t)
	now, _ := w.Session()
	require.Equal(t, session, now)
	w.says(qqtest.Direct, "hello")
	w.got(t, 1)
}

func TestRun_WithoutStartsLeftItWaits(t *testing.T) {
	w := newWorld(t, qqtest.Config{Starts: 1})
	w.run(t)
	w.Forget()
	w.Disconnect()
	require.Eventually(t, func() bool {
		all := w.statuses()
		return fault.Is(all[len(all)-1].Err, fault.RateLimited)
	}, soon, tick)
	require.Empty(t, w.Broken())
}

func TestRun_TheLagIsThatOfTheMessage(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	w.run(t)
	w.Write(qqtest.Incoming{Scene: qqtest.Direct, From: ann, Text: "old", At: time.Now().Add(-time.Hour)})
	w.got(t, 1)
	require.Eventually(t, func() bool {
		all := w.statuses()
		return all[len(all)-1].Lag > 50*time.Minute
	}, soon, tick)
}
