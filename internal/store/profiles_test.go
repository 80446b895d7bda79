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
	none, err := b.Profile(t.Context(), b.user.ID)
	require.NoError(t, err)
	require.Equal(t, chat.UserProfile{}, none)

	first, err := b.SetProfile(t.Context(), b.user.ID, chat.UserProfile{Content: " Ann, call me captain\x00 \n", Timezone: "Asia/Shanghai"})
	require.NoError(t, err)
	require.Equal(t, "Ann, call me captain", first.Content)
	require.Equal(t, 1, first.Revision)
	again, err := b.SetProfile(t.Context(), b.user.ID, chat.UserProfile{Content: "Ann, call me captain", Timezone: "Asia/Shanghai"})
	require.NoError(t, err, "a repeated call finds what it wrote")
	require.Equal(t, first, again)

	second, err := b.SetProfile(t.Context(), b.user.ID, chat.UserProfile{Content: "Ann", Revision: 1})
	require.NoError(t, err)
	require.Equal(t, 2, second.Revision)
	_, err = b.SetProfile(t.Context(), b.user.ID, chat.UserProfile{Content: "somebody who has not seen it", Revision: 1})
	require.Equal(t, fault.Conflict, fault.KindOf(err))

	stands, err := b.Profile(t.Context(), b.user.ID)
	require.NoError(t, err)
	require.Equal(t, second, stands)
	theirs, err := b.Profile(t.Context(), other.ID)
	require.NoError(t, err)
	require.Equal(t, chat.UserProfile{}, theirs)
}

func TestSetProfile_RefusesWhatCannotBeKept(t *testing.T) {
	b := setup(t)
	_, err := b.SetProfile(t.Context(), b.user.ID, chat.UserProfile{Content: strings.Repeat("字", chat.MaxProfile)})
	require.NoError(t, err, "characters, not bytes")
	_, err = b.SetProfile(t.Context(), b.user.ID, chat.UserProfile{Content: strings.Repeat("字", chat.MaxProfile+3), Revision: 1})
	require.Equal(t, fault.TooLarge, fault.KindOf(err))
	require.ErrorContains(t, err, "shorten it by 3")
	for _, zone := range []string{"Mars/Olympus", "Local", "+08:00", "../etc/passwd"} {
		_, err = b.SetProfile(t.Context(), b.user.ID, chat.UserProfile{Timezone: zone, Revision: 1})
		require.Equal(t, fault.Invalid, fault.KindOf(err), zone)
	}
	team, err := b.GroupUser(t.Context(), "feishu", chat.ChatGroup, "oc_1")
	require.NoError(t, err)
	_, err = b.SetProfile(t.Context(), team.ID, chat.UserProfile{Content: "we"})
	require.Equal(t, fault.Invalid, fault.KindOf(err), "a group has none")
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
				_, err := b.SetProfile(t.Context(), one.ID, chat.UserProfile{Content: c.mine})
				require.NoError(t, err)
			}
			_, err := b.SetProfile(t.Context(), two.ID, chat.UserProfile{Content: c.theirs, Timezone: "Europe/Berlin"})
			require.NoError(t, err)
			b.link(one, two, "qq", "u2")
			got, err := b.Profile(t.Context(), one.ID)
			require.NoError(t, err)
			require.Equal(t, c.want, got.Content)
			require.Equal(t, "Europe/Berlin", got.Timezone)
			gone, err := b.Profile(t.Context(), two.ID)
			require.NoError(t, err)
			require.Zero(t, gone.Revision)
			require.Equal(t, c.note, b.notes(one.ID)[fmt.Sprintf("linked/%d/profile.md", two.ID)])
		})
	}
}
