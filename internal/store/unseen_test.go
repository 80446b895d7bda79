package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/engine"
)

func (b *bundle) unseen(key chat.SessionKey, q chat.UnseenQuery) (out []string, entries []chat.UnseenEntry) {
	b.t.Helper()
	if q.N == 0 {
		q.N = 10
	}
	entries, err := b.Search.Unseen(b.t.Context(), key, q)
	require.NoError(b.t, err)
	for _, e := range entries {
		out = append(out, e.Who+": "+e.Text)
	}
	return out, entries
}

func TestUnseen_IsWhatACompactionOrAResetHasTakenFromTheModel(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "the Quick fox")
	b.exchange("t1", "100% sure")
	b.exchange("t2", "still seen")
	got, _ := b.unseen(key, chat.UnseenQuery{})
	require.Empty(t, got, "the model sees everything")

	b.compact(b.id("answer to 100% sure"), "summary")
	all := []string{"user: the Quick fox", "assistant: answer to the Quick fox", "user: 100% sure", "assistant: answer to 100% sure"}
	got, entries := b.unseen(key, chat.UnseenQuery{})
	require.Equal(t, all, got)
	got, _ = b.unseen(key, chat.UnseenQuery{N: 3})
	require.Equal(t, all[1:], got, "the newest")
	got, _ = b.unseen(key, chat.UnseenQuery{Before: entries[2].ID})
	require.Equal(t, all[:2], got)
	got, _ = b.unseen(key, chat.UnseenQuery{Text: "QUICK answer"})
	require.Equal(t, all[1:2], got, "every word, in any case")
	got, _ = b.unseen(key, chat.UnseenQuery{Text: "q_ick"})
	require.Empty(t, got, "nothing is a wildcard")
	_, err := b.Search.Unseen(t.Context(), key, chat.UnseenQuery{Text: strings.Repeat("word ", 40), N: 1})
	require.True(t, fault.Is(err, fault.Invalid))

	b.rewind("w1", 1, 0)
	b.reset("r1", "hello")
	got, _ = b.unseen(key, chat.UnseenQuery{})
	require.Equal(t, all, got, "what was taken back is not among it")
}

func TestUnseen_HasWhatWasOverheardAndIsNotInTheTranscript(t *testing.T) {
	b := setup(t)
	b.group()
	at := time.Now().Add(-time.Hour)
	require.True(t, b.overhear("m1", "Al", "first", at, 50))
	require.True(t, b.overhear("m2", "", "second words", at.Add(time.Second), 50))
	got, entries := b.unseen(groupKey, chat.UnseenQuery{})
	require.Equal(t, []string{"overheard Al: first", "overheard: second words"}, got)
	got, _ = b.unseen(groupKey, chat.UnseenQuery{Before: entries[1].ID})
	require.Equal(t, []string{"overheard Al: first"}, got)
	got, _ = b.unseen(groupKey, chat.UnseenQuery{Text: "WORDS"})
	require.Equal(t, []string{"overheard: second words"}, got)

	_, err := b.Turns.Accept(t.Context(), engine.NewRow{
		Session: groupKey, User: b.user.ID, Channel: "feishu", PlatformID: "m3", Text: "@bot hello", Sender: "Bob", SentAt: at.Add(2 * time.Second),
	})
	require.NoError(t, err)
	_, ok, err := b.Turns.Claim(t.Context(), groupKey, "t1", "r1", 0)
	require.NoError(t, err)
	require.True(t, ok)
	got, _ = b.unseen(groupKey, chat.UnseenQuery{})
	require.Empty(t, got, "it is in the transcript, which the model sees")

	require.True(t, b.overhear("m4", "Al", "later", at.Add(time.Minute), 50))
	var last chat.MessageID
	for _, m := range b.groupTalk(groupKey) {
		last = m.ID
	}
	c, _, err := b.Conversations.AddControl(t.Context(), groupKey, chat.Control{Kind: chat.ControlCompact, Message: last, Compaction: &chat.Compaction{Summary: "S"}})
	require.NoError(t, err)
	_, err = b.pool.Exec(t.Context(), `UPDATE sessions SET compaction_id = $1 WHERE key = $2`, c.ID, groupKey)
	require.NoError(t, err)
	got, entries = b.unseen(groupKey, chat.UnseenQuery{})
	require.Len(t, got, 3)
	require.Contains(t, got[0], "Al: first")
	require.Equal(t, []string{"user Bob: @bot hello", "overheard Al: later"}, got[1:])
	got, _ = b.unseen(groupKey, chat.UnseenQuery{Before: entries[2].ID})
	require.Len(t, got, 2, "messages follow what was overheard")
	got, _ = b.unseen(groupKey, chat.UnseenQuery{N: 1})
	require.Equal(t, []string{"overheard Al: later"}, got)
}

func TestUnseen_IsOfOneConversationAlone(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "a secret")
	b.compact(b.id("answer to a secret"), "summary")
	b.group()
	require.True(t, b.overhear("m1", "Al", "a secret of the group", time.Now(), 50))
	const other = chat.SessionKey("agent:main:web:thread:other")
	b.session(other)
	_, entries := b.unseen(key, chat.UnseenQuery{})
	require.Len(t, entries, 2)
	for _, q := range []chat.UnseenQuery{{}, {Text: "secret"}, {Before: chat.UnseenID{Message: 1 << 60}}, {Before: chat.UnseenID{Overheard: 1 << 60}}} {
		got, _ := b.unseen(other, q)
		require.Empty(t, got, "%+v: nothing of another conversation of the same person, nor of a group", q)
		got, _ = b.unseen(key, q)
		require.NotContains(t, strings.Join(got, "\n"), "group")
	}
	got, _ := b.unseen(groupKey, chat.UnseenQuery{})
	require.Equal(t, []string{"overheard Al: a secret of the group"}, got)
	got, _ = b.unseen("", chat.UnseenQuery{})
	require.Empty(t, got)
}
