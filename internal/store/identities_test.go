package store_test

import (
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/secret"
	"xbot/internal/user/links"
	"xbot/internal/user/users"
)

func TestPerson_IsOneUserHoweverManyAskAtOnce(t *testing.T) {
	b := setup(t)
	ids := make([]chat.UserID, 8)
	var group sync.WaitGroup
	for i := range ids {
		group.Go(func() {
			u, err := b.Users.Person(t.Context(), "feishu", "", "ou_1", "Bob")
			if err == nil {
				ids[i] = u.ID
			}
		})
	}
	group.Wait()
	require.NotZero(t, ids[0])
	for _, id := range ids {
		require.Equal(t, ids[0], id)
	}
}

func TestMeet_OnePersonUnderTwoAppsIsOneUser(t *testing.T) {
	b := setup(t)
	bob := chat.Peer{ID: "ou_1", Name: "Bob", Union: "on_bob", Member: "7d8e"}
	first, err := b.Users.Meet(t.Context(), "feishu", "one", bob)
	require.NoError(t, err)
	there := chat.Peer{ID: "ou_2", Name: "Robert", Union: "on_bob"}
	seen, err := b.Users.Recognize(t.Context(), "feishu", "two", there)
	require.NoError(t, err)
	require.Equal(t, users.Recognized{User: first, Known: true}, seen, "known before the first message is let in, and nothing is kept yet")
	second, err := b.Users.Meet(t.Context(), "feishu", "two", there)
	require.NoError(t, err)
	require.Equal(t, first, second)
	for account, who := range map[string]chat.Peer{"one": bob, "two": there} {
		seen, err = b.Users.Recognize(t.Context(), "feishu", account, who)
		require.NoError(t, err)
		require.Equal(t, users.Recognized{User: first, Known: true, Noted: true}, seen)
	}
	all, err := b.Links.Identities(t.Context(), first.ID)
	require.NoError(t, err)
	require.Equal(t, []links.Identity{{Channel: "feishu", Account: "one", Peer: "ou_1"}, {Channel: "feishu", Account: "two", Peer: "ou_2"}}, all)

	for name, other := range map[string]struct {
		channel, account string
		who              chat.Peer
	}{
		"somebody else":         {"feishu", "two", chat.Peer{ID: "ou_3", Union: "on_eve"}},
		"nobody says who":       {"feishu", "two", chat.Peer{ID: "ou_4"}},
		"the same organisation": {"feishu", "two", chat.Peer{ID: "ou_5", Member: "7d8e"}},
		"another platform":      {"qq", "", chat.Peer{ID: "ou_6", Union: "on_bob"}},
		"an id as a name":       {"feishu", "two", chat.Peer{ID: "on_bob"}},
	} {
		u, err := b.Users.Meet(t.Context(), other.channel, other.account, other.who)
		require.NoError(t, err)
		require.NotEqual(t, first.ID, u.ID, name)
	}
}

func TestMeet_WhoWasMetBeforeTheirUnionWasKeptIsOneFromTheNextMessageOn(t *testing.T) {
	b := setup(t)
	first, err := b.Users.Person(t.Context(), "feishu", "one", "ou_1", "Bob")
	require.NoError(t, err)
	bob := chat.Peer{ID: "ou_1", Name: "Bob", Union: "on_bob", Member: "7d8e"}
	seen, err := b.Users.Recognize(t.Context(), "feishu", "one", bob)
	require.NoError(t, err)
	require.Equal(t, users.Recognized{User: first, Known: true}, seen)
	_, err = b.Users.Meet(t.Context(), "feishu", "one", bob)
	require.NoError(t, err)
	_, err = b.Users.Meet(t.Context(), "feishu", "one", chat.Peer{ID: "ou_1"})
	require.NoError(t, err)
	seen, err = b.Users.Recognize(t.Context(), "feishu", "one", bob)
	require.NoError(t, err)
	require.True(t, seen.Noted, "a message that does not say it takes nothing away")
	second, err := b.Users.Meet(t.Context(), "feishu", "two", chat.Peer{ID: "ou_2", Union: "on_bob"})
	require.NoError(t, err)
	require.Equal(t, first.ID, second.ID)
}

