package slash_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/internal/automation/trigger"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/secret"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/slashcommand"
	"xbot/slash/account"
)

func TestTriggerCommand_MakesSwitchesAndRemovesWithoutShowingASecret(t *testing.T) {
	t.Parallel()
	s := store.New(pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate), store.Options{})
	user, err := s.Users.EnsureAdmin(t.Context(), "alice")
	require.NoError(t, err)
	_, err = s.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: "agent:main:web:thread:1", Owner: user.ID, Channel: "web"})
	require.NoError(t, err)
	book := &trigger.Store{Triggers: s.Triggers, Users: s.Users, Key: secret.Key{1}, Base: "https://xbot.example"}
	run := account.Trigger{Triggers: book}.Run
	say := func(id, args string) (string, error) {
		in := slashcommand.Request{Lang: i18n.English}
		in.User, in.Session, in.PlatformID = user.ID, "agent:main:web:thread:1", id
		return run(t.Context(), in, args)
	}

	said, err := say("m1", "add my build github")
	require.NoError(t, err)
	again, err := say("m1", "add my build github")
	require.NoError(t, err, "a repeated command finds what it made")
	require.Equal(t, said, again)
	made, err := s.Triggers.FindTrigger(t.Context(), user.ID, "my build")
	require.NoError(t, err)
	require.Equal(t, "agent:main:web:thread:1", string(made.Session))
	require.Contains(t, said, "https://xbot.example/hooks/"+made.ID)
	plain, err := secret.Key{1}.Open(made.Secret)
	require.NoError(t, err)
	require.NotContains(t, said, string(plain))

	for _, step := range [][2]string{
		{"disable my build", "refuses calls"}, {"", "my build** · github · off · 0 calls"}, {"enable my build", "accepts calls"}, {"remove my build", "is removed"}, {"list", "no triggers"},
	} {
		said, err := say("m2", step[0])
		require.NoError(t, err, step[0])
		require.Contains(t, said, step[1])
	}
	_, err = say("m3", "add")
	require.True(t, fault.Is(err, fault.Invalid))
	_, err = say("m3", "remove nothing")
	require.True(t, fault.Is(err, fault.NotFound))
}

func TestTriggerCommand_WaitsForNothingThatItsOwnRowHolds(t *testing.T) {
	b := bridged(t, ingresstest.GroupPolicy)
	for _, g := range b.Gateways {
		triggers := account.Trigger{Triggers: &trigger.Store{Triggers: b.Store.Triggers, Users: b.Store.Users, Key: secret.Key{1}, Base: "https://xbot.example"}}
		g.Dispatch.Commands = ingresstest.Commands(b.Store, append(ingresstest.PlatformCommands(g), triggers)...)
	}
	require.Contains(t, b.Receive(ingresstest.DM("m1", "ou_1", "/trigger add ci github")).Reply, "**ci** calls this conversation")
}
