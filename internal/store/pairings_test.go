package store_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/user/users"
)

func TestPair_GivesTheSamePersonTheSameCode(t *testing.T) {
	b := setup(t)
	codes := make([]string, 6)
	var group sync.WaitGroup
	for i := range codes {
		group.Go(func() { codes[i], _ = b.Users.Pair(t.Context(), "feishu", "", "ou_1", "Bob") })
	}
	group.Wait()
	require.Regexp(t, "^[A-HJ-NP-Z2-9]{8}$", codes[0])
	for _, code := range codes {
		require.Equal(t, codes[0], code)
	}
	all, err := b.Users.Pairings(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
}

func TestPair_AtMostTenWaitOnAChannelAndAccount(t *testing.T) {
	b := setup(t)
	for i := range users.MaxPairings {
		_, err := b.Users.Pair(t.Context(), "feishu", "one", fmt.Sprint("ou_", i), "")
		require.NoError(t, err)
	}
	_, err := b.Users.Pair(t.Context(), "feishu", "one", "ou_more", "")
	require.True(t, fault.Is(err, fault.RateLimited), "%v", err)
	_, err = b.Users.Pair(t.Context(), "feishu", "two", "ou_more", "")
	require.NoError(t, err, "another account has a list of its own")

	_, err = b.pool.Exec(t.Context(), "UPDATE pairings SET expires_at = now() WHERE peer = 'ou_0'")
	require.NoError(t, err)
	_, err = b.Users.Pair(t.Context(), "feishu", "one", "ou_more", "")
	require.NoError(t, err, "who waited for a day waits no more")
}

func TestEndPairing_GrantsOnceAndExpires(t *testing.T) {
	b := setup(t)
	code, err := b.Users.Pair(t.Context(), "feishu", "", "ou_1", "Bob")
	require.NoError(t, err)
	granted, _, err := b.Users.Granted(t.Context(), "feishu", "", "ou_1")
	require.NoError(t, err)
	require.False(t, granted)

	got, err := b.Users.EndPairing(t.Context(), " "+code[:4]+"-"+code[4:]+" ", true, b.user.ID)
	require.NoError(t, err)
	require.Equal(t, "ou_1", got.Peer)
	granted, told, err := b.Users.Granted(t.Context(), "feishu", "", "ou_1")
	require.NoError(t, err)
	require.True(t, granted)
	require.False(t, told)
	_, err = b.Users.EndPairing(t.Context(), code, true, b.user.ID)
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)

	first, err := b.Users.NotifyGranted(t.Context(), "feishu", "", "ou_1")
	require.NoError(t, err)
	require.True(t, first)
	first, err = b.Users.NotifyGranted(t.Context(), "feishu", "", "ou_1")
	require.NoError(t, err)
	require.False(t, first)

	grants, err := b.Users.Grants(t.Context())
	require.NoError(t, err)
	require.Len(t, grants, 1)
	require.Equal(t, "admin", grants[0].GrantedBy)
	require.NoError(t, b.Users.DeleteGrant(t.Context(), "feishu", "", "ou_1"))
	granted, _, err = b.Users.Granted(t.Context(), "feishu", "", "ou_1")
	require.NoError(t, err)
	require.False(t, granted)

	code, err = b.Users.Pair(t.Context(), "feishu", "", "ou_2", "")
	require.NoError(t, err)
	_, err = b.pool.Exec(t.Context(), "UPDATE pairings SET expires_at = now()")
	require.NoError(t, err)
	_, err = b.Users.EndPairing(t.Context(), code, true, b.user.ID)
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
}

func TestEndPairing_RefusedMayAskAgain(t *testing.T) {
	b := setup(t)
	code, err := b.Users.Pair(t.Context(), "feishu", "", "ou_1", "Bob")
	require.NoError(t, err)
	_, err = b.Users.EndPairing(t.Context(), code, false, b.user.ID)
	require.NoError(t, err)
	granted, _, err := b.Users.Granted(t.Context(), "feishu", "", "ou_1")
	require.NoError(t, err)
	require.False(t, granted)
	again, err := b.Users.Pair(t.Context(), "feishu", "", "ou_1", "Bob")
	require.NoError(t, err)
	require.NotEqual(t, code, again)
}

func TestOnce_ASentenceIsSaidOnceThenAtMostDaily(t *testing.T) {
	b := setup(t)
	say := chat.NoticeKey{Topic: chat.TopicUnpaired, Channel: "feishu", About: "ou_1", What: "closed", Asked: "m1"}
	var said atomic.Int32
	var group sync.WaitGroup
	for i := range 6 {
		say := say
		say.Asked = fmt.Sprint("m", i)
		group.Go(func() {
			if first, err := b.Notices.Once(t.Context(), say); err == nil && first {
				said.Add(1)
			}
		})
	}
	group.Wait()
	require.EqualValues(t, 1, said.Load(), "to one of many that come together")

	once := func(change func(*chat.NoticeKey)) bool {
		s := say
		s.Asked = "another"
		change(&s)
		first, err := b.Notices.Once(t.Context(), s)
		require.NoError(t, err)
		return first
	}
	same := func(*chat.NoticeKey) {}
	require.False(t, once(same))
	require.True(t, once(func(s *chat.NoticeKey) { s.About = "ou_2" }), "everybody is told")
	require.True(t, once(func(s *chat.NoticeKey) { s.What = "full" }), "what changed is said at once")
	require.True(t, once(func(s *chat.NoticeKey) { s.What = "full" }), "the same message, brought again")
	require.False(t, once(func(s *chat.NoticeKey) { s.What, s.Asked = "full", "later" }))
	_, err := b.pool.Exec(t.Context(), "UPDATE told_once SET told_at = told_at - interval '1 day'")
	require.NoError(t, err)
	require.True(t, once(func(s *chat.NoticeKey) { s.What = "full" }), "a day later")

	_, err = b.pool.Exec(t.Context(), "UPDATE told_once SET told_at = told_at - interval '3 days'")
	require.NoError(t, err)
	require.True(t, once(func(s *chat.NoticeKey) { s.About = "ou_3" }))
	var left int
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT count(*) FROM told_once").Scan(&left))
	require.Equal(t, 1, left, "nothing is kept of who wrote days ago")
}
