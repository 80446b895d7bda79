package store_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/user/users"
)

func (b *bundle) block(w chat.MemoryOwner, session chat.SessionKey, key string, block chat.Block, content string) error {
	_, err := b.Memory.EditBlock(b.t.Context(), w, session, key, block, func(string) (string, string, error) { return content, "written", nil })
	return err
}

func (b *bundle) blocks(w chat.MemoryOwner, session chat.SessionKey) map[chat.Block]string {
	b.t.Helper()
	got, err := b.Memory.Blocks(b.t.Context(), w, session)
	require.NoError(b.t, err)
	return got
}

func TestEditBlock_TheWorkingContextIsOfAConversationTheOthersOfThePerson(t *testing.T) {
	b := setup(t)
	other := b.member("bob")
	me := chat.MemoryOwner{User: b.user.ID, Agent: "main"}
	require.NoError(t, b.block(me, "s1", "1", chat.BlockHuman, "Alice"))
	require.NoError(t, b.block(me, "s1", "2", chat.BlockWorking, "writes a book"))
	require.NoError(t, b.block(me, "s2", "3", chat.BlockPersona, "brief"))
	require.Equal(t, map[chat.Block]string{chat.BlockHuman: "Alice", chat.BlockPersona: "brief", chat.BlockWorking: "writes a book"}, b.blocks(me, "s1"))
	require.Equal(t, map[chat.Block]string{chat.BlockHuman: "Alice", chat.BlockPersona: "brief"}, b.blocks(me, "s2"))
	require.Empty(t, b.blocks(chat.MemoryOwner{User: b.user.ID, Agent: "ops"}, "s1"), "another agent has a memory of its own")
	require.Empty(t, b.blocks(chat.MemoryOwner{User: other.ID, Agent: "main"}, "s1"))
}

func TestEditBlock_HoldsSoManyCharacters(t *testing.T) {
	b := setup(t)
	me := chat.MemoryOwner{User: b.user.ID, Agent: "main"}
	for block, most := range map[chat.Block]int{chat.BlockHuman: 2000, chat.BlockPersona: 2000, chat.BlockWorking: 4000} {
		require.NoError(t, b.block(me, "s", "", block, strings.Repeat("字", most)), "characters, not bytes")
		err := b.block(me, "s", "", block, strings.Repeat("字", most+3))
		require.Equal(t, fault.TooLarge, fault.KindOf(err))
		require.ErrorContains(t, err, "shorten it by 3")
	}
	require.Equal(t, fault.Invalid, fault.KindOf(b.block(me, "s", "", "other", "x")))
}

func TestEditBlock_AKeyWritesOnceWhoeverComesTogether(t *testing.T) {
	b := setup(t)
	me := chat.MemoryOwner{User: b.user.ID, Agent: "main"}
	said := make([]string, 10)
	var wg sync.WaitGroup
	for i := range said {
		wg.Go(func() {
			said[i], _ = b.Memory.EditBlock(t.Context(), me, "s", fmt.Sprint("call", i%2), chat.BlockHuman, func(was string) (string, string, error) {
				return was + "x", fmt.Sprintf("after %d", len(was)), nil
			})
		})
	}
	wg.Wait()
	require.Equal(t, "xx", b.blocks(me, "s")[chat.BlockHuman])
	for i := range said {
		require.Equal(t, said[i%2], said[i], "whoever repeats a call reads what it said")
	}
}

func TestMemorize_WritesAllOrNothing(t *testing.T) {
	b := setup(t)
	me := chat.MemoryOwner{User: b.user.ID, Agent: "main"}
	id, err := b.Memory.Archive(t.Context(), me, "", chat.ArchivalEntry{Content: "old"}, 0)
	require.NoError(t, err)
	m := chat.Memorized{
		Key: "k", Session: "s", From: time.Now(), To: time.Now(), History: "talked",
		Blocks:  []chat.BlockChange{{Block: chat.BlockHuman, Content: "Alice"}},
		Archive: []chat.ArchivalEntry{{Content: "new"}}, Delete: []chat.ArchivalID{id, id + 100},
	}
	_, err = b.Memory.Memorize(t.Context(), me, m)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
	require.Empty(t, b.blocks(me, "s"))
	m.Delete = m.Delete[:1]
	for _, want := range []bool{true, false} {
		fresh, err := b.Memory.Memorize(t.Context(), me, m)
		require.NoError(t, err)
		require.Equal(t, want, fresh)
	}
	list, err := b.Memory.ArchiveList(t.Context(), me, 0, 10)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "new", list[0].Content)
	m.Key, m.Delete = "k2", nil
	_, err = b.Memory.Memorize(t.Context(), me, m)
	require.Equal(t, fault.Conflict, fault.KindOf(err), "the block is not empty any more")
}

