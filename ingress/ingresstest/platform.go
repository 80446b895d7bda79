package ingresstest

import (
	"context"
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"xbot/ingress/gateway"
	"xbot/ingress/intake"
	"xbot/ingress/wake"
	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/turn/policy"
	"xbot/internal/user/users"
	"xbot/slash/conversation"
)

// Platform is two replicas of a gateway over one database.
type Platform struct {
	T        *testing.T
	Store    *store.Store
	Pool     *pgxpool.Pool
	Admin    users.User
	Gateways []*gateway.Gateway
}

// NewPlatform makes a platform with a policy for a parallel test.
func NewPlatform(t *testing.T, document string) *Platform {
	t.Helper()
	t.Parallel()
	pool := pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate)
	b := &Platform{T: t, Store: store.New(pool, store.Options{}), Pool: pool}
	admin, err := b.Store.Users.EnsureAdmin(t.Context(), "admin")
	require.NoError(t, err)
	b.Admin = admin
	b.SetPolicy(document)
	for range 2 {
		log := slog.New(slog.DiscardHandler)
		woken := &wake.Dispatcher{Turns: &Wakes{}, Starts: &Starts{}, Users: b.Store.Users, Log: log}
		d := &intake.Dispatcher{Calls: b.Store.Calls, Turns: b.Store.Turns, Wakes: woken}
		g := &gateway.Gateway{
			Stores: gateway.Stores{
				Conversations: b.Store.Conversations, Routing: b.Store.Routing, GroupMessages: b.Store.GroupMessages, Edits: b.Store.Edits,
				Calls: b.Store.Calls, Users: b.Store.Users, Links: b.Store.Links, Notices: b.Store.Notices, Services: b.Store.Services,
				Turns: b.Store.Turns,
			},
			Policies: &policy.Live{Services: b.Store.Services, Settings: b.Store.Settings}, Dispatch: d, Log: log,
		}
		d.Commands = CommandsUnder(inForce{g}, b.Store, append(PlatformCommands(g), conversation.Approve{Questions: d}, conversation.Deny{Questions: d})...)
		t.Cleanup(woken.Wait)
		b.Gateways = append(b.Gateways, g)
	}
	return b
}

// inForce is the policy of a gateway.
type inForce struct{ *gateway.Gateway }

// Get returns it as it is now.
func (g inForce) Get(ctx context.Context) (*policy.Policy, error) { return g.Policies.Get(ctx) }

// SetPolicy puts a policy in force at both replicas.
func (b *Platform) SetPolicy(document string) {
	b.T.Helper()
	p, _, err := policy.Parse([]byte(document))
	require.NoError(b.T, err)
	_, err = b.Store.Settings.SetPolicy(b.T.Context(), b.Admin.ID, p.JSON())
	require.NoError(b.T, err)
	for _, g := range b.Gateways {
		g.Policies = &policy.Live{Services: b.Store.Services, Settings: b.Store.Settings}
	}
}

// Receive delivers a message to both replicas; the second delivery must change nothing.
func (b *Platform) Receive(e chat.Envelope) gateway.Outcome {
	b.T.Helper()
	out, err := b.Gateways[0].Receive(b.T.Context(), e)
	require.NoError(b.T, err)
	again, err := b.Gateways[1].Receive(b.T.Context(), e)
	require.NoError(b.T, err)
	switch out.Result {
	case gateway.ResultAccepted, gateway.ResultAnswered, gateway.ResultOverheard, gateway.ResultDropped, gateway.ResultDuplicate:
		require.Equal(b.T, gateway.ResultDuplicate, again.Result, "the second delivery of %q", e.Text)
		require.Equal(b.T, out.Session, again.Session)
	default:
		require.Equal(b.T, out, again, "the second delivery of %q", e.Text)
	}
	return out
}

// DM returns a direct message.
func DM(id, peer, text string) chat.Envelope {
	return chat.Envelope{Source: chat.Source{Channel: "feishu"}, ID: id, Sender: chat.Peer{ID: peer, Name: "Name of " + peer}, Text: text}
}

// InGroup returns a message in a group.
func InGroup(id, peer, text string) chat.Envelope {
	e := DM(id, peer, text)
	e.ChatType, e.Chat, e.Subject = chat.ChatGroup, "oc_1", "The Team"
	return e
}

// Rows counts the rows of a table.
func (b *Platform) Rows(table string) (n int) {
	b.T.Helper()
	require.NoError(b.T, b.Pool.QueryRow(b.T.Context(), "SELECT count(*) FROM "+table).Scan(&n))
	return n
}

// GroupPolicy lets all users write directly and in the group of InGroup.
const GroupPolicy = `{channels: {feishu: {dmPolicy: "open", allowFrom: ["*"], groups: {oc_1: {}}, accounts: {two: {mentionPatterns: ["two"]}}}}}`
