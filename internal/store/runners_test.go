package store_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox/runners"
	"xbot/internal/user/settings"
	"xbot/internal/user/users"
	"xbot/runner/wire"
)

func hashOf(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// member adds a user who is no administrator.
func (b *bundle) member(name string) users.User {
	b.t.Helper()
	u, err := b.Users.CreateUser(b.t.Context(), name, users.RoleMember)
	require.NoError(b.t, err)
	return u
}

func TestRunner_ANameIsTakenUntilItIsRevoked(t *testing.T) {
	b := setup(t)
	bob := b.member("bob")
	require.NoError(t, b.Runners.CreateRunner(t.Context(), b.user.ID, "laptop", hashOf("one")))
	err := b.Runners.CreateRunner(t.Context(), b.user.ID, "laptop", hashOf("two"))
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	require.ErrorContains(t, err, "choose another name")
	require.NoError(t, b.Runners.CreateRunner(t.Context(), bob.ID, "laptop", hashOf("bob's")), "names are each user's own")

	_, err = b.Runners.Connected(t.Context(), "1/laptop", "http://a", hashOf("one"), wire.Info{Version: "0.1"})
	require.NoError(t, err)
	require.NoError(t, b.Runners.RevokeRunner(t.Context(), b.user.ID, "laptop"))
	require.NoError(t, b.Runners.CreateRunner(t.Context(), b.user.ID, "laptop", hashOf("three")))
	mine, err := b.Runners.RunnersOf(t.Context(), b.user.ID, false)
	require.NoError(t, err)
	require.Len(t, mine, 1)
	require.Nil(t, mine[0].Info, "nothing of the one before")
	_, _, _, err = b.Runners.RunnerByToken(t.Context(), hashOf("one"))
	require.Equal(t, fault.Denied, fault.KindOf(err))
}

func TestRunner_ATokenStandsForItsOwnersRunnerUntilItIsRevokedOrReplaced(t *testing.T) {
	b := setup(t)
	bob := b.member("bob")
	require.NoError(t, b.Runners.CreateRunner(t.Context(), b.user.ID, "laptop", hashOf("alice's")))
	require.NoError(t, b.Runners.CreateRunner(t.Context(), bob.ID, "laptop", hashOf("bob's")))
	name, user, admin, err := b.Runners.RunnerByToken(t.Context(), hashOf("bob's"))
	require.NoError(t, err)
	require.Equal(t, "laptop", name)
	require.Equal(t, bob.ID, user, "never somebody else")
	require.False(t, admin)

	require.NoError(t, b.Runners.RenewRunner(t.Context(), bob.ID, "laptop", hashOf("new")))
	for _, dead := range []string{"bob's", "guess", ""} {
		_, _, _, err = b.Runners.RunnerByToken(t.Context(), hashOf(dead))
		require.Equal(t, fault.Denied, fault.KindOf(err), dead)
	}
	good, err := b.Runners.RunnersSeen(t.Context(), [][]byte{hashOf("alice's"), hashOf("bob's"), hashOf("new")})
	require.NoError(t, err)
	require.ElementsMatch(t, [][]byte{hashOf("alice's"), hashOf("new")}, good)

	require.NoError(t, b.Runners.RevokeRunner(t.Context(), bob.ID, "laptop"))
	for _, err := range []error{
		b.Runners.RevokeRunner(t.Context(), bob.ID, "laptop"), b.Runners.RenewRunner(t.Context(), bob.ID, "laptop", hashOf("x")),
		b.Runners.RevokeRunner(t.Context(), bob.ID, "none"),
	} {
		require.Equal(t, fault.NotFound, fault.KindOf(err))
	}
	name, user, _, err = b.Runners.RunnerByToken(t.Context(), hashOf("alice's"))
	require.NoError(t, err)
	require.Equal(t, "laptop", name)
	require.Equal(t, b.user.ID, user, "another's of the same name stands")
}

func TestRunners_AreListedWithWhatTheySaidAndOnlineWhileTheyAreSeen(t *testing.T) {
	b := setup(t)
	bob := b.member("bob")
	_, err := b.Runners.EnsureRunner(t.Context(), b.user.ID, "local", hashOf("host"))
	require.NoError(t, err)
	_, err = b.Runners.EnsureRunner(t.Context(), bob.ID, "__docker__", hashOf("container"))
	require.NoError(t, err)
	require.NoError(t, b.Runners.CreateRunner(t.Context(), bob.ID, "laptop", hashOf("bob's")))
	info := wire.Info{
		Workspace: "/home/bob\x1b[2J\x00", Version: "0.1", Confinement: "none: no\nnamespaces", LLM: &wire.LLM{Provider: "openai", Model: "m\a"},
	}
	epoch, err := b.Runners.Connected(t.Context(), "2/laptop", "http://a", hashOf("bob's"), info)
	require.NoError(t, err)

	laptop := func() runners.Runner {
		all, err := b.Runners.RunnersOf(t.Context(), bob.ID, false)
		require.NoError(t, err)
		require.Len(t, all, 2, "the host is not theirs")
		require.Equal(t, "laptop", all[1].Name)
		return all[1]
	}
	got := laptop()
	require.True(t, got.Online)
	require.Equal(t, "bob", got.Owner)
	require.Equal(t, "/home/bob [2J", got.Info.Workspace, "no control characters")
	require.Equal(t, "none: no namespaces", got.Info.Confinement)
	require.Equal(t, wire.LLM{Provider: "openai", Model: "m "}, *got.Info.LLM)

	_, err = b.pool.Exec(t.Context(), "UPDATE connections SET seen_at = now() - interval '1 minute'")
	require.NoError(t, err)
	require.False(t, laptop().Online, "its ingress was killed")
	_, err = b.Runners.RunnersSeen(t.Context(), [][]byte{hashOf("bob's")})
	require.NoError(t, err)
	require.True(t, laptop().Online)
	require.NoError(t, b.Runners.Disconnected(t.Context(), "2/laptop", epoch))
	require.False(t, laptop().Online)

	alices, err := b.Runners.RunnersOf(t.Context(), bob.ID, true)
	require.NoError(t, err)
	require.Len(t, alices, 3, "with the host")
	all, err := b.Runners.Runners(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 3)
}

func TestConnection_OfAKilledHolderHasEndedUntilSomebodySaysOtherwise(t *testing.T) {
	b := setup(t)
	_, err := b.Runners.EnsureRunner(t.Context(), b.user.ID, "local", hashOf("host"))
	require.NoError(t, err)
	_, err = b.Runners.Connected(t.Context(), "local", "http://a", hashOf("host"), wire.Info{})
	require.NoError(t, err)
	is := func(want bool) {
		t.Helper()
		_, _, held, err := b.Runners.Holder(t.Context(), "local")
		require.NoError(t, err)
		require.Equal(t, want, held)
		counts, err := b.Inspection.InspectCounts(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, counts.Runners == 1, "xbot status")
		all, err := b.Runners.Runners(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, all[0].Online, "xbot runner list")
	}
	is(true)
	_, err = b.pool.Exec(t.Context(), "UPDATE connections SET seen_at = now() - interval '1 minute'")
	require.NoError(t, err)
	is(false)
	_, err = b.Runners.RunnersSeen(t.Context(), [][]byte{hashOf("host")})
	require.NoError(t, err)
	is(true)
}

func TestRunnerChoice_PrefersWhatIsAskedToWhatIsActive(t *testing.T) {
	b := setup(t)
	bob := b.member("bob")
	require.NoError(t, b.Runners.CreateRunner(t.Context(), b.user.ID, "laptop", hashOf("alice's")))
	choice := func(user chat.UserID, asked string) (string, bool, bool) {
		got, err := b.Runners.RunnerChoice(t.Context(), user, asked)
		require.NoError(t, err)
		return got.Name, got.Known, got.Admin
	}
	check := func(user chat.UserID, asked, name string, known, admin bool) {
		t.Helper()
		gotName, gotKnown, gotAdmin := choice(user, asked)
		require.Equal(t, []any{name, known, admin}, []any{gotName, gotKnown, gotAdmin})
	}
	check(b.user.ID, "", "", false, true)
	require.NoError(t, b.Settings.SetUserSetting(t.Context(), b.user.ID, settings.ActiveRunner, "laptop"))
	check(b.user.ID, "", "laptop", true, true)
	check(b.user.ID, "local", "local", false, true)
	check(bob.ID, "", "", false, false)
	check(bob.ID, "laptop", "laptop", false, false)
	require.NoError(t, b.Runners.RevokeRunner(t.Context(), b.user.ID, "laptop"))
	check(b.user.ID, "", "laptop", false, true)
	require.NoError(t, b.Settings.SetUserSetting(t.Context(), b.user.ID, settings.ActiveRunner, ""))
	check(b.user.ID, "", "", false, true)
}

func TestRunnerChoice_KnowsTheOnlyRunnerThatIsConnected(t *testing.T) {
	b := setup(t)
	bob := b.member("bob")
	sole := func() string {
		t.Helper()
		got, err := b.Runners.RunnerChoice(t.Context(), bob.ID, "")
		require.NoError(t, err)
		return got.Sole
	}
	connect := func(name string) (epoch int64) {
		t.Helper()
		epoch, err := b.Runners.Connected(t.Context(), fmt.Sprintf("%d/%s", bob.ID, name), "here", hashOf(name), wire.Info{})
		require.NoError(t, err)
		return epoch
	}
	require.NoError(t, b.Runners.CreateRunner(t.Context(), bob.ID, "laptop", hashOf("laptop")))
	require.NoError(t, b.Runners.CreateRunner(t.Context(), bob.ID, "desk", hashOf("desk")))
	require.NoError(t, b.Runners.CreateRunner(t.Context(), b.user.ID, "other", hashOf("other")))
	require.Empty(t, sole(), "none was ever connected")

	laptop := connect("laptop")
	require.Equal(t, "laptop", sole())
	require.NoError(t, b.Runners.Disconnected(t.Context(), fmt.Sprintf("%d/laptop", bob.ID), laptop))
	require.Equal(t, "laptop", sole(), "a call waits for it: there is no other one")

	connect("desk")
	require.Equal(t, "desk", sole(), "the other one is away")
	connect("laptop")
	require.Empty(t, sole(), "which of the two is for the person to say")
	require.NoError(t, b.Runners.RevokeRunner(t.Context(), bob.ID, "desk"))
	require.Equal(t, "laptop", sole())
}

func TestCwd_IsToldToTheModelOnTheRunnerItIsAFolderOf(t *testing.T) {
	for name, c := range map[string]struct {
		cwdRunner, active string
		told              bool
	}{
		"the same runner":  {"laptop", "laptop", true},
		"another runner":   {"laptop", "desk", false},
		"nobody knows":     {"", "desk", true},
		"the default":      {"local", "", true},
		"left the default": {"local", "laptop", false},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			require.NoError(t, b.Settings.SetUserSetting(t.Context(), b.user.ID, settings.ActiveRunner, c.active))
			require.NoError(t, b.Conversations.SetCwd(t.Context(), key, c.cwdRunner, "/src"))
			b.send("m1", "hello")
			b.claim("t1")
			window, err := b.Conversations.Window(t.Context(), key)
			require.NoError(t, err)
			require.Equal(t, c.told, strings.Contains(window.Lines[0].Preface, "folder /src"), window.Lines[0].Preface)
		})
	}
}