func TestMemoryLog_IsSearchedByTimeAndWords(t *testing.T) {
	b := setup(t)
	me := chat.MemoryOwner{User: b.user.ID, Agent: "main"}
	day := func(n int) time.Time { return time.Date(2026, 11, n, 12, 0, 0, 0, time.UTC) }
	for i, text := range []string{"Booked a flight to Berlin", "讨论了去北京的航班", "Fixed the tests"} {
		_, err := b.Memory.Memorize(t.Context(), me, chat.Memorized{Key: text, Session: "s", From: day(i + 1), To: day(i + 1), History: text})
		require.NoError(t, err)
	}
	find := func(query string, from, to int) (out []string) {
		got, err := b.Memory.MemoryLog(t.Context(), me, query, day(from), day(to), 10)
		require.NoError(t, err)
		for _, e := range got {
			out = append(out, e.Entry)
		}
		return out
	}
	require.Equal(t, []string{"Fixed the tests", "讨论了去北京的航班", "Booked a flight to Berlin"}, find("", 1, 9))
	require.Equal(t, []string{"讨论了去北京的航班"}, find("北京", 1, 9))
	require.Equal(t, []string{"Booked a flight to Berlin"}, find("flights", 1, 9))
	require.Empty(t, find("flights", 2, 9))
	require.Equal(t, []string{"讨论了去北京的航班"}, find("", 2, 3))
	other, err := b.Memory.MemoryLog(t.Context(), chat.MemoryOwner{User: b.user.ID, Agent: "ops"}, "", day(1), day(9), 10)
	require.NoError(t, err)
	require.Empty(t, other)
}

func TestLink_BlocksArchiveAndLogComeWithThePerson(t *testing.T) {
	b := setup(t)
	one, _ := b.met("feishu", "ou_1")
	two, _ := b.met("qq", "u2")
	of := func(u users.User) chat.MemoryOwner { return chat.MemoryOwner{User: u.ID, Agent: "main"} }
	require.NoError(t, b.block(of(one), "s", "", chat.BlockHuman, "Alice"))
	require.NoError(t, b.block(of(two), "s", "", chat.BlockHuman, "Bob"))
	require.NoError(t, b.block(of(two), "s", "", chat.BlockPersona, "brief"))
	_, err := b.Memory.Archive(t.Context(), of(two), "call", chat.ArchivalEntry{Content: "likes tea", Embedding: []float32{1}, Model: "m"}, 0)
	require.NoError(t, err)
	_, err = b.Memory.Memorize(t.Context(), of(two), chat.Memorized{Key: "k", Session: "s", History: "talked"})
	require.NoError(t, err)
	_, was, err := b.Memory.ArchiveHead(t.Context(), of(two))
	require.NoError(t, err)

	b.link(one, two, "qq", "u2")
	require.Equal(t, map[chat.Block]string{chat.BlockHuman: "Alice", chat.BlockPersona: "brief"}, b.blocks(of(one), "s"))
	list, err := b.Memory.ArchiveList(t.Context(), of(one), 0, 10)
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, "The block human before two accounts became one: Bob", list[0].Content, "nothing is lost")
	found, _, _, err := b.Memory.ArchiveSince(t.Context(), of(one), "m", 0)
	require.NoError(t, err)
	require.Len(t, found, 1, "an index of theirs gets it")
	_, deletions, err := b.Memory.ArchiveHead(t.Context(), of(two))
	require.NoError(t, err)
	require.Greater(t, deletions, was, "an index of the other loses it")
	log, err := b.Memory.MemoryHistory(t.Context(), of(one), 0, 10)
	require.NoError(t, err)
	require.Len(t, log, 1)
	fresh, err := b.Memory.Memorize(t.Context(), of(one), chat.Memorized{Key: "k", Session: "s", History: "talked"})
	require.NoError(t, err)
	require.False(t, fresh, "what was done for the one is done for the other")
	require.Empty(t, b.blocks(of(two), "s"))
}
