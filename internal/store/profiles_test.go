package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

func TestSetProfile_IsOfOnePersonAndOverwritesNothingUnseen(t *testing.T) {
	b := setup(t)
	other := b.member("bob")
	none, err := b.Memory.Profile(t.Context(), b.user.ID)
	require.NoError(t, err)
	require.Equal(t, chat.UserProfile{}, none)

	first, err := b.Memory.SetProfile(t.Context(), b.user.ID, chat.UserProfile{Content: " Ann, call me captain\x00 \n", Timezone: "Asia/Shanghai"})
	require.NoError(t, err)
	require.Equal(t, "Ann, call me captain", first.Content)
	require.Equal(t, 1, first.Revision)
	again, err := b.Memory.SetProfile(t.Context(), b.user.ID, chat.UserProfile{Content: "Ann, call me captain", Timezone: "Asia/Shanghai"})
	require.NoError(t, err, "a repeated call finds what it wrote")
	require.Equal(t, first, again)

	second, err := b.Memory.SetProfile(t.Context(), b.user.ID, chat.UserProfile{Content: "Ann", Revision: 1})
	require.NoError(t, err)
	require.Equal(t, 2, second.Revision)
	_, err = b.Memory.SetProfile(t.Context(), b.user.ID, chat.UserProfile{Content: "somebody who has not seen it", Revision: 1})
	require.Equal(t, fault.Conflict, fault.KindOf(err))

	stands, err := b.Memory.Profile(t.Context(), b.user.ID)
	require.NoError(t, err)
	require.Equal(t, second, stands)
	theirs, err := b.Memory.Profile(t.Context(), other.ID)
	require.NoError(t, err)
	require.Equal(t, chat.UserProfile{}, theirs)
}

func TestSetProfile_RefusesWhatCannotBeKept(t *testing.T) {
	b := setup(t)
	_, err := b.Memory.SetProfile(t.Context(), b.user.ID, chat.UserProfile{Content: strings.Repeat("字", chat.MaxProfile)})
	require.NoError(t, err, "characters, not bytes")
	_, err = b.Memory.SetProfile(t.Context(), b.user.ID, chat.UserProfile{Content: strings.Repeat("字", chat.MaxProfile+3), Revision: 1})
	require.Equal(t, fault.TooLarge, fault.KindOf(err))
	require.ErrorContains(t, err, "shorten it by 3")
	for _, zone := range []string{"Mars/Olympus", "Local", "+08:00", "../etc/passwd"} {
		_, err = b.Memory.SetProfile(t.Context(), b.user.ID, chat.UserProfile{Timezone: zone, Revision: 1})
		require.Equal(t, fault.Invalid, fault.KindOf(err), zone)
	}
	team, err := b.Users.GroupUser(t.Context(), "feishu", chat.ChatGroup, "oc_1")
	require.NoError(t, err)
	_, err = b.Memory.SetProfile(t.Context(), team.ID, chat.UserProfile{Content: "we"})
	require.Equal(t, fault.Invalid, fault.KindOf(err), "a group has none")
}

func TestProfileVersions_KeepWhatWasThereAndWhoChangedIt(t *testing.T) {
	b := setup(t)
	other := b.member("bob")
	none, err := b.Memory.ProfileVersions(t.Context(), b.user.ID)
	require.NoError(t, err)
	require.Empty(t, none)
	require.Equal(t, fault.NotFound, fault.KindOf(b.Memory.DeleteProfileVersion(t.Context(), b.user.ID, 1)))
	for i, p := range []chat.UserProfile{{Content: "Ann", Timezone: "Asia/Shanghai"}, {Content: "Ännchen", Revision: 1}, {Content: "Ännchen"}, {Revision: 2}} {
		_, err := b.Memory.SetProfile(t.Context(), b.user.ID, p)
		require.NoError(t, err, i)
	}
	list, err := b.Memory.ProfileVersions(t.Context(), b.user.ID)
	require.NoError(t, err)
	require.Len(t, list, 3, "what changes nothing is none")
	for i, want := range []chat.ProfileVersion{{Version: 3}, {Version: 2, Characters: 7}, {Version: 1, Characters: 3, Timezone: "Asia/Shanghai"}} {
		require.False(t, list[i].ChangedAt.IsZero())
		want.ChangedAt, want.ChangedBy = list[i].ChangedAt, b.user.Name
		require.Equal(t, want, list[i])
	}
	first, err := b.Memory.ProfileVersion(t.Context(), b.user.ID, 1)
	require.NoError(t, err)
	list[2].Content = "Ann"
	require.Equal(t, list[2], first)

	_, err = b.Memory.ProfileVersion(t.Context(), other.ID, 1)
	require.Equal(t, fault.NotFound, fault.KindOf(err), "another person's")
	require.Equal(t, fault.NotFound, fault.KindOf(b.Memory.DeleteProfileVersion(t.Context(), other.ID, 1)))
	require.Equal(t, fault.Conflict, fault.KindOf(b.Memory.DeleteProfileVersion(t.Context(), b.user.ID, 3)), "it is the profile")
	require.NoError(t, b.Memory.DeleteProfileVersion(t.Context(), b.user.ID, 1))
	_, err = b.Memory.ProfileVersion(t.Context(), b.user.ID, 1)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

func TestProfileVersions_AreAtMostAHundred(t *testing.T) {
	b := setup(t)
	for n := range 103 {
		_, err := b.Memory.SetProfile(t.Context(), b.user.ID, chat.UserProfile{Content: fmt.Sprint("text ", n), Revision: n})
		require.NoError(t, err)
	}
	list, err := b.Memory.ProfileVersions(t.Context(), b.user.ID)
	require.NoError(t, err)
	require.Len(t, list, 100)
	require.Equal(t, 103, list[0].Version)
	require.Equal(t, 4, list[99].Version)
}

func TestLink_ProfilesBecomeOne(t *testing.T) {
	for name, c := range map[string]struct{ mine, theirs, want, note string }{
		"only theirs": {"", "Bob", "Bob", ""},
		"the same":    {"Ann", "Ann", "Ann", ""},
		"both":        {"Ann", "Bob", "Ann\n\nBob", ""},
		"too long":    {strings.Repeat("a", chat.MaxProfile), "Bob", strings.Repeat("a", chat.MaxProfile), "Bob"},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			one, _ := b.met("feishu", "ou_1")
			two, _ := b.met("qq", "u2")
			if c.mine != "" {
				_, err := b.Memory.SetProfile(t.Context(), one.ID, chat.UserProfile{Content: c.mine})
				require.NoError(t, err)
			}
			_, err := b.Memory.SetProfile(t.Context(), two.ID, chat.UserProfile{Content: c.theirs, Timezone: "Europe/Berlin"})
			require.NoError(t, err)
			b.link(one, two, "qq", "u2")
			got, err := b.Memory.Profile(t.Context(), one.ID)
			require.NoError(t, err)
			require.Equal(t, c.want, got.Content)
			require.Equal(t, "Europe/Berlin", got.Timezone)
			gone, err := b.Memory.Profile(t.Context(), two.ID)
			require.NoError(t, err)
			require.Zero(t, gone.Revision)
			left, err := b.Memory.ProfileVersions(t.Context(), two.ID)
			require.NoError(t, err)
			require.Empty(t, left)
			versions, err := b.Memory.ProfileVersions(t.Context(), one.ID)
			require.NoError(t, err)
			require.Equal(t, got.Revision, versions[0].Version)
			require.Equal(t, c.note, b.notes(one.ID)[fmt.Sprintf("linked/%d/profile.md", two.ID)])
		})
	}
}
