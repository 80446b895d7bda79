package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/onebot/onebottest"
)

// starts are the notices of a start that Carol has read.
func starts(p *onebottest.Server) (n int) {
	for _, text := range seenAt(p, onebottest.Person("20007")) {
		if strings.Contains(text, "has started: http://") {
			n++
		}
	}
	return n
}

func TestAdminChat_IsToldOfAStartOnceOverAKillAndAloneIsTheAdministrators(t *testing.T) {
	t.Parallel()
	p, err := onebottest.New(onebottest.Options{Token: "napcat-secret"})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	p.AddPerson("20007", "Carol")
	p.AddPerson("20008", "Dave")
	p.AddGroup("20001", "The Team", map[string]string{"20007": "Carol", "20008": "Dave"})
	s := newServer(t, "NAPCAT_MODE=reverse", "NAPCAT_TOKEN=napcat-secret", "NAPCAT_SEND_PAUSE=0s", "ADMIN_CHAT_ID=20007")
	db := s.look()
	require.Eventually(t, func() bool { return count(t, db, "SELECT count(*) FROM outbound WHERE state = 'waiting'") == 1 }, time.Minute, 20*time.Millisecond)
	s.crash() // between the start and the delivery of its notice
	s.boot()
	db = s.look()
	require.Eventually(t, func() bool {
		return count(t, db, "SELECT count(*) FROM messages WHERE content LIKE '%has started%'") == 2
	}, time.Minute, 20*time.Millisecond)
	p.Dial(onebottest.Client{URL: strings.Replace(s.url, "http", "ws", 1) + "/channels/napcat", Token: "napcat-secret"})
	carol, dave, team := onebottest.Person("20007"), onebottest.Person("20008"), onebottest.Group("20001")
	saw(t, p, carol, "has started: http://")

	s.inForce(`{channels: {napcat: {dmPolicy: "open", allowFrom: ["*"], groups: {"20001": {}}}}}`)
	p.Say(carol, "20007", onebottest.Text("/config get session.dmScope"))
	saw(t, p, carol, "dmScope")
	p.Say(dave, "20008", onebottest.Text("/config get session.dmScope"))
	saw(t, p, dave, "administrators")
	for _, who := range []string{"20008", "20007"} { // in the order in which they write
		p.Say(team, who, onebottest.At(p.Self()), onebottest.Text(" /config get session.dmScope"))
		p.Say(team, who, onebottest.At(p.Self()), onebottest.Text(" say heard "+who))
		saw(t, p, team, "heard "+who)
	}
	saw(t, p, team, "dmScope")
	require.Equal(t, 1, strings.Count(strings.Join(seenAt(p, team), "\n"), "dmScope"), "in a group it is the person, not who else is there")
	require.Equal(t, 1, starts(p), "of the start that was killed and of the one after it")

	s.stop()
	s.boot()
	require.Eventually(t, func() bool { return starts(p) == 2 }, time.Minute, 20*time.Millisecond, "each start is told of")
	require.Eventually(t, func() bool { return count(t, s.look(), "SELECT count(*) FROM outbound WHERE state = 'waiting'") == 0 }, time.Minute, 100*time.Millisecond)
	require.Equal(t, 2, starts(p))
	require.Empty(t, seenAt(p, dave)[1:], "nobody else is told")
	require.Empty(t, p.Broken(), "the protocol was kept")
}

func TestAdminChat_ASettingThatCannotBeMeantEndsTheStartWithWhatToDo(t *testing.T) {
	t.Parallel()
	s := prepareServer(t, "ADMIN_CHAT_ID=group:20001", "STARTUP_NOTIFY_CHANNEL=napcat")
	s.process.start()
	require.Eventually(t, func() bool { return !s.running() }, startLimit, 20*time.Millisecond)
	require.Contains(t, s.out.String(), "name a direct chat there, and the group in STARTUP_NOTIFY_CHAT_ID")
}
