package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/onebot/onebottest"
)

func TestParts_AWorkerAnswersThroughTheIngressThatNapCatHasDialled(t *testing.T) {
	t.Parallel()
	n, err := onebottest.New(onebottest.Options{})
	require.NoError(t, err)
	t.Cleanup(n.Close)
	n.AddPerson("20007", "Carol")
	p := newParts(t, "NAPCAT_MODE=reverse", "NAPCAT_TOKEN=napcat-secret", "NAPCAT_SEND_PAUSE=0s")
	p.inForce(`{channels: {napcat: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	set := time.Now()
	stop := n.Dial(onebottest.Client{URL: "ws" + strings.TrimPrefix(p.url, "http") + "/channels/napcat", Token: "napcat-secret"})
	t.Cleanup(stop)
	carol := onebottest.Person("20007")
	connected := func() {
		require.Eventually(t, func() bool { return n.Connected() > 0 }, time.Minute, 20*time.Millisecond)
	}

	connected()
	require.Eventually(t, func() bool { return time.Since(set) > 2*time.Second }, time.Minute, 20*time.Millisecond, "every process reads the policy each second")
	n.Say(carol, "20007", onebottest.Text("say first"))
	saw(t, n, carol, "first")

	before := len(p.model.Requests())
	n.Say(carol, "20007", onebottest.Text("stream 30 100ms\nsay second"))
	require.Eventually(t, func() bool { return len(p.model.Requests()) > before }, time.Minute, 20*time.Millisecond)
	p.ingress.kill() // with the connection
	p.boot()
	saw(t, n, carol, "second")
	connected()
	n.Say(carol, "20007", onebottest.Text("say third"))
	saw(t, n, carol, "third")
	require.Len(t, seenAt(n, carol), 3, "each answer once")
	require.Empty(t, n.Broken(), "the protocol was kept")
}
