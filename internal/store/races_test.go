package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/secret"
	"xbot/internal/turn/engine"
	"xbot/internal/user/links"
)

// patience is how long a test waits for what must happen.
const patience = time.Minute

// hold runs a statement in a transaction, and then does while the transaction is open, once that waits for a lock. It
// returns when both have ended.
func (b *bundle) hold(statement string, args []any, do func()) {
	b.t.Helper()
	tx, err := b.pool.Begin(b.t.Context())
	require.NoError(b.t, err)
	defer tx.Rollback(context.WithoutCancel(b.t.Context())) //nolint:errcheck // it was committed
	_, err = tx.Exec(b.t.Context(), statement, args...)
	require.NoError(b.t, err)
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	b.waits()
	require.NoError(b.t, tx.Commit(b.t.Context()))
	select {
	case <-done:
	case <-time.After(patience):
		b.t.Fatal("it still waits")
	}
}

// waits waits until somebody waits for a lock.
func (b *bundle) waits() {
	b.t.Helper()
	require.Eventually(b.t, func() bool {
		waits := false
		err := b.pool.QueryRow(b.t.Context(), "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')").Scan(&waits)
		return err == nil && waits
	}, patience, 5*time.Millisecond)
}

func TestClaim_TakesWhatIsBeingChangedAsItIsThen(t *testing.T) {
	for _, mode := range []chat.Queue{{}, collect} {
		t.Run(string(mode.Mode), func(t *testing.T) {
			b := setup(t)
			first := b.say("m1", mode)
			b.say("m2", mode)
			b.quiet()
			var got chat.Claim
			ok, err := false, error(nil)
			b.hold("UPDATE inbox SET original = body, body = 'changed' WHERE id = $1", []any{first.ID}, func() {
				got, ok, err = b.Turns.Claim(t.Context(), key, "t1", "r1", 0)
			})
			require.NoError(t, err)
			require.True(t, ok)
			require.Equal(t, "changed", got.Text)
			require.Equal(t, "changed", b.spoken()[0])
			if mode == collect {
				require.Equal(t, []string{"changed", "text m2"}, b.spoken())
			}
		})
	}
}

func TestClaim_LeavesOutWhatIsBeingTakenBack(t *testing.T) {
	for _, mode := range []chat.Queue{{}, collect} {
		t.Run(string(mode.Mode), func(t *testing.T) {
			b := setup(t)
			first := b.say("m1", mode)
			b.say("m2", mode)
			b.say("m3", mode)
			b.quiet()
			ok, err := false, error(nil)
			b.hold("UPDATE inbox SET outcome = 'recalled' WHERE id = $1", []any{first.ID}, func() {
				_, ok, err = b.Turns.Claim(t.Context(), key, "t1", "r1", 0)
			})
			require.NoError(t, err)
			require.True(t, ok)
			require.NotContains(t, b.spoken(), "text m1")
			require.Equal(t, "text m2", b.spoken()[0])
		})
	}
}

func TestFull_RoomThatComesMeanwhileIsUsed(t *testing.T) {
	for _, drop := range []chat.DropPolicy{chat.DropOld, chat.DropSummarize} {
		t.Run(string(drop), func(t *testing.T) {
			b := setup(t)
			one := chat.Queue{Cap: 1, Drop: drop}
			b.say("m1", one)
			in := b.inbound("m2", "text m2")
			in.Queue = one
			var got engine.Accepted
			var err error
			b.hold("WITH took AS (UPDATE inbox SET outcome = 'claimed') SELECT pg_advisory_xact_lock(hashtextextended('queue ' || $1, 0))", []any{string(key)}, func() {
				got, err = b.Turns.Accept(t.Context(), in)
			})
			require.NoError(t, err, "a turn has claimed the message that was in the way")
			require.Empty(t, got.Dropped)
			require.Equal(t, 1, got.Position)
		})
	}
}

func TestOverheard_IsKeptThoughTheClaimWasLost(t *testing.T) {
	b := setup(t)
	b.group()
	require.True(t, b.overhear("m1", "Bob", "the build is red", time.Now().Add(-time.Minute), 50))
	_, err := b.Turns.Accept(t.Context(), engine.NewRow{Session: groupKey, User: b.user.ID, Channel: "feishu", PlatformID: "m2", Text: "fix it", Sender: "Al"})
	require.NoError(t, err)
	for _, turn := range []chat.TurnID{"t1", "t2"} {
		_, ok, err := b.Turns.Claim(t.Context(), groupKey, turn, "r", 0)
		require.NoError(t, err)
		require.True(t, ok)
		got := b.groupTalk(groupKey)
		require.Len(t, got, 2, string(turn))
		require.Contains(t, got[0].Content, "Bob: the build is red")
		require.Equal(t, "fix it", got[1].Content)
		settled, err := b.Turns.SettleTurn(t.Context(), turn)
		require.NoError(t, err)
		require.Equal(t, engine.SettledReleased, settled)
	}
}

