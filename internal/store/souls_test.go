package store_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

func (b *bundle) souls(w chat.MemoryOwner) map[string]string {
	b.t.Helper()
	files, err := b.Memory.SoulFiles(b.t.Context(), w)
	require.NoError(b.t, err)
	out := map[string]string{}
	for _, f := range files {
		out[f.Name] = f.Content
	}
	return out
}

func TestSetSoulFile_OverwritesOnlyWhatWasSeenAndOnceAKey(t *testing.T) {
	b := setup(t)
	me := chat.MemoryOwner{User: b.user.ID, Agent: "main"}
	set := func(key string, c chat.SoulChange) (string, error) {
		return b.Memory.SetSoulFile(t.Context(), me, key, c)
	}
	one, err := set("call/1", chat.SoulChange{Name: "tone.md", Content: " dry\x00 "})
	require.NoError(t, err)
	require.Equal(t, chat.SoulVersion("dry"), one)
	_, err = set("call/2", chat.SoulChange{Name: "tone.md", Content: "warm"})
	require.Equal(t, fault.Conflict, fault.KindOf(err), "who thinks that there is none has not seen it")
	two, err := set("call/3", chat.SoulChange{Name: "tone.md", Content: "warm", Version: one})
	require.NoError(t, err)
	again, err := set("call/1", chat.SoulChange{Name: "tone.md", Content: "dry"})
	require.NoError(t, err)
	require.Equal(t, one, again, "a repeated call says what it said")
	require.Equal(t, map[string]string{"tone.md": "warm"}, b.souls(me), "and changes nothing")
	_, err = set("", chat.SoulChange{Name: "tone.md", Version: one})
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	_, err = set("", chat.SoulChange{Name: "tone.md", Version: two})
	require.NoError(t, err)
	require.Empty(t, b.souls(me))
	_, err = set("", chat.SoulChange{Name: "tone.md", Content: "x", Version: two})
	require.ErrorContains(t, err, "there is no soul file tone.md any more")
}

func TestSetSoulFile_KeepsAtMost50WhoeverWritesAtOnce(t *testing.T) {
	b := setup(t)
	me := chat.MemoryOwner{User: b.user.ID, Agent: "main"}
	_, err := b.pool.Exec(t.Context(), "INSERT INTO soul_files (user_id, agent, name, content) SELECT $1, 'main', 'n' || i || '.md', 'x' FROM generate_series(1, 45) i", b.user.ID)
	require.NoError(t, err)
	errs := make([]error, 10)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			_, errs[i] = b.Memory.SetSoulFile(t.Context(), me, "", chat.SoulChange{Name: fmt.Sprintf("new%d.md", i), Content: "x"})
		})
	}
	wg.Wait()
	refused := 0
	for _, err := range errs {
		if err != nil {
			require.Equal(t, fault.TooLarge, fault.KindOf(err))
			refused++
		}
	}
	require.Equal(t, 5, refused)
	_, err = b.Memory.SetSoulFile(t.Context(), me, "", chat.SoulChange{Name: "n1.md", Content: "changed", Version: chat.SoulVersion("x")})
	require.NoError(t, err, "what is there can be changed")
	_, err = b.Memory.SetSoulFile(t.Context(), me, "", chat.SoulChange{Name: "n1.md", Content: strings.Repeat("x", chat.MaxSoulFile+1), Version: chat.SoulVersion("changed")})
	require.Equal(t, fault.TooLarge, fault.KindOf(err))
	_, err = b.Memory.SetSoulFile(t.Context(), me, "", chat.SoulChange{Name: "../x.md", Content: "x"})
	require.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestSoulFiles_OfOneReachNoOther(t *testing.T) {
	b := setup(t)
	other := b.member("bob")
	team, err := b.Users.GroupUser(t.Context(), "feishu", chat.ChatGroup, "oc_1")
	require.NoError(t, err)
	whose := []chat.MemoryOwner{{User: b.user.ID, Agent: "main"}, {User: b.user.ID, Agent: "ops"}, {User: other.ID, Agent: "main"}, {User: team.ID, Agent: "main"}}
	for i, w := range whose {
		_, err := b.Memory.SetSoulFile(t.Context(), w, "call/same", chat.SoulChange{Name: "tone.md", Content: fmt.Sprint("of ", i)})
		require.NoError(t, err)
	}
	for i, w := range whose {
		require.Equal(t, map[string]string{"tone.md": fmt.Sprint("of ", i)}, b.souls(w))
		names, err := b.Memory.MemoryNames(t.Context(), w.User)
		require.NoError(t, err)
		require.Contains(t, names, w.Agent)
	}
	_, err = b.Memory.SetSoulFile(t.Context(), whose[2], "", chat.SoulChange{Name: "tone.md", Version: chat.SoulVersion("of 2")})
	require.NoError(t, err)
	require.Len(t, b.souls(whose[0]), 1, "who deletes theirs deletes no other")
}

func TestLink_SoulFilesComeWithThePerson(t *testing.T) {
	b := setup(t)
	one, _ := b.met("feishu", "ou_1")
	two, _ := b.met("qq", "u2")
	for user, files := range map[chat.UserID]map[string]string{one.ID: {"tone.md": "dry", "same.md": "s"}, two.ID: {"tone.md": "warm", "same.md": "s", "more.md": "m"}} {
		for name, content := range files {
			_, err := b.Memory.SetSoulFile(t.Context(), chat.MemoryOwner{User: user, Agent: "main"}, "", chat.SoulChange{Name: name, Content: content})
			require.NoError(t, err)
		}
	}
	b.link(one, two, "qq", "u2")
	require.Equal(t, map[string]string{"tone.md": "dry", "same.md": "s", "more.md": "m", fmt.Sprintf("linked-%d-tone.md", two.ID): "warm"}, b.souls(chat.MemoryOwner{User: one.ID, Agent: "main"}))
	require.Empty(t, b.souls(chat.MemoryOwner{User: two.ID, Agent: "main"}))
}
