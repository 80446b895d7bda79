package view_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/memory/view"
	"xbot/internal/pg"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
)

const session = chat.SessionKey("agent:main:web:thread:t")

type bundle struct {
	*store.Store
	view view.View
	db   *pgxpool.Pool
	t    *testing.T
	mine chat.MemoryOwner
}

func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	pool := pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate)
	s := store.New(pool, store.Options{})
	user, err := s.Users.EnsureAdmin(t.Context(), "alice")
	require.NoError(t, err)
	return &bundle{Store: s, view: view.View{Conversations: s.Conversations, Memory: s.Memory, Settings: s.Settings}, db: pool, t: t, mine: chat.MemoryOwner{User: user.ID, Agent: "main"}}
}

// fill puts something of each kind into a memory.
func (b *bundle) fill(w chat.MemoryOwner, name string) {
	b.t.Helper()
	require.NoError(b.t, b.Memory.SetMemory(b.t.Context(), w.User, w.Agent, "likes.md", "- tea, says "+name+"\n- long walks\n- 乌龙茶"))
	_, err := b.Memory.Memorize(b.t.Context(), w, chat.Memorized{
		Key: "fill", Session: session, History: name + " planned a walk to the lake",
		Blocks:  []chat.BlockChange{{Block: chat.BlockHuman, Content: name + " is a gardener"}, {Block: chat.BlockWorking, Content: name + " plants roses"}},
		Archive: []chat.ArchivalEntry{{Content: name + " was born in Lindau"}, {Content: name + " 住在杭州西湖边"}, {Content: "the walk with " + name + " took an hour"}},
	})
	require.NoError(b.t, err)
}

func ids(items []chat.Remembered) (out []string) {
	for _, r := range items {
		out = append(out, r.ID)
	}
	return out
}

func TestLook_ShowsAllThatIsRemembered(t *testing.T) {
	b := setup(t)
	b.fill(b.mine, "alice")
	got, err := b.view.Look(t.Context(), b.mine)
	require.NoError(t, err)
	require.Equal(t, []string{"block/human", "block/working_context/" + string(session), "note/likes.md", "archive/3", "archive/2", "archive/1", "log/1"}, ids(got.Items))
	require.Equal(t, 3, got.Archived)
	require.Equal(t, []string{"main"}, got.Names)
	require.Equal(t, chat.MaxHuman, got.Items[0].Max)

	var out strings.Builder
	require.NoError(t, b.view.Export(t.Context(), b.mine, &out))
	for _, r := range got.Items {
		require.Contains(t, out.String(), r.Content)
	}
}

