package e2e

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

// tab is a client that carries out actions: what it was told comes in order.
type tab struct {
	client string
	told   chan chat.ClientAction
}

// opens has a client listen at a server until the test ends.
func (k *talk) opens(at *apiclient.Client) *tab {
	ctx, cancel := context.WithCancel(k.t.Context())
	p, ended := &tab{client: rand.Text(), told: make(chan chat.ClientAction, 100)}, make(chan struct{})
	go func() {
		defer close(ended)
		for update := range at.WatchAs(ctx, p.client, k.key, 0) {
			if update.Event != nil && update.Event.Kind == chat.EventAction {
				p.told <- decode[chat.ClientAction](k.t, *update.Event)
			}
		}
	}()
	k.t.Cleanup(func() { cancel(); <-ended })
	return p
}

func (p *tab) hears(t *testing.T) chat.ClientAction {
	t.Helper()
	select {
	case a := <-p.told:
		return a
	case <-time.After(time.Minute):
		require.Fail(t, "the client was told nothing")
		return chat.ClientAction{}
	}
}

// says sends a message of the client's.
func (k *talk) says(p *tab, text string) chat.InboxID {
	k.t.Helper()
	got, err := k.client.SendUntilAccepted(k.t.Context(), k.key, p.client+"."+rand.Text(), text, nil)
	require.NoError(k.t, err)
	return got.ID
}

const paints = `call tui_control {"action":"theme","value":"dark"}` + "\nsay I see"

func TestActions_AClientOfAnotherReplicaIsToldAndItsAnswerReachesTheWorker(t *testing.T) {
	t.Parallel()
	p := newParts(t, "XBOT_ENCRYPTION_KEY=MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
	second := &server{t: t, home: t.TempDir(), url: "http://" + freeAddress(t), model: p.model}
	env := append([]string{}, p.ingress.env...)
	second.process = newProcess(t, "xbot", append(env, "XBOT_HOME="+second.home, "XBOT_HTTP_ADDR="+second.address()), "ingress")
	second.client = apiclient.New(second)
	t.Cleanup(second.client.Close)
	second.boot()

	mine, other := p.opens(second.client), p.opens(p.client)
	id := p.says(mine, paints)
	a := mine.hears(t)
	require.Equal(t, "dark", a.Value)
	taking := apiclient.ActionAnswer{Client: mine.client, Outcome: "taking"}
	require.NoError(t, second.client.AnswerClientAction(t.Context(), p.key, a.Call, taking))
	require.Error(t, p.client.AnswerClientAction(t.Context(), p.key, a.Call, taking), "it is taken once")
	require.NoError(t, second.client.AnswerClientAction(t.Context(), p.key, a.Call, apiclient.ActionAnswer{Client: mine.client, Outcome: "done"}))
	require.Equal(t, chat.TurnDone, p.untilEnded(time.Minute, id).State)
	require.Equal(t, []string{"Done."}, p.toolResults())
	require.Empty(t, other.told, "another client of the person is told nothing")
}

func TestActions_AServerThatIsKilledMeanwhileLeavesTheCallWithOneResult(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	p := k.opens(k.client)
	id := k.says(p, paints)
	a := p.hears(t)
	killed := time.Now()
	k.crash()
	k.boot()
	require.Equal(t, chat.TurnDone, k.recovered("killed while a client was asked to show something", killed, id).State)
	require.Len(t, k.toolResults(), 1)
	require.Contains(t, k.toolResults()[0], "whether it was done is unknown", "nobody has answered")
	for len(p.told) > 0 {
		require.Equal(t, a, <-p.told, "the same action, which the client knows by its call")
	}
	require.Error(t, k.client.AnswerClientAction(t.Context(), k.key, a.Call, apiclient.ActionAnswer{Client: p.client, Outcome: "done"}), "nobody waits any more")
	k.wellFormed()
}

func TestActions_WhereNoClientListensTheModelIsToldSo(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	p := &tab{client: rand.Text()}
	k.untilEnded(time.Minute, k.says(p, paints))
	k.untilEnded(time.Minute, k.send(paints))
	results := k.toolResults()
	require.Contains(t, results[0], "no page or terminal of the user shows this conversation")
	require.Contains(t, results[1], "no page or terminal that can be asked")
}
