package gateway_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/gateway"
	"xbot/ingress/ingresstest"
	"xbot/internal/channel/accounts/accountstore"
	"xbot/internal/chat"
	"xbot/internal/turn/conversation"
)

// fullQueue is a bot whose direct chat has no room for a second message that waits.
func fullQueue(t *testing.T) (*platform, chat.SessionKey) {
	t.Helper()
	b := bridged(t, ingresstest.GroupPolicy)
	require.NoError(t, b.Store.Channels.SaveChannelAccount(t.Context(), accountstore.ChannelAccount{Channel: "feishu", Enabled: true, Settings: map[string]string{"app_id": "x"}}, 0))
	first := b.Receive(ingresstest.DM("m1", "ou_1", "hello"))
	require.NoError(t, b.Store.Turns.SetQueue(t.Context(), first.Session, chat.Queue{Cap: 1}))
	return b, first.Session
}

// told are the deliveries that wait, with the messages that they answer.
func (b *platform) told() (texts []string) {
	b.T.Helper()
	rows, err := b.Pool.Query(b.T.Context(), `SELECT m.content || ' > ' || (o.place ->> 'reply_to') FROM outbound o JOIN messages m ON m.id = o.message_id WHERE o.state = 'waiting' ORDER BY o.id`)
	require.NoError(b.T, err)
	for rows.Next() {
		var text string
		require.NoError(b.T, rows.Scan(&text))
		texts = append(texts, text)
	}
	require.NoError(b.T, rows.Err())
	return texts
}

func TestReceive_WhoFindsTheQueueFullIsToldByARowThatSurvivesAKill(t *testing.T) {
	b, key := fullQueue(t)
	out, err := b.Gateways[0].Receive(t.Context(), ingresstest.DM("m2", "ou_1", "are you there?"))
	require.NoError(t, err)
	require.Equal(t, gateway.ResultRefused, out.Result)
	require.Contains(t, out.Reply, "1 message")
	require.Empty(t, out.Direct, "nobody has to send it at once: a kill now loses nothing")
	require.Equal(t, []string{out.Reply + " > m2"}, b.told())

	require.NoError(t, b.Store.Turns.SetQueue(t.Context(), key, chat.Queue{Cap: 8}))
	again, err := b.Gateways[1].Receive(t.Context(), ingresstest.DM("m2", "ou_1", "are you there?"))
	require.NoError(t, err)
	require.Equal(t, gateway.ResultDuplicate, again.Result, "there is room now, but it was said that it will not be answered")
	require.Equal(t, out.Reply, again.Reply)
	require.Empty(t, again.Direct)
	require.Len(t, b.told(), 1, "once")
	page, err := b.Store.Conversations.Messages(t.Context(), key, conversation.Page{Limit: 10})
	require.NoError(t, err)
	require.Len(t, page.Queued, 1, "the first message alone waits")
	require.Equal(t, gateway.ResultAccepted, b.Receive(ingresstest.DM("m3", "ou_1", "are you there?")).Result, "who writes again is heard")
}

func TestReceive_TwoProcessesThatRefuseAMessageTellItOnce(t *testing.T) {
	b, _ := fullQueue(t)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			out, err := b.Gateways[i%2].Receive(t.Context(), ingresstest.DM("m2", "ou_1", strings.Repeat("are you there? ", 100)))
			if err != nil || out.Direct != "" || out.Result != gateway.ResultRefused && out.Result != gateway.ResultDuplicate {
				t.Error(out, err)
			}
		})
	}
	group.Wait()
	require.Len(t, b.told(), 1)
}

func TestReceive_ABridgeKeepsNothingOfWhatFindsTheQueueFull(t *testing.T) {
	b := bridged(t, ingresstest.GroupPolicy) // no bot of this installation received it: its sender is told by the answer to the request
	first := b.Receive(ingresstest.DM("m1", "ou_1", "hello"))
	require.NoError(t, b.Store.Turns.SetQueue(t.Context(), first.Session, chat.Queue{Cap: 1}))
	out := b.Receive(ingresstest.DM("m2", "ou_1", "are you there?"))
	require.Equal(t, gateway.ResultRefused, out.Result)
	require.Equal(t, out.Reply, out.Direct)
	require.Equal(t, 1, b.Rows("inbox"))
	require.NoError(t, b.Store.Turns.SetQueue(t.Context(), first.Session, chat.Queue{Cap: 8}))
	require.Equal(t, gateway.ResultAccepted, b.Receive(ingresstest.DM("m2", "ou_1", "are you there?")).Result, "the bridge may try again")
}

func TestReceive_AFloodOfWhoFindsTheQueueFullIsToldTwentyTimesAMinuteAndCounted(t *testing.T) {
	b, key := fullQueue(t)
	flood := func(from, to int) {
		var group sync.WaitGroup
		for i := from; i < to; i++ {
			group.Go(func() {
				out, err := b.Gateways[i%2].Receive(t.Context(), ingresstest.DM(fmt.Sprint("f", i), "ou_1", "are you there?"))
				if err != nil || out.Result != gateway.ResultRefused || out.Direct != "" {
					t.Error(out, err)
				}
			})
		}
		group.Wait()
	}
	flood(0, 50)
	require.Equal(t, 21, b.Rows("inbox"), "the message that waits, and those that were told")
	require.Len(t, b.told(), 20)
	require.NotContains(t, strings.Join(b.told()[:19], ""), "I only count them")
	require.Contains(t, b.told()[19], "I only count them")

	_, err := b.Pool.Exec(t.Context(), "UPDATE refusals SET said_at = said_at - interval '1 minute'")
	require.NoError(t, err)
	flood(50, 60)
	require.Equal(t, 31, b.Rows("inbox"))
	require.Len(t, b.told(), 30)
	require.Contains(t, b.told()[20], "30 more of your messages found no room", "nothing is dropped without a word")

	require.NoError(t, b.Store.Turns.SetQueue(t.Context(), key, chat.Queue{Cap: 8}))
	require.Equal(t, gateway.ResultAccepted, b.Receive(ingresstest.DM("g1", "ou_1", "are you there?")).Result)
}
