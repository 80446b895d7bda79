package letta_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"github.com/tiktoken-go/tokenizer"

	"xbot/internal/chat"
	"xbot/internal/memory/archive"
	"xbot/internal/memory/embed/embedtest"
	"xbot/internal/pg"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/tool"
	"xbot/internal/tool/letta"
	"xbot/internal/tool/tooltest"
	"xbot/internal/turn/agentprofile"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/policy"
	"xbot/internal/user/users"
)

type bench struct {
	*store.Store

	pool  *pgxpool.Pool
	t     *testing.T
	tools *tool.Registry
	users map[string]chat.UserID
	calls int
}

func setup(t *testing.T) *bench {
	t.Helper()
	t.Parallel()
	pool := pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate)
	s := store.New(pool, store.Options{})
	b := &bench{Store: s, pool: pool, t: t, users: map[string]chat.UserID{}}
	who := &agentprofile.Resolver{Subagents: s.Agents, Settings: s.Settings, Policies: &policy.Live{Services: s.Services, Settings: s.Settings}, Log: slog.New(slog.DiscardHandler)}
	a := archive.New(s.Memory, &embedtest.Embedder{Thesaurus: map[string]string{"automobile": "car"}}, slog.New(slog.DiscardHandler))
	b.tools = tool.New(
		letta.NewAppend(who, s.Memory), letta.NewReplace(who, s.Memory), letta.NewRethink(who, s.Memory), letta.NewInsert(who, a, s.Turns), letta.NewSearch(who, a, s.Turns),
		letta.NewRecall(agentprofile.Past{Memory: s.Memory, Search: s.Search, Profiles: who}, s.Turns),
	)
	for _, name := range []string{"alice", "bob"} {
		user, err := s.Users.CreateUser(t.Context(), name, users.RoleMember)
		require.NoError(t, err)
		b.users[name] = user.ID
		b.session(name, key(name, "t"))
	}
	return b
}

func key(name, thread string) chat.SessionKey {
	return chat.SessionKey("agent:main:web:thread:" + name + thread)
}

func (b *bench) session(name string, key chat.SessionKey) {
	_, err := b.Conversations.CreateSession(b.t.Context(), conversation.NewSession{Key: key, Owner: b.users[name], Channel: "web"})
	require.NoError(b.t, err)
}

// call runs a tool for somebody, in their first conversation, and says it twice: a repeated call says and does the same.
func (b *bench) call(name, tool, arguments string) string {
	b.t.Helper()
	b.calls++
	call := tooltest.New(b.t).Call(chat.CallID(fmt.Sprint("turn.0.", b.calls)), arguments)
	call.User, call.Session = b.users[name], key(name, "t")
	first, err := b.tools.Run(b.t.Context(), tool, call)
	require.NoError(b.t, err)
	again, err := b.tools.Run(b.t.Context(), tool, call)
	require.NoError(b.t, err)
	if !strings.HasPrefix(tool, "archival") {
		require.Equal(b.t, first, again)
	}
	require.Equal(b.t, first.IsError, strings.HasPrefix(first.Content, "Error: "))
	return first.Content
}

func (b *bench) blocks(name string) map[chat.Block]string {
	got, err := b.Memory.Blocks(b.t.Context(), chat.MemoryOwner{User: b.users[name], Agent: "main"}, key(name, "t"))
	require.NoError(b.t, err)
	return got
}

