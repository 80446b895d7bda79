package archive

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/memory/embed/embedtest"
	"xbot/internal/pg"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/user/users"
)

func TestIndexes_ThoseNotUsedForTheLongestTimeAreDroppedAndReadAgain(t *testing.T) {
	t.Parallel()
	s := store.New(pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate), store.Options{})
	a := New(s.Memory, &embedtest.Embedder{}, slog.New(slog.DiscardHandler))
	a.indexes.limit = 2 * (embedtest.Dim + indexCost)
	var people []chat.MemoryOwner
	for i := range 3 {
		user, err := s.Users.CreateUser(t.Context(), fmt.Sprint("p", i), users.RoleMember)
		require.NoError(t, err)
		people = append(people, chat.MemoryOwner{User: user.ID, Agent: "main"})
		_, err = a.Insert(t.Context(), people[i], "", "likes tea", 0)
		require.NoError(t, err)
	}
	for _, i := range []int{0, 1, 2, 0} {
		found, err := a.SearchBy(t.Context(), people[i], "tea", 5, ByMeaning)
		require.NoError(t, err)
		require.Len(t, found, 1)
		require.LessOrEqual(t, len(a.indexes.open), 2)
		require.Contains(t, a.indexes.open, people[i])
	}
	require.Contains(t, a.indexes.open, people[2])
	require.NotContains(t, a.indexes.open, people[1])
	require.Len(t, a.indexes.db.Names(), 2, "chromem-go holds no other")
}