func TestSuperseded_ComesIntoTheTranscriptThoughWhatReplacedItDoesNot(t *testing.T) {
	for name, end := range map[string]func(b *bundle){
		"taken back": func(b *bundle) {
			changed, err := b.RecallQueued(b.t.Context(), "m2")
			require.NoError(b.t, err)
			require.True(b.t, changed)
		},
		"stopped": func(b *bundle) {
			_, err := b.Turns.Stop(b.t.Context(), b.inbound("s1", "/stop"), i18n.English)
			require.NoError(b.t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			b.say("m1", supersede)
			b.say("m2", supersede)
			end(b)
			b.say("m3", chat.Queue{})
			b.claim("t1")
			require.Contains(t, b.spoken(), "superseded: text m1", name)
			require.NotContains(t, b.spoken(), "text m2", name)
		})
	}
}

func TestSuperseded_ComesIntoTheTranscriptThoughItsHeirIsBeingClaimed(t *testing.T) {
	b := setup(t)
	b.say("m1", supersede)
	b.say("m2", supersede)
	heir := b.say("m3", chat.Queue{})
	tx, err := b.pool.Begin(t.Context())
	require.NoError(t, err)
	defer tx.Rollback(context.WithoutCancel(t.Context())) //nolint:errcheck // it was committed
	_, err = tx.Exec(t.Context(), "UPDATE inbox SET outcome = 'claimed' WHERE id = $1", heir.ID)
	require.NoError(t, err)
	changed, err := b.RecallQueued(t.Context(), "m2")
	require.NoError(t, err)
	require.True(t, changed)
	require.NoError(t, tx.Commit(t.Context()))
	b.say("m4", chat.Queue{})
	b.claim("t1")
	require.Equal(t, []string{"superseded: text m1", "text m4"}, b.spoken())
}

func TestExpiry_AWrittenStopIsNotTheConversationGoingOn(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	b.rest(2 * time.Hour)
	in := b.inbound("s1", "/stop")
	in.Expired = idleFor(time.Hour)
	_, err := b.Turns.Stop(t.Context(), in, i18n.English)
	require.NoError(t, err)
	b.sendLater("m1", "q1")
	b.claim("t1")
	require.Equal(t, 1, b.resets(), "nobody had said a word for two hours")
	require.Equal(t, []string{"q1"}, b.seen())
}

func TestStop_DeliveredTwiceAtOneInstantIsOneStop(t *testing.T) {
	b := setup(t)
	b.send("m1", "hello")
	const first = `INSERT INTO inbox (session_key, user_id, kind, channel, account, platform_id, body, outcome)
		VALUES ($1, $2, 'stop', 'web', '', 's1', '/stop', 'applied')`
	var got engine.Stopped
	var err error
	b.hold(first, []any{string(key), int64(b.user.ID)}, func() {
		got, err = b.Turns.Stop(t.Context(), b.inbound("s1", "/stop"), i18n.English)
	})
	require.NoError(t, err)
	require.True(t, got.Duplicate)
	require.Empty(t, b.dropped(), "what was written meanwhile waits")
}

func TestLink_DoesNotLockUpWithAClaim(t *testing.T) {
	b := setup(t)
	one, oneKey := b.met("feishu", "ou_1")
	two, twoKey := b.met("qq", "u2")
	_, err := b.Turns.Accept(t.Context(), engine.NewRow{Session: twoKey, User: two.ID, Channel: "qq", PlatformID: "m1", Text: "hi"})
	require.NoError(t, err)
	require.NoError(t, b.Links.NewLinkCode(t.Context(), one.ID, oneKey, secret.HashToken("CODE")))
	claim, err := b.pool.Begin(t.Context())
	require.NoError(t, err)
	defer claim.Rollback(context.WithoutCancel(t.Context())) //nolint:errcheck // it was committed
	_, err = claim.Exec(t.Context(), "UPDATE inbox SET woken_at = now() WHERE session_key = $1", twoKey)
	require.NoError(t, err)
	linked := make(chan error, 1)
	go func() {
		_, err := b.Links.UseLinkCode(t.Context(), links.Link{Hash: secret.HashToken("CODE"), User: two.ID, Channel: "qq", Peer: "u2", Lang: i18n.English})
		linked <- err
	}()
	b.waits()
	_, err = claim.Exec(t.Context(), "UPDATE sessions SET title = 'claimed' WHERE key = $1", twoKey)
	require.NoError(t, err)
	require.NoError(t, claim.Commit(t.Context()))
	require.NoError(t, <-linked)
}