func TestCore_BlocksAreWrittenOnceACallAndWithinTheirLimits(t *testing.T) {
	b := setup(t)
	require.Equal(t, "human has 9 of 2000 characters now.", b.call("alice", "core_memory_append", `{"block":"human","content":" Likes tea"}`))
	require.Equal(t, "human has 16 of 2000 characters now.", b.call("alice", "core_memory_append", `{"block":"Human","content":"叫爱丽丝吧喵"}`))
	require.Equal(t, "Likes tea\n叫爱丽丝吧喵", b.blocks("alice")[chat.BlockHuman])
	b.call("alice", "core_memory_replace", `{"block":"human","old_text":"tea","new_text":"oolong"}`)
	require.Equal(t, "Likes oolong\n叫爱丽丝吧喵", b.blocks("alice")[chat.BlockHuman])
	require.Contains(t, b.call("alice", "core_memory_replace", `{"block":"human","old_text":"tea","new_text":"x"}`), "occurs 0 times")
	require.Contains(t, b.call("alice", "core_memory_replace", `{"block":"human","old_text":"o","new_text":"x"}`), "occurs 3 times")
	require.Contains(t, b.call("alice", "core_memory_append", `{"block":"humans","content":"x"}`), "there is no block")
	require.Contains(t, b.call("alice", "core_memory_append", `{"block":"human","content":" "}`), "content is empty")

	full := strings.Repeat("字", 4000)
	require.Equal(t, "working_context has 4000 of 4000 characters now.", b.call("alice", "rethink", `{"block":"working_context","new_content":"`+full+`","reasoning":"all"}`))
	require.Contains(t, b.call("alice", "core_memory_append", `{"block":"working_context","content":"!"}`), "shorten it by 2")
	require.Equal(t, full, b.blocks("alice")[chat.BlockWorking], "what is refused changes nothing")
	require.Equal(t, "working_context has 0 of 4000 characters now.", b.call("alice", "rethink", `{"block":"working_context","new_content":""}`))
	require.Empty(t, b.blocks("bob"))
}

func TestArchival_IsFoundByItsPersonAlone(t *testing.T) {
	b := setup(t)
	require.Regexp(t, `^Kept as a\d+\.$`, b.call("alice", "archival_memory_insert", `{"content":"Drives an automobile"}`))
	require.Contains(t, b.call("alice", "archival_memory_insert", `{"content":"drives an Automobile."}`), "Not kept, since an entry says the same:\na1 (")
	require.Contains(t, b.call("alice", "archival_memory_search", `{"query":"car"}`), "Drives an automobile")
	require.Contains(t, b.call("bob", "archival_memory_search", `{"query":"car automobile"}`), "Nothing is found.")
	require.Contains(t, b.call("bob", "archival_memory_insert", `{"content":"Walks","replaces":"a1"}`), "no such entry", "nobody replaces what is another's")

	said := b.call("alice", "archival_memory_insert", `{"content":"Sold the automobile","replaces":"[a1]"}`)
	require.Contains(t, said, "Kept as a")
	require.NotContains(t, b.call("alice", "archival_memory_search", `{"query":"automobile"}`), "Drives")
	require.Contains(t, b.call("alice", "archival_memory_insert", `{"content":"x","replaces":"first"}`), "such as a12")
}

func TestRecall_FindsWhatAPersonSaidByWordsAndTime(t *testing.T) {
	b := setup(t)
	b.say("alice", key("alice", "old"), "We fly to Berlin in June", "noted, Berlin")
	b.say("alice", key("alice", "t"), "what did I say of Berlin", "let me see")
	b.say("bob", key("bob", "old"), "I hate Berlin", "ok")
	found := b.call("alice", "recall_memory_search", `{"query":"When do we fly to Berlin?"}`)
	require.Contains(t, found, "user] We fly to Berlin in June")
	require.NotContains(t, found, "what did I say", "what the model sees anyway is left out")
	require.NotContains(t, found, "hate")
	require.Contains(t, b.call("alice", "recall_memory_search", `{"query":"Berlin paris london"}`), "noted, Berlin", "any word is better than none")
	require.Contains(t, b.call("alice", "recall_memory_search", `{"start_date":"2020-01-01"}`), "We fly")
	require.Contains(t, b.call("alice", "recall_memory_search", `{"end_date":"2020-01-01"}`), "Nothing is found.")
	require.Contains(t, b.call("alice", "recall_memory_search", `{}`), "nothing to search for")
	require.Contains(t, b.call("alice", "recall_memory_search", `{"start_date":"in June"}`), "write it as 2026-11-22")
	require.Contains(t, b.call("alice", "recall_memory_search", `{"query":"100% of_it"}`), "Nothing is found.")
}