func TestSettings_AreEachUsersOwn(t *testing.T) {
	b := setup(t)
	bob := b.member("bob")
	require.NoError(t, b.Settings.SetUserSetting(t.Context(), bob.ID, settings.LLMSource, "server"))
	require.NoError(t, b.Settings.SetUserSetting(t.Context(), bob.ID, settings.LLMSource, "server"))
	value, err := b.Settings.UserSetting(t.Context(), b.user.ID, settings.LLMSource)
	require.NoError(t, err)
	require.Empty(t, value)
	value, err = b.Settings.UserSetting(t.Context(), bob.ID, settings.LLMSource)
	require.NoError(t, err)
	require.Equal(t, "server", value)
}

func TestModelWanted_KnowsConversationsOfGroups(t *testing.T) {
	b := setup(t)
	for kind, group := range map[string]bool{"group": true, "person": false} {
		_, err := b.pool.Exec(t.Context(), "UPDATE users SET kind = $1 WHERE id = (SELECT user_id FROM sessions WHERE key = $2)", kind, key)
		require.NoError(t, err)
		w, err := b.Settings.ModelWanted(t.Context(), key)
		require.NoError(t, err)
		require.Equal(t, group, w.OfGroup)
	}
}

func TestModelWanted_OnlyWhereARunnerOffersOneAndTheServersIsNotAskedFor(t *testing.T) {
	b := setup(t)
	bob := b.member("bob")
	wanted := func() bool {
		w, err := b.Settings.ModelWanted(t.Context(), key)
		require.NoError(t, err)
		require.Equal(t, b.user.ID, w.User)
		require.Empty(t, w.Runner)
		return w.Own
	}
	offered := func(user chat.UserID) *wire.LLM {
		model, err := b.Settings.ModelOffered(t.Context(), user, "laptop")
		require.NoError(t, err)
		return model
	}
	require.NoError(t, b.Runners.CreateRunner(t.Context(), b.user.ID, "laptop", hashOf("one")))
	require.False(t, wanted(), "it never connected")
	require.Nil(t, offered(b.user.ID))
	_, err := b.Runners.Connected(t.Context(), "1/laptop", "", hashOf("one"), wire.Info{})
	require.NoError(t, err)
	require.False(t, wanted(), "it offers none")
	require.Nil(t, offered(b.user.ID))
	_, err = b.Runners.Connected(t.Context(), "1/laptop", "", hashOf("one"), wire.Info{LLM: &wire.LLM{Provider: "openai", Model: "m"}})
	require.NoError(t, err)
	require.True(t, wanted())
	require.Equal(t, &wire.LLM{Provider: "openai", Model: "m"}, offered(b.user.ID))
	require.Nil(t, offered(bob.ID), "another's")

	require.NoError(t, b.Settings.SetUserSetting(t.Context(), b.user.ID, settings.LLMSource, "server"))
	require.False(t, wanted())
	require.NoError(t, b.Settings.SetUserSetting(t.Context(), b.user.ID, settings.LLMSource, ""))
	require.NoError(t, b.Runners.RevokeRunner(t.Context(), b.user.ID, "laptop"))
	require.False(t, wanted())
	require.Nil(t, offered(b.user.ID))
}