func TestMeet_IsOneUserHoweverManyAppsMeetThemAtOnce(t *testing.T) {
	b := setup(t)
	ids := make([]chat.UserID, 8)
	var group sync.WaitGroup
	for i := range ids {
		group.Go(func() {
			u, err := b.Users.Meet(t.Context(), "feishu", strconv.Itoa(i), chat.Peer{ID: "ou_" + strconv.Itoa(i), Name: "Bob", Union: "on_bob"})
			if err == nil {
				ids[i] = u.ID
			}
		})
	}
	group.Wait()
	require.NotZero(t, ids[0])
	for _, id := range ids {
		require.Equal(t, ids[0], id)
	}
}

func TestPerson_WhoCallsThemselvesLikeAnAdministratorIsSomebodyElse(t *testing.T) {
	b := setup(t)
	for _, name := range []string{"admin", "ADMIN", " ad\u200bmin "} {
		u, err := b.Users.Person(t.Context(), "feishu", "", "peer of "+name, name)
		require.NoError(t, err)
		require.NotEqual(t, b.user.ID, u.ID)
		require.False(t, u.Admin)
		require.Contains(t, u.Name, "feishu:")
	}
}

func TestPerson_NamesWithColonsAreNotTaken(t *testing.T) {
	b := setup(t)
	u, err := b.Users.Person(t.Context(), "feishu", "", "ou_1", "feishu:group:oc_1")
	require.NoError(t, err)
	require.Equal(t, "feishu:ou_1", u.Name)
}

func TestGroupUser_IsNobodyWhoCouldSignIn(t *testing.T) {
	b := setup(t)
	g, err := b.Users.GroupUser(t.Context(), "feishu", chat.ChatGroup, "oc_1")
	require.NoError(t, err)
	require.True(t, g.Group)
	require.False(t, g.Admin)
	require.Equal(t, "feishu:group:oc_1", g.Name)

	again, err := b.Users.GroupUser(t.Context(), "feishu", chat.ChatGroup, "oc_1")
	require.NoError(t, err)
	require.Equal(t, g.ID, again.ID)

	_, err = b.Users.UserByName(t.Context(), g.Name)
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	token, hash := secret.NewToken()
	_, err = b.Users.CreateToken(t.Context(), g.ID, users.Token{Name: "stolen"}, hash)
	require.NoError(t, err)
	_, _, err = b.Users.TokenUser(t.Context(), secret.HashToken(token))
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	require.NoError(t, b.Users.CreateWebSession(t.Context(), g.ID, []byte("cookie"), inAnHour()))
	_, _, err = b.Users.WebSessionUser(t.Context(), []byte("cookie"))
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	require.NoError(t, b.Users.CreateLoginLink(t.Context(), g.ID, []byte("link"), inAnHour()))
	_, err = b.Users.UseLoginLink(t.Context(), []byte("link"))
	require.True(t, fault.Is(err, fault.Denied), "%v", err)
}

func TestGroupUser_IsNotThePersonOfTheSameName(t *testing.T) {
	b := setup(t)
	p, err := b.Users.Person(t.Context(), "feishu", "", "group:oc_1", "")
	require.NoError(t, err)
	require.Equal(t, "feishu:group:oc_1", p.Name)
	g, err := b.Users.GroupUser(t.Context(), "feishu", chat.ChatGroup, "oc_1")
	require.NoError(t, err)
	require.NotEqual(t, p.ID, g.ID)
	require.True(t, g.Group)
}

func FuzzCleanName_IsOneShortLine(f *testing.F) {
	f.Add("Bob\nadmin")
	f.Add("\u202eevil\x00")
	f.Fuzz(func(t *testing.T, name string) {
		got := users.CleanName(name)
		require.NotContains(t, got, "\n")
		require.LessOrEqual(t, len([]rune(got)), 64)
		require.Equal(t, got, users.CleanName(got))
	})
}