func TestTools_OfMemoryMeanDaysAsThePersonDoes(t *testing.T) {
	b := setup(t)
	_, err := b.Memory.SetProfile(t.Context(), b.users["alice"], chat.UserProfile{Timezone: "Asia/Shanghai"})
	require.NoError(t, err)
	b.call("alice", "archival_memory_insert", `{"content":"the boiler is green"}`)
	b.say("alice", key("alice", "old"), "We fly to Berlin in June", "noted")
	for _, late := range []string{"UPDATE archival_memory SET at = '2026-11-20 23:30Z'", "UPDATE messages SET created_at = '2026-11-20 23:30Z'"} {
		_, err := b.pool.Exec(t.Context(), late)
		require.NoError(t, err)
	}
	require.Contains(t, b.call("alice", "archival_memory_search", `{"query":"boiler"}`), "(2026-11-21): the boiler is green")
	require.Contains(t, b.call("alice", "archival_memory_insert", `{"content":"the boiler is green"}`), "(2026-11-21): the boiler is green")
	require.Contains(t, b.call("alice", "recall_memory_search", `{"query":"Berlin"}`), "[2026-11-21 07:30 user] We fly")
	require.Contains(t, b.call("alice", "recall_memory_search", `{"start_date":"2026-11-21","end_date":"2026-11-21"}`), "We fly")
	require.Contains(t, b.call("alice", "recall_memory_search", `{"end_date":"2026-11-20"}`), "Nothing is found.")
}

// say adds a turn to a conversation.
func (b *bench) say(name string, key chat.SessionKey, text, answer string) {
	b.t.Helper()
	ctx := b.t.Context()
	if _, _, err := b.Conversations.Session(ctx, key); err != nil {
		b.session(name, key)
	}
	turn := chat.TurnID(fmt.Sprint(key, "-", text))
	_, err := b.Turns.Accept(ctx, engine.NewRow{Session: key, User: b.users[name], Channel: "web", PlatformID: text, Text: text})
	require.NoError(b.t, err)
	_, ok, err := b.Turns.Claim(ctx, key, turn, string(turn), 0)
	require.NoError(b.t, err)
	require.True(b.t, ok)
	step := chat.Step{Session: key, Turn: turn}
	_, _, _, err = b.Turns.BeginStep(ctx, step)
	require.NoError(b.t, err)
	_, err = b.Turns.CommitStep(ctx, step, chat.Answer{Text: answer, Finish: "stop"})
	require.NoError(b.t, err)
	_, err = b.Turns.FinishTurn(ctx, key, turn, chat.TurnDone, "")
	require.NoError(b.t, err)
}

func TestTools_OfMemoryCostFewTokens(t *testing.T) {
	b := setup(t)
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	require.NoError(t, err)
	total := 0
	for _, spec := range b.tools.Specs() {
		text, err := json.Marshal(map[string]any{"type": "function", "function": map[string]any{
			"name": spec.Name, "description": spec.Description, "parameters": spec.Parameters,
		}})
		require.NoError(t, err)
		n, err := codec.Count(string(text))
		require.NoError(t, err)
		t.Logf("%-24s %4d tokens", spec.Name, n)
		total += n
	}
	t.Logf("%-24s %4d tokens", "total", total)
	require.LessOrEqual(t, total, 450)
}

func TestTools_OfAMemoryAreOfItsProvider(t *testing.T) {
	t.Parallel()
	for name, provider := range map[string]string{"memory_write": "flat", "core_memory_append": "letta", "Read": "any"} {
		for _, p := range []string{"flat", "letta"} {
			require.Equal(t, provider == p || provider == "any", agentprofile.Profile{Provider: p}.Has(name), "%s under %s", name, p)
		}
	}
}
