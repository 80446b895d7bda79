package store_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/memory/lexical"
	"xbot/internal/memory/lexical/lexicaltest"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/search"
	"xbot/internal/user/users"
)

func (b *bundle) search(q string) (found []string) {
	b.t.Helper()
	got, err := b.Search.Search(b.t.Context(), b.inbound("", "").User, q, 10)
	require.NoError(b.t, err)
	for _, f := range got {
		found = append(found, f.Snippet)
	}
	return found
}

func TestSearch_FindsWhatWasSaidAlsoBeforeAReset(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "the Quick brown fox")
	b.exchange("t1", "我们今天去北京看天气")
	b.reset("r1", "hello")
	b.exchange("t2", "a quick answer, 100% sure")
	b.exchange("t3", "taken back quick")
	b.rewind("w1", 1, 0)

	require.Equal(t, []string{
		"answer to a quick answer, 100% sure", "a quick answer, 100% sure", "answer to the Quick brown fox", "the Quick brown fox",
	}, b.search("QUICK"), "newest first, in any case, without what was taken back")
	require.Len(t, b.search("brown quick"), 2, "every word, in any order")
	require.Equal(t, []string{"answer to 我们今天去北京看天气", "我们今天去北京看天气"}, b.search("北京"))
	require.Len(t, b.search("天气 今天"), 2)
	require.Len(t, b.search("100%"), 2)
	require.Empty(t, b.search("q_ick"), "nothing is a wildcard")
	require.Empty(t, b.search("new"), "commands and their answers are no messages")
	require.Empty(t, b.search(`\`))
}

func TestSearch_ShowsThePartOfALongMessageAroundTheWord(t *testing.T) {
	b := setup(t)
	b.exchange("t0", strings.Repeat("x ", 5000)+"needle"+strings.Repeat(" y", 5000))
	found := b.search("needle")
	require.Len(t, found, 2)
	for _, f := range found {
		require.Contains(t, f, "needle")
		require.Less(t, len(f), 300)
	}
}

func TestSearch_IsOfOnesOwnConversations(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "secret plan")
	other, err := b.Users.CreateUser(t.Context(), "bob", users.RoleMember)
	require.NoError(t, err)
	got, err := b.Search.Search(t.Context(), other.ID, "secret", 10)
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestSearch_RefusesNothingAndTooMuch(t *testing.T) {
	b := setup(t)
	for _, q := range []string{"", " \n", strings.Repeat("a ", 33), strings.Repeat("a", 500)} {
		_, err := b.Search.Search(t.Context(), chat.UserID(1), q, 10)
		require.True(t, fault.Is(err, fault.Invalid), q)
	}
}

func TestSearch_FindsByWords(t *testing.T) {
	b := setup(t)
	for _, c := range lexicaltest.Cases() {
		b.append(chat.Message{Session: key, Role: chat.RoleUser, Content: c.Text})
	}
	db := pg.New(b.pool, nil)
	byIndex, byConversation := search.New(db), search.New(db)
	byConversation.RareHits = 0
	for _, c := range lexicaltest.Cases() {
		if strings.TrimSpace(c.Query) == "" {
			continue
		}
		for _, s := range []*search.Store{byIndex, byConversation} {
			found, err := s.Search(t.Context(), b.user.ID, c.Query, 1000)
			require.NoError(t, err, c.Query)
			hit := slices.ContainsFunc(found, func(f chat.Found) bool { return f.Snippet == c.Text })
			require.Equal(t, c.Found, hit, "%q in %q, rare: %d", c.Query, c.Text, s.RareHits)
		}
	}
}

func TestSearch_FindsWhatPeopleSeeAndNothingHidden(t *testing.T) {
	b := setup(t)
	shown := "what people see: pancake"
	require.NoError(t, pg.New(b.pool, nil).InTx(t.Context(), func(tx *pg.Tx) error {
		return conversation.AppendShown(t.Context(), tx, &chat.Message{Session: key, Role: chat.RoleUser, Content: "what the model sees: waffle"}, "", nil, &shown)
	}))
	b.append(chat.Message{Session: key, Role: chat.RoleNotice, Content: "a notice of a pancake"})
	b.append(chat.Message{Session: key, Role: chat.RoleUser, Origin: chat.OriginCommand, Content: "/pancake"})
	b.append(chat.Message{Session: key, Role: chat.RoleAssistant, Silent: true, Content: "a silent pancake"})
	require.Equal(t, []string{shown}, b.search("pancake"))
	require.Empty(t, b.search("waffle"))

	made := b.fork(conversation.NewFork{})
	require.Equal(t, []string{shown, shown}, b.search("pancake"), "the copy is found, too")
	require.NoError(t, b.Agents.DeleteSession(t.Context(), made.Key))
	require.Equal(t, []string{shown}, b.search("pancake"), "the deleted copy is not")
	require.NoError(t, b.Agents.DeleteSession(t.Context(), key))
	require.Empty(t, b.search("pancake"))
	var left int
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT count(*) FROM message_words").Scan(&left))
	require.Zero(t, left)
}

func TestSearch_FindsTheNewestOfFrequentWordsAndAlsoOldOnes(t *testing.T) {
	b := setup(t)
	b.Search.RareHits = 0
	for _, text := range []string{"old pancake", "older waffle"} {
		b.append(chat.Message{Session: key, Role: chat.RoleUser, Content: text})
	}
	_, err := b.pool.Exec(t.Context(), "SELECT setval(pg_get_serial_sequence('messages', 'id'), 1000000)")
	require.NoError(t, err)
	b.append(chat.Message{Session: key, Role: chat.RoleUser, Content: "new pancake"})
	require.Equal(t, []string{"new pancake", "old pancake"}, b.search("pancake"))
	require.Equal(t, []string{"older waffle"}, b.search("waffle"))
	newest, err := b.Search.Search(t.Context(), b.user.ID, "pancake", 1)
	require.NoError(t, err)
	require.Equal(t, "new pancake", newest[0].Snippet)
}

func TestIndexWords_IndexesWhatAnOlderVersionStored(t *testing.T) {
	b := setup(t)
	for i := range 250 { // without words, as versions wrote them before there was an index
		b.line(key, chat.RoleUser, fmt.Sprintf("old pancake %d 北京", i))
	}
	b.line(key, chat.RoleNotice, "a notice of a pancake")
	w := chat.MemoryOwner{User: b.user.ID, Agent: "main"}
	_, err := b.Memory.Archive(t.Context(), w, "", chat.ArchivalEntry{Content: "likes crème"}, 0)
	require.NoError(t, err)
	_, err = b.pool.Exec(t.Context(), "UPDATE archival_memory SET words = array_to_tsvector(ARRAY['likes', 'crème'])")
	require.NoError(t, err)
	b.append(chat.Message{Session: key, Role: chat.RoleUser, Content: "new pancake"})
	require.Equal(t, []string{"new pancake"}, b.search("pancake"))

	b.Search.IndexPause = time.Millisecond
	var all sync.WaitGroup
	failed := make(chan error, 3)
	for range 3 { // several processes at once
		all.Go(func() { failed <- b.Search.IndexWords(t.Context(), slog.New(slog.DiscardHandler)) })
	}
	all.Wait()
	for range 3 {
		require.NoError(t, <-failed)
	}
	found, err := b.Search.Search(t.Context(), b.user.ID, "pancake", 1000)
	require.NoError(t, err)
	require.Len(t, found, 251)
	require.Equal(t, []string{"old pancake 7 北京"}, b.search("7 北京"))
	ids, err := b.Memory.ArchiveSearch(t.Context(), w, "creme", 10)
	require.NoError(t, err)
	require.Len(t, ids, 1)
	require.NoError(t, b.Search.IndexWords(t.Context(), slog.New(slog.DiscardHandler)), "nothing is left to do")
}

func TestIndexWords_OfACopyThatIsMadeMeanwhile(t *testing.T) {
	b := setup(t)
	b.line(key, chat.RoleUser, "old pancake")
	_, err := b.pool.Exec(t.Context(), "UPDATE word_indexes SET version = $1, below = CASE name WHEN 'messages' THEN 1 ELSE 0 END", lexical.Version)
	require.NoError(t, err)
	b.fork(conversation.NewFork{})
	require.NoError(t, b.Search.IndexWords(t.Context(), slog.New(slog.DiscardHandler)))
	require.Equal(t, []string{"old pancake", "old pancake"}, b.search("pancake"))
}

// append writes a message as turns do.
func (b *bundle) append(m chat.Message) {
	b.t.Helper()
	require.NoError(b.t, pg.New(b.pool, nil).InTx(b.t.Context(), func(tx *pg.Tx) error { return conversation.AppendMessage(b.t.Context(), tx, &m, "") }))
}
