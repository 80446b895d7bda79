package startnotice_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/ingress/startnotice"
	"xbot/internal/channel/accounts/accountstore"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/user/notices"
)

func TestMain(m *testing.M) { ingresstest.Main(m) }

type usual string

func (u usual) Of(context.Context, chat.UserID) (string, error) { return string(u), nil }

// starting is a notice of a server with a bot on NapCat and the given others.
func starting(t *testing.T, others ...string) (*startnotice.Notice, *pgxpool.Pool, *strings.Builder) {
	t.Helper()
	t.Parallel()
	pool := pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate)
	rows := store.New(pool, store.Options{})
	for _, name := range append(others, "napcat") {
		require.NoError(t, rows.Channels.SaveChannelAccount(t.Context(), accountstore.ChannelAccount{Channel: name, Enabled: true, Settings: map[string]string{}}, 0))
	}
	var log strings.Builder
	return &startnotice.Notice{
		Channels: rows.Channels, Notices: rows.Notices, Users: rows.Users, Usual: usual("openai/gpt"), To: chat.Address{ChatType: chat.ChatDirect, Channel: "napcat", Peer: "7"}, Admin: "admin",
		Version: "1.2.3", Address: "http://here", Log: slog.New(slog.NewTextHandler(&log, nil)),
	}, pool, &log
}

func said(t *testing.T, pool *pgxpool.Pool) (texts []string) {
	t.Helper()
	rows, err := pool.Query(t.Context(), "SELECT m.content FROM outbound o JOIN messages m ON m.id = o.message_id WHERE o.state = 'waiting' ORDER BY o.id")
	require.NoError(t, err)
	for rows.Next() {
		var text string
		require.NoError(t, rows.Scan(&text))
		texts = append(texts, text)
	}
	require.NoError(t, rows.Err())
	return texts
}

func TestNotice_SaysWhichServerHasStarted(t *testing.T) {
	n, pool, _ := starting(t)
	require.NoError(t, n.Run(t.Context()))
	require.Equal(t, []string{"xbot 1.2.3 has started: http://here"}, said(t, pool))
}

func TestNotice_SaysWhatIsNotConnected(t *testing.T) {
	n, pool, _ := starting(t, "feishu", "qq")
	n.Usual = usual("demo/demo")
	require.NoError(t, n.Channels.(*accountstore.Store).ReportChannel(t.Context(), "qq", "", false, time.Time{}, 0, "a secret reason"))
	require.NoError(t, n.Run(t.Context()))
	require.Equal(t, []string{"xbot 1.2.3 has started: http://here\nNot connected: feishu, qq\nNo model is connected; the built-in demo answers."}, said(t, pool))
}

func TestNotice_WaitsForBotsThatConnectSoon(t *testing.T) {
	n, pool, _ := starting(t, "feishu")
	n.Patience = time.Minute
	n.Channels = &connecting{Store: n.Channels.(*accountstore.Store)}
	require.NoError(t, n.Run(t.Context()))
	require.Equal(t, []string{"xbot 1.2.3 has started: http://here"}, said(t, pool))
}

// connecting is a store in which a bot is connected at the second look.
type connecting struct {
	*accountstore.Store

	looks int
}

func (c *connecting) ChannelOverview(ctx context.Context) ([]accountstore.ChannelOverview, error) {
	if c.looks++; c.looks == 2 {
		if _, err := c.HoldChannel(ctx, "feishu", "", "h", time.Minute); err != nil {
			return nil, err
		}
		if err := c.ReportChannel(ctx, "feishu", "", true, time.Time{}, 0, ""); err != nil {
			return nil, err
		}
	}
	return c.Store.ChannelOverview(ctx)
}

func TestNotice_WithoutABotForItEndsWithALineInTheLog(t *testing.T) {
	n, pool, log := starting(t)
	n.To.Channel = "qq"
	require.NoError(t, n.Run(t.Context()))
	require.Empty(t, said(t, pool))
	require.Contains(t, log.String(), "STARTUP_NOTIFY_CHAT_ID=none")
	require.Equal(t, 1, strings.Count(log.String(), "level=WARN"))
}

// failing is a store that cannot be reached at first, and once loses the answer to a commit.
type failing struct {
	*notices.Store

	tries int
}

func (f *failing) NotifyOperator(ctx context.Context, n notices.Notice) error {
	f.tries++
	if f.tries == 1 {
		return fault.Errorf(fault.Unavailable, "Postgres does not answer")
	}
	if err := f.Store.NotifyOperator(ctx, n); err != nil || f.tries > 2 {
		return err
	}
	return fault.Errorf(fault.Unavailable, "the connection broke")
}

func TestNotice_IsWrittenOnceThoughTheDatabaseFailsMeanwhile(t *testing.T) {
	n, pool, log := starting(t)
	n.Notices = &failing{Store: n.Notices.(*notices.Store)}
	require.NoError(t, n.Run(t.Context()))
	require.Len(t, said(t, pool), 1)
	require.Equal(t, 1, strings.Count(log.String(), "level=WARN"), "the trouble is told once")
}

func TestNotice_OfAServerThatStopsMeanwhileEndsWithIt(t *testing.T) {
	n, pool, _ := starting(t, "feishu")
	n.Patience = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, n.Run(ctx))
	require.Empty(t, said(t, pool))
}
