package archive_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/memory/archive"
	"xbot/internal/memory/embed"
	"xbot/internal/memory/embed/embedtest"
	"xbot/internal/pg"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/user/users"
)

type bundle struct {
	*archive.Archive

	t        *testing.T
	store    *store.Store
	pool     *pgxpool.Pool
	embedder *embedtest.Embedder
	me       chat.MemoryOwner
	calls    int
}

func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{t: t, pool: pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate)}
	b.store = store.New(b.pool, store.Options{})
	b.embedder = &embedtest.Embedder{Thesaurus: map[string]string{"automobile": "car", "汽车": "car"}}
	b.Archive = b.replica(b.embedder)
	b.me = b.person("me")
	return b
}

func (b *bundle) replica(e embed.Embedder) *archive.Archive {
	return archive.New(b.store.Memory, e, slog.New(slog.DiscardHandler))
}

func (b *bundle) person(name string) chat.MemoryOwner {
	user, err := b.store.Users.CreateUser(b.t.Context(), name, users.RoleMember)
	require.NoError(b.t, err)
	return chat.MemoryOwner{User: user.ID, Agent: "main"}
}

func (b *bundle) insert(w chat.MemoryOwner, content string) archive.Inserted {
	b.t.Helper()
	b.calls++
	got, err := b.Insert(b.t.Context(), w, fmt.Sprint("call/", b.calls), content, 0)
	require.NoError(b.t, err)
	return got
}

func found(t *testing.T, a *archive.Archive, w chat.MemoryOwner, query, way string) []string {
	t.Helper()
	got, err := a.SearchBy(t.Context(), w, query, 5, way)
	require.NoError(t, err)
	var out []string
	for _, f := range got {
		out = append(out, f.Content)
	}
	return out
}

func TestSearch_FindsByWordsAndByMeaning(t *testing.T) {
	b := setup(t)
	for _, text := range []string{"Bob drives a red automobile.", "她最喜欢的饮料是绿茶", "Deploys run on Kubernetes every Friday", "Has allergies: peanuts", "生日是五月三日"} {
		b.insert(b.me, text)
	}
	for query, want := range map[string]string{
		"绿茶": "她最喜欢的饮料是绿茶", "她喜欢什么饮料？": "她最喜欢的饮料是绿茶", "kuber": "Deploys run on Kubernetes every Friday",
		"is there anything she is allergic to": "Has allergies: peanuts", "什么时候过生日": "生日是五月三日", "automobile": "Bob drives a red automobile.",
	} {
		for _, way := range []string{archive.ByWords, archive.Fused} {
			got := found(t, b.Archive, b.me, query, way)
			require.NotEmpty(t, got, "%s by %s", query, way)
			require.Equal(t, want, got[0], "%s by %s", query, way)
		}
	}
	require.Empty(t, found(t, b.Archive, b.me, "which car", archive.ByWords))
	require.Equal(t, "Bob drives a red automobile.", found(t, b.Archive, b.me, "which car", archive.Fused)[0])
	require.Empty(t, found(t, b.Archive, b.me, "?!", archive.ByWords))
}

