package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/onebot/onebottest"
	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

func TestTurnNotices_ALongTurnIsToldOnceOnThePlatformOverKillsAndToNobodyElse(t *testing.T) {
	t.Parallel()
	p, err := onebottest.New(onebottest.Options{Token: "napcat-secret"})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	p.AddPerson("20007", "Carol")
	p.AddPerson("20008", "Dave")
	s := newServer(t, "NAPCAT_MODE=reverse", "NAPCAT_TOKEN=napcat-secret", "NAPCAT_SEND_PAUSE=0s")
	s.inForce(`{channels: {napcat: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	dial := func() (stop func()) {
		return p.Dial(onebottest.Client{URL: strings.Replace(s.url, "http", "ws", 1) + "/channels/napcat", Token: "napcat-secret"})
	}
	stop := dial()
	carol, dave := onebottest.Person("20007"), onebottest.Person("20008")
	require.Eventually(t, func() bool { return p.Connected() > 0 }, time.Minute, 20*time.Millisecond)
	p.Say(dave, "20008", onebottest.Text("say hello Dave"))
	saw(t, p, dave, "hello Dave")

	link, err := s.client.CreateLinkCode(t.Context())
	require.NoError(t, err)
	p.Say(carol, "20007", onebottest.Text("/link "+link.Code))
	saw(t, p, carol, "admin")
	before := len(seenAt(p, carol))
	_, err = s.client.SetTurnNotices(t.Context(), apiclient.TurnNotices{AfterSeconds: 10, To: &apiclient.DirectChat{Channel: "napcat", Peer: "20008"}})
	require.Error(t, err, "it is Dave's")
	_, err = s.client.SetTurnNotices(t.Context(), apiclient.TurnNotices{AfterSeconds: 10, To: &apiclient.DirectChat{Channel: "napcat", Peer: "20007"}})
	require.NoError(t, err)

	k := s.newTalk()
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send("say a short one")).State)
	id := k.send(k.shell("sleep 11"), "say all is done")
	k.untilTool(time.Minute, chat.CallRunning)
	stop() // the platform is away when the turn ends
	s.crash()
	s.boot()
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	s.crash()
	s.boot()
	dial()
	saw(t, p, carol, "all is done")
	require.Eventually(t, func() bool { return count(t, s.look(), "SELECT count(*) FROM outbound WHERE state = 'waiting'") == 0 }, time.Minute, 100*time.Millisecond)
	told := seenAt(p, carol)[before:]
	require.Len(t, told, 1, "the long one, once")
	require.Regexp(t, `finished after \d+ s: all is done`, told[0])
	require.Len(t, seenAt(p, dave), 1, "nobody else is told")
	require.Empty(t, p.Broken(), "the protocol was kept")
}
