package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/secret"
	"xbot/internal/turn/shares"
)

// share makes a link of a day and returns the hash of its token.
func (b *bundle) share() (shares.ShareLink, []byte) {
	b.t.Helper()
	_, hash := secret.NewToken()
	made, err := b.Shares.MakeShare(b.t.Context(), key, hash, 1)
	require.NoError(b.t, err)
	return made, hash
}

func (b *bundle) shown(hash []byte) shares.Shared {
	b.t.Helper()
	got, err := b.Shares.Shared(b.t.Context(), hash)
	require.NoError(b.t, err)
	return got
}

// texts are those that a link shows.
func (b *bundle) texts(hash []byte) (out []string) {
	b.t.Helper()
	for _, m := range b.shown(hash).Messages {
		out = append(out, m.Text)
	}
	return out
}

func TestShared_IsTheConversationOfThenWhateverIsSaidTakenBackOrBroughtBackLater(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	b.exchange("t1", "a")
	a := b.id("a")
	b.branch("t2", a, "b")
	onB := []string{"q0", "answer to q0", "b", "answer to b"}
	_, hash := b.share()
	require.Equal(t, onB, b.texts(hash))

	b.exchange("t3", "later")
	require.Equal(t, onB, b.texts(hash), "what is said later is not in it")
	require.NoError(t, b.Branches.SwitchBranch(t.Context(), key, a))
	require.Equal(t, []string{"q0", "answer to q0", "a", "answer to a"}, b.said())
	require.Equal(t, onB, b.texts(hash), "nor what was out of it then")
	_, onA := b.share()
	require.NoError(t, b.Branches.SwitchBranch(t.Context(), key, b.id("b")))
	require.Equal(t, onB, b.texts(hash))
	require.Equal(t, []string{"q0", "answer to q0", "a", "answer to a"}, b.texts(onA))
}

func TestShared_HasWhatPeopleSeeAndNamesOfToolsAlone(t *testing.T) {
	b := setup(t)
	b.work("t1", "look")
	for origin, text := range map[string]string{chat.OriginCommand: "/set-llm sk-1", chat.OriginCron: "[cron fired]", chat.OriginOverheard: "overheard", chat.OriginSuperseded: "superseded"} {
		_, err := b.pool.Exec(t.Context(), `INSERT INTO messages (session_key, role, content, origin) VALUES ($1, 'user', $2, $3)`, key, text, origin)
		require.NoError(t, err)
	}
	for text, column := range map[string]string{"kept silent": "silent", "for the display": "display_only"} {
		_, err := b.pool.Exec(t.Context(), fmt.Sprintf(`INSERT INTO messages (session_key, role, content, %s) VALUES ($1, 'assistant', $2, true)`, column), key, text)
		require.NoError(t, err)
	}
	_, err := b.pool.Exec(t.Context(), `INSERT INTO messages (session_key, role, content, deliver) VALUES ($1, 'assistant', 'held back', false)`, key)
	require.NoError(t, err)
	_, err = b.pool.Exec(t.Context(), `INSERT INTO messages (session_key, role, content, shown, reasoning) VALUES ($1, 'assistant', 'hidden and seen', 'seen', 'thought')`, key)
	require.NoError(t, err)

	_, hash := b.share()
	got := b.shown(hash)
	require.Equal(t, []string{"look", "let me look", "answer to look", "seen"}, b.texts(hash))
	require.Equal(t, []string{"Shell", "Shell"}, got.Messages[1].Tools)
	require.False(t, got.More)
	all := fmt.Sprintf("%+v", got)
	for _, hidden := range []string{`"command"`, "result 0", "thought", "hidden"} {
		require.NotContains(t, all, hidden)
	}
}

func TestShared_IsBounded(t *testing.T) {
	b := setup(t)
	insert := func(text string, n int) {
		_, err := b.pool.Exec(t.Context(), `INSERT INTO messages (session_key, role, content) SELECT $1, 'user', $2 || i FROM generate_series(1, $3::int) i`, key, text, n)
		require.NoError(t, err)
	}
	insert("m", shares.MaxMessages)
	_, whole := b.share()
	require.Len(t, b.texts(whole), shares.MaxMessages)
	require.False(t, b.shown(whole).More)
	insert("last", 1)
	_, more := b.share()
	texts := b.texts(more)
	require.Len(t, texts, shares.MaxMessages)
	require.Equal(t, []string{"m2", "last1"}, []string{texts[0], texts[shares.MaxMessages-1]})
	require.True(t, b.shown(more).More)

	insert(strings.Repeat("x", shares.MaxBytes/2), 3)
	_, long := b.share()
	require.Len(t, b.texts(long), 2, "the newest until they are long enough")
	require.True(t, b.shown(long).More)
}

func TestShare_ShowsNothingOnceRevokedExpiredItsPersonShutOutOrItsConversationDeleted(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	b.exchange("t0", "q0")
	_, unknown := secret.NewToken()
	_, err := b.Shares.Shared(ctx, unknown)
	require.Equal(t, fault.NotFound, b.kind(err))
	nothing := func(hash []byte) {
		t.Helper()
		_, again := b.Shares.Shared(ctx, hash)
		require.Equal(t, err, again, "one answer for all")
	}

	revoked, hash := b.share()
	require.NoError(t, b.Shares.RevokeShare(ctx, key, revoked.ID))
	nothing(hash)
	require.Equal(t, fault.NotFound, b.kind(b.Shares.RevokeShare(ctx, key, revoked.ID)))

	kept, other := b.share()
	expired, hash := b.share()
	_, failed := b.pool.Exec(ctx, `UPDATE shares SET expires_at = now() WHERE id = $1`, expired.ID)
	require.NoError(t, failed)
	nothing(hash)
	require.Equal(t, fault.NotFound, b.kind(b.Shares.RevokeShare(ctx, "agent:main:web:thread:u", kept.ID)), "it is of another conversation")
	list, failed := b.Shares.Shares(ctx, key)
	require.NoError(t, failed)
	require.Equal(t, []shares.ShareLink{kept}, list)
	require.Equal(t, b.id("answer to q0"), kept.Upto)

	_, failed = b.pool.Exec(ctx, `UPDATE users SET disabled_at = now()`)
	require.NoError(t, failed)
	nothing(other)
	_, failed = b.pool.Exec(ctx, `UPDATE users SET disabled_at = NULL`)
	require.NoError(t, failed)
	b.shown(other)
	require.NoError(t, b.Agents.DeleteSession(ctx, key))
	nothing(other)
	var left int
	require.NoError(t, b.pool.QueryRow(ctx, `SELECT count(*) FROM shares`).Scan(&left))
	require.Zero(t, left)
}

func TestShare_AConversationHasSoManyAndExpiredOnesMakeRoom(t *testing.T) {
	b := setup(t)
	for range shares.MaxShares {
		b.share()
	}
	_, hash := secret.NewToken()
	_, err := b.Shares.MakeShare(t.Context(), key, hash, 1)
	require.Equal(t, fault.Conflict, b.kind(err))
	_, err = b.pool.Exec(t.Context(), `UPDATE shares SET expires_at = now() WHERE id = (SELECT min(id) FROM shares)`)
	require.NoError(t, err)
	b.share()
	_, err = b.Shares.MakeShare(t.Context(), "agent:main:web:thread:none", hash, 1)
	require.Equal(t, fault.NotFound, b.kind(err))
}
