package ingress_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/gateway"
	"xbot/internal/chat"
	"xbot/slash/account"
)

func TestProfileCommand_ShowsAndChangesThatOfWhoeverWritesWhereNobodyElseReads(t *testing.T) {
	b := bridged(t, group)
	for _, g := range b.ways {
		g.Dispatch.Commands = knowing(b.store, append(platformCommands(g), account.Profile{Store: b.store})...)
	}
	n := 0
	say := func(who, text string) string {
		n++
		out := b.receive(dm(fmt.Sprint(who, n), who, text))
		require.Equal(t, gateway.ResultAnswered, out.Result, text)
		return out.Reply
	}
	key := b.receive(dm("hello", "ou_1", "hello")).Session
	require.Contains(t, say("ou_1", "/profile"), "written nothing")
	require.Contains(t, say("ou_1", "/profile edit Ann,\ncall me captain"), "as you wrote it")
	require.Contains(t, say("ou_1", "/profile timezone Asia/Shanghai"), "as you wrote it")
	shown := say("ou_1", "/profile")
	require.Contains(t, shown, "call me captain")
	require.Contains(t, shown, "Asia/Shanghai")
	require.Contains(t, say("ou_1", "/profile timezone Mars/Olympus"), "is no timezone")
	require.Contains(t, say("ou_1", "/profile edit "+strings.Repeat("字", chat.MaxProfile+1)), "2000")
	require.Contains(t, say("ou_1", "/profile edit"), "Write `/profile`")
	require.Contains(t, say("ou_1", "/profile 什么"), "用法")
	require.Contains(t, say("ou_2", "/profile"), "written nothing", "it is of one person")

	e := said("g0", "ou_1", "/profile")
	e.Mentioned = true
	reply := b.receive(e).Reply
	require.Contains(t, reply, "conversation of your own")
	require.NotContains(t, reply, "captain", "a group is not told")

	owner, err := b.store.SessionOwner(t.Context(), key)
	require.NoError(t, err)
	is, err := b.store.Profile(t.Context(), owner.ID)
	require.NoError(t, err)
	require.Equal(t, "Ann,\ncall me captain", is.Content)
	require.Contains(t, say("ou_1", "/profile clear"), "empty now")
	require.Contains(t, say("ou_1", "/profile"), "written nothing")
}

func TestMemoryCommand_SaysWhereConversationsAreNotMemorized(t *testing.T) {
	for document, off := range map[string]bool{group: false, strings.Replace(group, "{", "{memory: {memorize: false}, ", 1): true} {
		t.Run(fmt.Sprint(off), func(t *testing.T) {
			b := recollectingBy(t, document)
			b.receive(dm("m0", "ou_1", "hello"))
			require.Equal(t, off, strings.Contains(b.receive(dm("m1", "ou_1", "/memory")).Reply, "switched off"))
		})
	}
}