func TestInsert_ShowsWhatIsSimilarAndRefusesWhatIsTheSame(t *testing.T) {
	b := setup(t)
	first := b.insert(b.me, "Bob was born on 3 May 1990 in Berlin")
	require.Empty(t, first.Similar)
	same := b.insert(b.me, "bob was born on 3 May 1990, in Berlin!")
	require.Zero(t, same.ID)
	require.Equal(t, first.ID, same.Duplicate.ID)
	other := b.insert(b.me, "Ann was born on 3 May 1990 in Berlin")
	require.NotZero(t, other.ID, "a fact that differs in a name is no duplicate, however near it is")
	require.Len(t, other.Similar, 1)
	require.Greater(t, other.Similar[0].Similarity, 0.5)
	require.Empty(t, b.insert(b.me, "喜欢绿茶").Similar)

	got, err := b.Insert(t.Context(), b.me, "k", "Bob was born on 4 May 1990 in Berlin", first.ID)
	require.NoError(t, err)
	require.NotZero(t, got.ID)
	require.NotContains(t, found(t, b.Archive, b.me, "Bob born", archive.Fused), "Bob was born on 3 May 1990 in Berlin", "it was replaced")
	again, err := b.Insert(t.Context(), b.me, "k", "Bob was born on 4 May 1990 in Berlin", first.ID)
	require.NoError(t, err)
	require.Equal(t, got.ID, again.ID, "a repeated call is the same call")
	n, err := b.store.Memory.ArchiveCount(t.Context(), b.me)
	require.NoError(t, err)
	require.Equal(t, 3, n)

	_, err = b.Insert(t.Context(), b.me, "k2", "x", first.ID)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
	_, err = b.Insert(t.Context(), b.me, "k3", strings.Repeat("字", 4001), 0)
	require.Equal(t, fault.TooLarge, fault.KindOf(err))
	_, err = b.Insert(t.Context(), b.me, "k4", " \n", 0)
	require.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestSearch_SeesAtOnceWhatAnotherProcessWroteAndDeleted(t *testing.T) {
	b := setup(t)
	other := b.replica(b.embedder)
	one := b.insert(b.me, "drives an automobile")
	require.Len(t, found(t, other, b.me, "car", archive.ByMeaning), 1)
	b.insert(b.me, "汽车是红色的")
	require.Len(t, found(t, other, b.me, "car", archive.ByMeaning), 2)
	require.NoError(t, b.store.Memory.Forget(t.Context(), b.me, one.ID))
	require.Equal(t, []string{"汽车是红色的"}, found(t, other, b.me, "car", archive.ByMeaning))
	require.Equal(t, []string{"汽车是红色的"}, found(t, b.Archive, b.me, "car", archive.ByMeaning))
	require.Equal(t, fault.NotFound, fault.KindOf(b.store.Memory.Forget(t.Context(), b.me, one.ID)))
}

func TestSearch_WorksWithoutAService(t *testing.T) {
	b := setup(t)
	b.Archive = b.replica(nil)
	b.insert(b.me, "Likes oolong tea")
	require.Equal(t, []string{"Likes oolong tea"}, found(t, b.Archive, b.me, "tea", archive.Fused))
	require.NotNil(t, b.insert(b.me, "likes OOLONG tea").Duplicate)
	require.NoError(t, b.Run(t.Context(), nil), "there is nothing to do")
}

func TestCatch_EmbedsWhatWasAddedWhileTheServiceWasAway(t *testing.T) {
	b := setup(t)
	b.embedder.Break(fault.Errorf(fault.Unavailable, "down"))
	b.insert(b.me, "drives an automobile")
	b.insert(b.me, "likes tea")
	require.Equal(t, 1, b.embedder.Called(), "who waits is not made to wait twice")
	require.Equal(t, []string{"likes tea"}, found(t, b.Archive, b.me, "tea", archive.Fused), "words go on")
	_, err := b.Catch(t.Context(), nil)
	require.Equal(t, fault.Unavailable, fault.KindOf(err))

	b.embedder.Break(nil)
	other := b.replica(b.embedder)
	require.Empty(t, found(t, other, b.me, "car", archive.ByMeaning))
	n, err := b.Catch(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.Equal(t, "drives an automobile", found(t, other, b.me, "car", archive.ByMeaning)[0])
	n, err = b.Catch(t.Context(), nil)
	require.NoError(t, err)
	require.Zero(t, n, "once")

	another := b.replica(&embedtest.Embedder{Name: "another"})
	n, err = another.Catch(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, 2, n, "another model embeds all anew")
}

// picky refuses what holds a word, and all once it is off.
type picky struct {
	*embedtest.Embedder

	word string
	off  bool
}

func (p *picky) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if p.off || strings.Contains(strings.Join(texts, " "), p.word) {
		return nil, fault.Errorf(fault.Invalid, "400")
	}
	return p.Embedder.Embed(ctx, texts)
}

func TestCatch_OneRefusedTextHoldsUpNoOther(t *testing.T) {
	b := setup(t)
	words := b.replica(nil)
	for i, text := range []string{"one", "poison", "three"} {
		_, err := words.Insert(t.Context(), b.me, fmt.Sprint(i), text, 0)
		require.NoError(t, err)
	}
	p := &picky{Embedder: b.embedder, word: "poison", off: true}
	a := b.replica(p)
	_, err := a.Catch(t.Context(), nil)
	require.Equal(t, fault.Invalid, fault.KindOf(err), "a service that takes nothing marks nothing")
	p.off = false
	n, err := a.Catch(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, 3, n)
	n, err = a.Catch(t.Context(), nil)
	require.NoError(t, err)
	require.Zero(t, n)
	require.Len(t, found(t, a, b.me, "one", archive.ByMeaning), 2)
}
