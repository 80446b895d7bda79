package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/accounts/accountstore"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
	"xbot/internal/user/users"
)

// takenBy has a second administrator take a conversation, in a chat of a platform.
func (b *bundle) takenBy(c service.Conversation, name string) users.User {
	b.t.Helper()
	other, err := b.Users.CreateUser(b.t.Context(), name, users.RoleAdmin)
	require.NoError(b.t, err)
	require.NoError(b.t, b.Channels.SaveChannelAccount(b.t.Context(), accountstore.ChannelAccount{Channel: "feishu", Enabled: true, Settings: map[string]string{"app_id": "x"}}, 0))
	from := &chat.Address{ChatType: chat.ChatDirect, Peer: "ou_" + name, Channel: "feishu"}
	_, err = b.Services.TakeIn(b.t.Context(), c, servicestore.Actor{User: other.ID, Name: name, From: from}, b.Quota.Zones())
	require.NoError(b.t, err)
	return other
}

// requireGivenBack looks at a conversation that the agent answers again, and that its followers were told of.
func (b *bundle) requireGivenBack(c service.Conversation, why string) {
	b.t.Helper()
	hands, err := b.Services.Handovers(b.t.Context(), []chat.SessionKey{c.Session})
	require.NoError(b.t, err)
	require.Empty(b.t, hands, why)
	require.Equal(b.t, 0, b.count("SELECT count(*) FROM service_conversations WHERE session_key = $1 AND taken_at IS NOT NULL", string(c.Session)), why)
	require.Equal(b.t, 2, b.count("SELECT count(*) FROM feed_events WHERE session_key = $1 AND kind = 'hand'", string(c.Session)), "taken and given back: "+why)
	require.False(b.t, b.asksService(c, "after", "Is anybody there?").Taken, why)
	require.True(b.t, b.claimsIn(c, chat.TurnID("after "+c.ID)), why)
}

func TestServiceHands_AreGivenBackWhenTheirAdministratorIsNoneAnyMore(t *testing.T) {
	for why, end := range map[string]func(b *bundle, id chat.UserID) error{
		"demoted":  func(b *bundle, id chat.UserID) error { return b.Users.SetRole(b.t.Context(), id, users.RoleMember) },
		"disabled": func(b *bundle, id chat.UserID) error { return b.Users.Disable(b.t.Context(), id, &b.user.ID) },
		"deleted":  func(b *bundle, id chat.UserID) error { return b.Users.Delete(b.t.Context(), id, &b.user.ID) },
	} {
		t.Run(why, func(t *testing.T) {
			b := setup(t)
			c := b.consumer()
			other := b.takenBy(c, "second")
			require.True(t, b.asksService(c, "m1", "Who are you?").Taken)
			told := b.count("SELECT count(*) FROM outbound WHERE channel = 'feishu'")
			require.Equal(t, 1, told)
			woken := b.waking()
			require.NoError(t, end(b, other.ID))
			require.Contains(t, woken.wakes, chat.Wake{Kind: chat.WakeTurn, ID: string(c.Session), Channel: service.Channel, Text: "given back"})
			require.Contains(t, woken.wakes, chat.Wake{Kind: chat.WakeTrack, ID: chat.TrackID}, "tasks wait for it")
			b.requireGivenBack(c, why)
			require.Equal(t, told, b.count("SELECT count(*) FROM outbound WHERE channel = 'feishu'"), "nobody is told any more")

			_, err := b.Services.TakeIn(t.Context(), c, servicestore.Actor{User: other.ID, Name: other.Name}, b.Quota.Zones())
			require.Equal(t, fault.Denied, b.kind(err), "and they take none from now on")
		})
	}
}

func TestServiceHands_WhatAConsumerWritesIsToldToAdministratorsAlone(t *testing.T) {
	b := setup(t)
	c := b.consumer()
	other := b.takenBy(c, "second")
	_, err := b.pool.Exec(t.Context(), "UPDATE users SET role = 'member' WHERE id = $1", other.ID) // by somebody who knows nothing of conversations
	require.NoError(t, err)
	b.asksService(c, "m1", "My number is 12345.")
	require.Zero(t, b.count("SELECT count(*) FROM outbound"))
	require.Zero(t, b.count("SELECT count(*) FROM sessions WHERE user_id = $1", int64(other.ID)))
}

func TestServices_OneWhoseAdministratorIsNoneIsClosed(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	other, err := b.Users.CreateUser(ctx, "second", users.RoleAdmin)
	require.NoError(t, err)
	d, err := service.Defaults().Apply(service.Patch{Name: new("Help desk")})
	require.NoError(t, err)
	made, err := b.Services.AddService(ctx, other.ID, d, true)
	require.NoError(t, err)
	key := b.key(made)
	c := b.beginWith(b.caller(key))
	open := func() bool {
		got, err := b.Services.Service(ctx, made.ID)
		require.NoError(t, err)
		require.Equal(t, got.Open(), b.caller(key).Service.Open())
		return got.Open()
	}
	require.True(t, open())
	require.NoError(t, b.Users.SetRole(ctx, other.ID, users.RoleMember))
	require.False(t, open())
	_, _, err = b.Services.ServiceStorage(ctx, c.User)
	require.Equal(t, fault.Denied, b.kind(err), "its conversations have no files")
	require.NoError(t, b.Users.SetRole(ctx, other.ID, users.RoleAdmin))
	require.True(t, open())
}

func TestServiceHands_ATakingStopsTheTurnThatIsJustBeginningByItself(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	c := b.consumer()
	_, err := b.Inbox.Post(ctx, chat.InternalMessage{Session: c.Session, Key: "j1", Origin: chat.OriginCron, Text: "[cron] say something"})
	require.NoError(t, err)
	// The claim has taken the message and does not commit before the taking waits for it.
	_, err = b.pool.Exec(ctx, `CREATE FUNCTION waits() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			FOR i IN 1..1000 LOOP
				EXIT WHEN EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock');
				PERFORM pg_stat_clear_snapshot(), pg_sleep(0.01);
			END LOOP;
			RETURN NEW;
		END $$;
		CREATE TRIGGER waits AFTER UPDATE OF outcome ON inbox FOR EACH ROW WHEN (NEW.outcome = 'claimed') EXECUTE FUNCTION waits()`)
	require.NoError(t, err)
	claimed := make(chan error, 1)
	go func() {
		_, ok, err := b.Turns.Claim(ctx, c.Session, "t1", "run", 0)
		if err == nil && !ok {
			err = errors.New("nothing was claimed")
		}
		claimed <- err
	}()
	require.Eventually(t, func() bool {
		return b.count("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND wait_event = 'PgSleep'") > 0
	}, time.Minute, time.Millisecond, "the claim did not begin")
	turn, err := b.Services.TakeIn(ctx, c, b.by(), b.Quota.Zones())
	require.NoError(t, err)
	require.NoError(t, <-claimed)
	require.Equal(t, chat.TurnID("t1"), turn, "the agent goes on speaking where a person answers")
}