func TestSearch_FindsInEnglishAndChinese(t *testing.T) {
	b := setup(t)
	b.fill(b.mine, "alice")
	for q, want := range map[string]string{"gardener": "block/human", "WALKS long": "note/likes.md", "西湖": "archive/2", "乌龙": "note/likes.md", "lake": "log/1", "born": "archive/1"} {
		got, err := b.view.Search(t.Context(), b.mine, q)
		require.NoError(t, err)
		require.Contains(t, ids(got), want, q)
	}
	got, err := b.view.Search(t.Context(), b.mine, "nothing-of-the-kind")
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestSet_ChangesWhatIsStillAsItWasShown(t *testing.T) {
	b := setup(t)
	b.fill(b.mine, "alice")
	require.NoError(t, b.view.Set(t.Context(), b.mine, "block/human", "alice is a gardener", "alice is a baker"))
	require.Equal(t, fault.Conflict, fault.KindOf(b.view.Set(t.Context(), b.mine, "block/human", "alice is a gardener", "x")))
	require.NoError(t, b.view.Set(t.Context(), b.mine, "note/new.md", "", "a new one"))
	require.NoError(t, b.view.Set(t.Context(), b.mine, "note/new.md", "a new one", ""))
	require.NoError(t, b.view.Set(t.Context(), b.mine, "block/working_context/"+string(session), "alice plants roses", ""))
	require.Equal(t, fault.TooLarge, fault.KindOf(b.view.Set(t.Context(), b.mine, "block/human", "alice is a baker", strings.Repeat("字", chat.MaxHuman+1))))
	for _, id := range []string{"", "note/", "note/../x", "note/a//b", "block/", "block/soul", "block/working_context", "block/human/" + string(session), "archive/1", "log/1"} {
		require.Equal(t, fault.Invalid, fault.KindOf(b.view.Set(t.Context(), b.mine, id, "", "x")), id)
	}
	got, err := b.view.Look(t.Context(), b.mine)
	require.NoError(t, err)
	require.Equal(t, []string{"block/human", "note/likes.md"}, ids(got.Items)[:2])
	require.Equal(t, "alice is a baker", got.Items[0].Content)
}

func TestForget_TakesOutWhatWasMeantAndNothingElse(t *testing.T) {
	b := setup(t)
	b.fill(b.mine, "alice")
	found, err := b.view.Find(t.Context(), b.mine, "walk")
	require.NoError(t, err)
	require.Equal(t, []string{"note/likes.md", "archive/3", "log/1"}, ids(found))
	require.Equal(t, "- long walks", found[0].Content, "of a note the line")
	require.NoError(t, b.view.Forget(t.Context(), b.mine, found))
	got, err := b.view.Look(t.Context(), b.mine)
	require.NoError(t, err)
	require.Equal(t, []string{"block/human", "block/working_context/" + string(session), "note/likes.md", "archive/2", "archive/1"}, ids(got.Items))
	require.Equal(t, "- tea, says alice\n- 乌龙茶", got.Items[2].Content)
	require.Equal(t, fault.NotFound, fault.KindOf(b.view.Forget(t.Context(), b.mine, found)), "what is gone is not forgotten again")

	for _, one := range []string{"archive/1", "likes.md", "human"} {
		found, err = b.view.Find(t.Context(), b.mine, one)
		require.NoError(t, err)
		require.Len(t, found, 1, one)
		require.NoError(t, b.view.Forget(t.Context(), b.mine, found))
	}
	for _, none := range []string{"archive/1", "archive/99999", "log/1", "log/x", "", "  "} {
		found, err = b.view.Find(t.Context(), b.mine, none)
		require.NoError(t, err)
		require.Empty(t, found, none)
	}
}

func TestDesk_NobodyReadsOrForgetsWhatIsOfAnother(t *testing.T) {
	b := setup(t)
	people := []chat.MemoryOwner{b.mine}
	var users []chat.UserID
	for i := range 3 {
		var id chat.UserID
		require.NoError(t, b.db.QueryRow(t.Context(), "INSERT INTO users (name, role, kind) VALUES ($1, 'member', $2) RETURNING id", fmt.Sprintf("user%d", i), []string{"person", "group", "person"}[i]).Scan(&id))
		users = append(users, id)
		people = append(people, chat.MemoryOwner{User: id, Agent: "main"})
	}
	people = append(people, chat.MemoryOwner{User: users[0], Agent: "ops"})
	name := func(i int) string { return fmt.Sprintf("secretof%dend", i) }
	for i, w := range people {
		b.fill(w, name(i))
	}
	rapid.Check(t, func(rt *rapid.T) {
		i := rapid.IntRange(0, len(people)-1).Draw(rt, "who")
		q := rapid.SampledFrom([]string{"lake", "walk", "gardener", "secretof0end", "secretof1end", "secretof2end", "secretof3end", "secretof4end", "西湖", "tea", "archive/1", "archive/4", "archive/7", "log/1", "log/2", "human", "likes.md"}).Draw(rt, "q")
		seen, err := b.view.Search(t.Context(), people[i], q)
		require.NoError(rt, err)
		found, err := b.view.Find(t.Context(), people[i], q)
		require.NoError(rt, err)
		look, err := b.view.Look(t.Context(), people[i])
		require.NoError(rt, err)
		var export strings.Builder
		require.NoError(rt, b.view.Export(t.Context(), people[i], &export))
		all := fmt.Sprint(seen, found, look, export.String())
		for j := range people {
			if j != i {
				require.NotContains(rt, all, name(j))
			}
		}
		require.Contains(rt, all, name(i))
	})
	for i, w := range people[1:] {
		theirs, err := b.view.Find(t.Context(), w, "log/"+fmt.Sprint(i+1))
		require.NoError(t, err)
		require.Empty(t, theirs, "the entry of somebody else has a number that is no use")
		require.Error(t, b.view.Forget(t.Context(), w, []chat.Remembered{{ID: "log/1"}}))
		require.Error(t, b.view.Forget(t.Context(), w, []chat.Remembered{{ID: "archive/1"}}))
	}
	look, err := b.view.Look(t.Context(), b.mine)
	require.NoError(t, err)
	require.Len(t, look.Items, 7)
}

func TestDesk_SoulFilesAreSeenFoundChangedAndForgotten(t *testing.T) {
	b := setup(t)
	require.NoError(t, b.view.Set(t.Context(), b.mine, "soul/tone.md", "", "dry humour\nno emoji"))
	require.Equal(t, fault.Conflict, fault.KindOf(b.view.Set(t.Context(), b.mine, "soul/tone.md", "", "other")), "who has not seen it does not overwrite it")
	require.Equal(t, fault.Invalid, fault.KindOf(b.view.Set(t.Context(), b.mine, "soul/../x.md", "", "x")))
	require.NoError(t, b.view.Set(t.Context(), b.mine, "soul/tone.md", "dry humour\nno emoji", "dry humour\nno emoji\nshort"))
	got, err := b.view.Look(t.Context(), b.mine)
	require.NoError(t, err)
	require.Equal(t, []string{"soul/tone.md"}, ids(got.Items))
	found, err := b.view.Find(t.Context(), b.mine, "emoji")
	require.NoError(t, err)
	require.NoError(t, b.view.Forget(t.Context(), b.mine, found), "a line of it")
	got, err = b.view.Look(t.Context(), b.mine)
	require.NoError(t, err)
	require.Equal(t, "dry humour\nshort", got.Items[0].Content)
	found, err = b.view.Find(t.Context(), b.mine, "soul/tone.md")
	require.NoError(t, err)
	require.NoError(t, b.view.Forget(t.Context(), b.mine, found))
	got, err = b.view.Look(t.Context(), b.mine)
	require.NoError(t, err)
	require.Empty(t, got.Items)
}
