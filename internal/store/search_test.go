package store_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/store"
)

func (b *bundle) search(q string) (found []string) {
	b.t.Helper()
	got, err := b.Search(b.t.Context(), b.inbound("", "").User, q, 10)
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
	require.Empty(t, b.search("100%%"))
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
	other, err := b.CreateUser(t.Context(), "bob", store.RoleMember)
	require.NoError(t, err)
	got, err := b.Search(t.Context(), other.ID, "secret", 10)
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestSearch_RefusesNothingAndTooMuch(t *testing.T) {
	b := setup(t)
	for _, q := range []string{"", " \n", strings.Repeat("a ", 9), strings.Repeat("a", 500)} {
		_, err := b.Search(t.Context(), chat.UserID(1), q, 10)
		require.True(t, fault.Is(err, fault.Invalid), q)
	}
}
