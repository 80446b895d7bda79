package slash_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/gateway"
	"xbot/ingress/ingresstest"
	"xbot/internal/chat"
	"xbot/slash/account"
)

func TestProfileCommand_ShowsAndChangesThatOfWhoeverWritesWhereNobodyElseReads(t *testing.T) {
	b := bridged(t, ingresstest.GroupPolicy)
	for _, g := range b.Gateways {
		g.Dispatch.Commands = ingresstest.Commands(b.Store, append(ingresstest.PlatformCommands(g), account.Profile{Memory: b.Store.Memory, Users: b.Store.Users})...)
	}
	n := 0
	say := func(who, text string) string {
		n++
		out := b.Receive(ingresstest.DM(fmt.Sprint(who, n), who, text))
		require.Equal(t, gateway.ResultAnswered, out.Result, text)
		return out.Reply
	}
	key := b.Receive(ingresstest.DM("hello", "ou_1", "hello")).Session
	require.Contains(t, say("ou_1", "/profile"), "written nothing")
	require.Contains(t, say("ou_1", "/profile edit Ann,\ncall me captain"), "is saved")
	require.Contains(t, say("ou_1", "/profile timezone Asia/Shanghai"), "is saved")
	shown := say("ou_1", "/profile")
	require.Contains(t, shown, "call me captain")
	require.Contains(t, shown, "Asia/Shanghai")
	require.Contains(t, say("ou_1", "/profile timezone Mars/Olympus"), "is no timezone")
	require.Contains(t, say("ou_1", "/profile edit "+strings.Repeat("字", chat.MaxProfile+1)), "2000")
	require.Contains(t, say("ou_1", "/profile edit"), "Write `/profile`")
	require.Contains(t, say("ou_1", "/profile 什么"), "用法")
	require.Contains(t, say("ou_2", "/profile"), "written nothing", "it is of one person")

	e := ingresstest.InGroup("g0", "ou_1", "/profile")
	e.Mentioned = true
	reply := b.Receive(e).Reply
	require.Contains(t, reply, "conversation of your own")
	require.NotContains(t, reply, "captain", "a group is not told")

	owner, err := b.Store.Users.SessionOwner(t.Context(), key)
	require.NoError(t, err)
	is, err := b.Store.Memory.Profile(t.Context(), owner.ID)
	require.NoError(t, err)
	require.Equal(t, "Ann,\ncall me captain", is.Content)
	require.Contains(t, say("ou_1", "/profile clear"), "empty now")
	require.Contains(t, say("ou_1", "/profile"), "written nothing")
}

func TestMemoryCommand_SaysWhereConversationsAreNotMemorized(t *testing.T) {
	for document, off := range map[string]bool{ingresstest.GroupPolicy: false, strings.Replace(ingresstest.GroupPolicy, "{", "{memory: {memorize: false}, ", 1): true} {
		t.Run(fmt.Sprint(off), func(t *testing.T) {
			b := recollectingBy(t, document)
			b.Receive(ingresstest.DM("m0", "ou_1", "hello"))
			require.Equal(t, off, strings.Contains(b.Receive(ingresstest.DM("m1", "ou_1", "/memory")).Reply, "switched off"))
		})
	}
}
