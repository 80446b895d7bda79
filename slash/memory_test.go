package slash_test

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/gateway"
	"xbot/ingress/ingresstest"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/memory/view"
	"xbot/internal/turn/agentprofile"
	"xbot/internal/turn/policy"
	"xbot/slash/account"
)

// recollecting is a platform whose people can ask what is remembered of them.
func recollecting(t *testing.T) *platform {
	return recollectingBy(t, ingresstest.GroupPolicy)
}

func recollectingBy(t *testing.T, document string) *platform {
	t.Helper()
	b := bridged(t, document)
	for _, g := range b.Gateways {
		r := account.Memory{
			Memories: view.View{Conversations: b.Store.Conversations, Memory: b.Store.Memory, Settings: b.Store.Settings, Policies: g.Policies}, Turns: b.Store.Turns, Users: b.Store.Users, Base: "https://bot.example",
			Agents: &agentprofile.Resolver{Subagents: b.Store.Agents, Settings: b.Store.Settings, Policies: &policy.Live{Services: b.Store.Services, Settings: b.Store.Settings}, Log: slog.New(slog.DiscardHandler)},
		}
		g.Dispatch.Commands = ingresstest.Commands(b.Store, append(ingresstest.PlatformCommands(g), r)...)
	}
	return b
}

// keep puts something into the memory of whoever a conversation belongs to.
func (b *platform) keep(key chat.SessionKey, path, content string) {
	b.T.Helper()
	owner, err := b.Store.Users.SessionOwner(b.T.Context(), key)
	require.NoError(b.T, err)
	require.NoError(b.T, b.Store.Memory.SetMemory(b.T.Context(), owner.ID, "main", path, content))
}

func TestMemoryCommand_ShowsFindsChangesAndForgets(t *testing.T) {
	b := recollecting(t)
	key := b.Receive(ingresstest.DM("m0", "ou_1", "hello")).Session
	say := func(id, text string) string {
		out := b.Receive(ingresstest.DM(id, "ou_1", text))
		require.Equal(t, gateway.ResultAnswered, out.Result, text)
		return out.Reply
	}
	require.Contains(t, say("m1", "/memory"), "Nothing of the kind")
	b.keep(key, "likes.md", "- green tea\n- long walks")
	require.Contains(t, say("m2", "/memory"), "green tea")
	require.Contains(t, say("m3", "/memory search GREEN"), "note/likes.md")
	require.Contains(t, say("m4", "/memory search coffee"), "Nothing of the kind")
	require.Contains(t, say("m5", "/memory edit human Ann, a gardener\nwho takes long walks in Lindau"), "block/human")
	require.Contains(t, say("m6", "/memory"), "in Lindau")
	require.Contains(t, say("m7", "/memory edit working_context plants roses"), "block/working_context/"+string(key))
	require.Contains(t, say("m8", "/memory edit human"), "Write `/memory`")
	asked := say("m9", "/memory forget long")
	require.Contains(t, asked, "`/memory forget long --all`", "several things hold it")
	require.Contains(t, say("m10", "/memory"), "green tea", "nothing was forgotten")
	require.Contains(t, say("m11", "/memory forget tea"), "Deleted, 1")
	require.NotContains(t, say("m12", "/memory"), "green tea")
	require.Contains(t, say("m13", "/memory forget long --all"), "Deleted, ")
	require.NotContains(t, say("m14", "/memory"), "Lindau")
	require.Contains(t, say("m15", "/memory export"), "https://bot.example/api/memory/export?agent=main")
	require.Contains(t, say("m16", "/memory log"), "Nothing of the kind")
	require.Contains(t, say("m17", "/memory 什么"), "用法")
}

func TestMemoryCommand_NobodyIsToldWhatIsRememberedOfAnother(t *testing.T) {
	b := recollecting(t)
	one, two := b.Receive(ingresstest.DM("a0", "ou_1", "hello")).Session, b.Receive(ingresstest.DM("b0", "ou_2", "hello")).Session
	e := ingresstest.InGroup("g0", "ou_1", "hello")
	e.Mentioned = true
	team := b.Receive(e).Session
	b.keep(one, "x.md", "one keeps bees")
	b.keep(two, "x.md", "two keeps goats")
	b.keep(team, "x.md", "the team keeps minutes")
	for i, ask := range []string{"/memory", "/memory search keeps", "/memory forget keeps", "/memory log", "/memory export", "/memory forget x.md --nothing"} {
		id := string(rune('a' + i))
		mine := b.Receive(ingresstest.DM("x1"+id, "ou_1", ask)).Reply
		theirs := b.Receive(ingresstest.DM("x2"+id, "ou_2", ask)).Reply
		e := ingresstest.InGroup("x3"+id, "ou_1", ask)
		e.Mentioned = true
		ours := b.Receive(e).Reply
		for _, other := range []string{"goats", "minutes"} {
			require.NotContains(t, mine, other, ask)
		}
		for _, other := range []string{"bees", "minutes"} {
			require.NotContains(t, theirs, other, ask)
		}
		for _, other := range []string{"bees", "goats"} {
			require.NotContains(t, ours, other, ask)
		}
	}
	e = ingresstest.InGroup("y", "ou_1", "/memory")
	e.Mentioned = true
	require.Contains(t, b.Receive(e).Reply, "minutes", "what is remembered of a group is for the group")
	e = ingresstest.InGroup("z", "ou_2", "/memory forget minutes")
	e.Mentioned = true
	require.Contains(t, b.Receive(e).Reply, i18n.Say(i18n.English, i18n.MemoryGroup), "and changed by administrators")
}

func TestMemoryCommand_SaysDaysAsWhoAsksReadsThem(t *testing.T) {
	b := recollecting(t)
	key := b.Receive(ingresstest.DM("m0", "ou_1", "hello")).Session
	b.keep(key, "likes.md", "green tea")
	_, err := b.Pool.Exec(t.Context(), "UPDATE memories SET updated_at = '2026-01-01T12:00:00Z'")
	require.NoError(t, err)
	require.Contains(t, b.Receive(ingresstest.DM("m1", "ou_1", "/memory")).Reply, "2026-01-01")
	owner, err := b.Store.Users.SessionOwner(t.Context(), key)
	require.NoError(t, err)
	_, err = b.Store.Memory.SetProfile(t.Context(), owner.ID, chat.UserProfile{Timezone: "Pacific/Kiritimati"})
	require.NoError(t, err)
	require.Contains(t, b.Receive(ingresstest.DM("m2", "ou_1", "/memory")).Reply, "2026-01-02", "it is 14 hours ahead of UTC")
}
