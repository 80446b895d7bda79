package intake_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/ingress/intake"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/slashcommand"
	"xbot/slash/queue"
)

// document is a policy in force.
type document struct{ policy.Policy }

func (d *document) Get(context.Context) (*policy.Policy, error) { return &d.Policy, nil }

func (b *bundle) say(in intake.Message) (chat.QueueMode, time.Duration) {
	b.T.Helper()
	got, err := b.Dispatch.Message(b.T.Context(), in)
	require.NoError(b.T, err)
	return got.Mode, got.Wait
}

func TestQueue_TheConversationsOwnSettingGoesBeforeThePolicy(t *testing.T) {
	b := setup(t)
	p := &document{}
	b.Dispatch.Policies = p
	direct := b.Inbound(ingresstest.Key, "m1", "one")
	direct.ChatType = chat.ChatDirect
	mode, _ := b.say(direct)
	require.Equal(t, chat.QueueSteer, mode, "the default of direct chats")
	group := b.Inbound(ingresstest.Key, "m2", "two")
	group.ChatType = chat.ChatGroup
	mode, _ = b.say(group)
	require.Equal(t, chat.QueueFollowup, mode)
	p.Messages.Queue.ByChannel = map[string]chat.QueueMode{"web": chat.QueueSupersede}
	group.PlatformID = "m3"
	mode, _ = b.say(group)
	require.Equal(t, chat.QueueSupersede, mode)
	group.PlatformID, group.Queue.Mode = "m4", chat.QueueFollowup
	mode, _ = b.say(group)
	require.Equal(t, chat.QueueFollowup, mode)
	b.Dispatch.Close()
}

func TestQueue_TheEndOfABurstWakesItsTurnOnce(t *testing.T) {
	b := setup(t)
	for _, id := range []string{"m1", "m2", "m3"} {
		in := b.Inbound(ingresstest.Key, id, id)
		in.Queue = chat.Queue{Mode: chat.QueueCollect, DebounceMS: 300}
		_, wait := b.say(in)
		require.Greater(t, wait, time.Duration(0))
	}
	require.Empty(t, b.Wakes.Sessions(), "more may follow")
	require.Eventually(t, func() bool { return len(b.Wakes.Sessions()) == 1 }, ingresstest.Limit, 5*time.Millisecond)
	b.ClaimTurn(ingresstest.Key, "t1")
	transcript, err := b.Conversations.Messages(t.Context(), ingresstest.Key, conversation.Page{Limit: 100})
	require.NoError(t, err)
	require.Len(t, transcript.Messages, 3, "when the turn is woken the burst can be claimed")
	b.Dispatch.Close()
	require.Len(t, b.Wakes.Sessions(), 1)
}

func TestQueue_AnIngressThatEndsLeavesItsBurstsToTheRelay(t *testing.T) {
	b := setup(t)
	in := b.Inbound(ingresstest.Key, "m1", "one")
	in.Queue = chat.Queue{Mode: chat.QueueCollect, DebounceMS: 5000}
	b.say(in)
	b.Dispatch.Close()
	require.Empty(t, b.Wakes.Sessions())
	_, err := b.Pool.Exec(t.Context(), "UPDATE inbox SET not_before = now(), woken_at = now() - interval '1 minute'")
	require.NoError(t, err)
	rows, err := b.Turns.ToWake(t.Context())
	require.NoError(t, err)
	require.Len(t, rows, 1)
}

func TestQueueCommand_ShowsWhatHoldsAndWhyAndSetsIt(t *testing.T) {
	b := setup(t)
	p := &document{policy.Policy{Messages: policy.Messages{Queue: policy.Queue{Cap: 7, ByChannel: map[string]chat.QueueMode{"web": chat.QueueCollect}}}}}
	run := queue.Queue{Conversations: b.Store.Conversations, Turns: b.Store.Turns, Policies: p}.Run
	in := slashcommand.Request{Session: ingresstest.Key, Lang: i18n.English}
	said, err := run(t.Context(), in, "")
	require.NoError(t, err)
	require.Contains(t, said, "mode: `collect` · policy of the channel web")
	require.Contains(t, said, "cap: `7` · policy")
	require.Contains(t, said, "debounce: `500ms` · default")
	said, err = run(t.Context(), in, "interrupt debounce:2s")
	require.NoError(t, err)
	require.Contains(t, said, "mode: `interrupt` · set for this conversation")
	require.Contains(t, said, "debounce: `2s` · set for this conversation")
	s, _, err := b.Conversations.Session(t.Context(), ingresstest.Key)
	require.NoError(t, err)
	require.Equal(t, chat.Queue{Mode: chat.QueueInterrupt, DebounceMS: 2000}, s.Queue)
	_, err = run(t.Context(), in, "faster")
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	said, err = run(t.Context(), in, "default")
	require.NoError(t, err)
	require.Contains(t, said, "collect")
	s, _, err = b.Conversations.Session(t.Context(), ingresstest.Key)
	require.NoError(t, err)
	require.Zero(t, s.Queue)
}

func TestAcceptPair_WakesOnceForBoth(t *testing.T) {
	b := setup(t)
	first := b.Inbound(ingresstest.Key, "p", "/compact")
	first.Control = true
	_, second, err := b.Dispatch.AcceptPair(t.Context(), first, b.Inbound(ingresstest.Key, "p#text", "hello"))
	require.NoError(t, err)
	require.Equal(t, 2, second.Position)
	b.Woken.Wait()
	require.True(t, slices.Equal([]chat.SessionKey{ingresstest.Key}, b.Wakes.Sessions()))
	_, _, err = b.Dispatch.AcceptPair(t.Context(), first, b.Inbound(ingresstest.Key, "", "no id"))
	require.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestAcceptPair_WakesAtTheEndOfTheBurstOfTheSecond(t *testing.T) {
	b := setup(t)
	first, second := b.Inbound(ingresstest.Key, "p", "/compact"), b.Inbound(ingresstest.Key, "p#text", "hello")
	first.Control = true
	second.Queue = chat.Queue{Mode: chat.QueueCollect, DebounceMS: 300}
	_, _, err := b.Dispatch.AcceptPair(t.Context(), first, second)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(b.Wakes.Sessions()) == 2 }, ingresstest.Limit, 5*time.Millisecond)
	b.Dispatch.Close()
}
