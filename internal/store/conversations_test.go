package store_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/conversation"
)

// line puts a message into a conversation.
func (b *bundle) line(key chat.SessionKey, role chat.Role, text string) {
	b.t.Helper()
	_, err := b.pool.Exec(b.t.Context(), "INSERT INTO messages (session_key, role, content) VALUES ($1, $2, $3)", key, role, text)
	require.NoError(b.t, err)
}

func (b *bundle) conversation(key chat.SessionKey, owner chat.UserID, agent string, kind chat.ChatType) {
	b.t.Helper()
	_, err := b.Conversations.CreateSession(b.t.Context(), conversation.NewSession{Key: key, Owner: owner, Channel: "web", Agent: agent, ChatType: kind})
	require.NoError(b.t, err)
}

func texts(said []chat.PastEntry) (out []string) {
	for _, s := range said {
		out = append(out, s.Text)
	}
	return out
}

func TestConversation_IsReadByItsPersonAndItsAgentsAlone(t *testing.T) {
	b := setup(t)
	bob := b.member("bob")
	mine, ops, theirs := chat.SessionKey("agent:main:web:thread:mine"), chat.SessionKey("agent:ops:web:thread:mine"), chat.SessionKey("agent:main:web:thread:theirs")
	b.conversation(mine, b.user.ID, "main", "")
	b.conversation(ops, b.user.ID, "ops", "")
	b.conversation(theirs, bob.ID, "main", "")
	b.conversation("agent:main:subagent:x", b.user.ID, "main", chat.ChatSubagent)
	for _, key := range []chat.SessionKey{mine, ops, theirs, "agent:main:subagent:x"} {
		for i := range 3 {
			b.line(key, chat.RoleUser, fmt.Sprint(key, " ", i))
		}
	}
	with := chat.Agents{Except: []string{"ops"}}
	said, err := b.Search.Conversation(t.Context(), b.user.ID, with, mine, 0, 2)
	require.NoError(t, err)
	require.Equal(t, []string{string(mine) + " 1", string(mine) + " 2"}, texts(said))
	said, err = b.Search.Conversation(t.Context(), b.user.ID, with, mine, said[0].Message, 2)
	require.NoError(t, err)
	require.Equal(t, []string{string(mine) + " 0"}, texts(said))
	for _, key := range []chat.SessionKey{ops, theirs, "agent:main:subagent:x", "agent:main:web:thread:none"} {
		said, err = b.Search.Conversation(t.Context(), b.user.ID, with, key, 0, 10)
		require.NoError(t, err)
		require.Empty(t, said, key)
	}
	all, err := b.Search.Conversations(t.Context(), b.user.ID, with, 10)
	require.NoError(t, err)
	var keys []chat.SessionKey
	for _, c := range all {
		keys = append(keys, c.Session)
	}
	require.ElementsMatch(t, []chat.SessionKey{key, mine}, keys)
	only, err := b.Search.Conversations(t.Context(), b.user.ID, chat.Agents{Only: []string{"ops"}}, 10)
	require.NoError(t, err)
	require.Len(t, only, 1)
}

func TestLately_IsTheConversationOfThePersonThatAJobHasToDoWith(t *testing.T) {
	b := setup(t)
	bob := b.member("bob")
	job, at := chat.SessionKey("cron:job_00000001"), func(name string) chat.SessionKey { return chat.SessionKey("agent:main:web:thread:" + name) }
	b.conversation(job, b.user.ID, "main", chat.ChatCron)
	for _, name := range []string{"home", "place", "newest"} {
		b.conversation(at(name), b.user.ID, "main", "")
		b.line(at(name), chat.RoleUser, "older in "+name)
		b.line(at(name), chat.RoleAssistant, "said in "+name)
	}
	b.conversation(at("bob"), bob.ID, "main", "")
	b.line(at("bob"), chat.RoleUser, "of bob")
	b.conversation("agent:ops:web:thread:x", b.user.ID, "ops", "")
	_, err := b.pool.Exec(t.Context(), "UPDATE sessions SET last_interaction_at = now() + interval '1 hour' WHERE key IN ($1, $2, 'agent:ops:web:thread:x')", at("newest"), at("bob"))
	require.NoError(t, err)
	lately := func(n int) []string {
		said, err := b.Search.RecentMessages(t.Context(), job, n)
		require.NoError(t, err)
		return texts(said)
	}
	require.Equal(t, []string{"older in newest", "said in newest"}, lately(5), "the one that was used last")
	_, err = b.pool.Exec(t.Context(), "INSERT INTO cron_jobs (id, user_id, made_by, home, agent, name, message, kind, every_s, zone, missed, max_age_s, state) VALUES ('job_00000001', $1, 'x', $2, 'main', 'n', 'm', 'every', 3600, 'UTC', 'once', 60, 'paused')", b.user.ID, at("home"))
	require.NoError(t, err)
	require.Equal(t, []string{"said in home"}, lately(1), "where it was made")
	for place, want := range map[string]string{"place": "said in place", "bob": "said in home"} {
		_, err = b.pool.Exec(t.Context(), "UPDATE cron_jobs SET deliver = $1", at(place))
		require.NoError(t, err)
		require.Equal(t, []string{want}, lately(1), "where its answers go, but never to what is another's")
	}
}

func TestMemorize_NothingIsNotedWhereThePolicySaysSo(t *testing.T) {
	b := setup(t)
	off := func(body string) {
		_, err := b.pool.Exec(t.Context(), "INSERT INTO policies (body) VALUES ($1)", body)
		require.NoError(t, err)
	}
	off(`{"memory": {"memorize": false}}`)
	b.exchange("t0", "first: "+lasting)
	b.reset("r1", "hello")
	require.Empty(t, b.jobs())
	off(`{"memory": {"memorize": false}, "agents": {"list": [{"id": "main", "memorySwitches": {"memorize": true}}]}}`)
	b.exchange("t1", "second: "+lasting)
	b.reset("r2", "hello")
	require.Len(t, b.jobs(), 1, "what is said of the agent stands above")
	require.Equal(t, []string{"second: " + lasting, "answer to second: " + lasting}, b.goesIntoMemory(b.jobs()[0]), "what went meanwhile stays forgotten")
}

func TestScene_HasTheProfileOfWhoWritesInTheirOwnConversation(t *testing.T) {
	b := setup(t)
	bob := b.member("bob")
	for _, user := range []chat.UserID{b.user.ID, bob.ID} {
		_, err := b.Memory.SetProfile(t.Context(), user, chat.UserProfile{Content: fmt.Sprint("user ", user), Timezone: "Asia/Shanghai"})
		require.NoError(t, err)
	}
	b.send("1", "hello")
	b.claim("t1")
	b.begin("t1", 0)
	scene, err := b.Turns.Scene(t.Context(), key, "t1")
	require.NoError(t, err)
	require.Equal(t, fmt.Sprint("user ", b.user.ID), scene.Profile)
	require.Equal(t, "Asia/Shanghai", scene.Timezone)
	_, err = b.pool.Exec(t.Context(), "UPDATE turns SET user_id = $1 WHERE id = 't1'", bob.ID)
	require.NoError(t, err)
	scene, err = b.Turns.Scene(t.Context(), key, "t1")
	require.NoError(t, err)
	require.Empty(t, scene.Profile, "who writes in the conversation of another one is told neither's")
	require.Empty(t, scene.Timezone)
}
