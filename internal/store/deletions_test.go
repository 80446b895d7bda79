package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/user/settings"
	"xbot/internal/user/users"
)

// left lists the tables that still name a user.
func (b *bundle) left(id chat.UserID) (tables []string) {
	b.t.Helper()
	rows, err := b.pool.Query(b.t.Context(), `SELECT c.table_name || ' ' || c.column_name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
		WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.data_type = 'bigint' AND c.column_name IN ('user_id', 'changed_by', 'granted_by', 'made_by', 'disabled_by')`)
	require.NoError(b.t, err)
	columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(b.t, err)
	require.Greater(b.t, len(columns), 20)
	for _, at := range columns {
		table, column, _ := strings.Cut(at, " ")
		var n int
		require.NoError(b.t, b.pool.QueryRow(b.t.Context(), fmt.Sprintf("SELECT count(*) FROM %s WHERE %s = $1", table, column), id).Scan(&n))
		if n > 0 && table != "deletions" {
			tables = append(tables, table)
		}
	}
	return tables
}

func TestDelete_ShutsThePersonOutAndIsAPromiseThatCannotBeTakenBack(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	ann := b.member("ann")
	require.Equal(t, fault.Conflict, b.kind(b.Users.Delete(ctx, b.user.ID, nil)), "the last administrator stays")
	require.Equal(t, fault.NotFound, b.kind(b.Users.Delete(ctx, 4711, nil)))
	none, err := b.DeletionsToStart(ctx)
	require.NoError(t, err)
	require.Empty(t, none)

	b.conversation("agent:main:web:thread:hers", ann.ID, "main", chat.ChatThread)
	require.NoError(t, b.Users.Delete(ctx, ann.ID, &b.user.ID))
	require.NoError(t, b.Users.Delete(ctx, ann.ID, nil), "it may be asked for again")
	people, err := b.Users.Accounts(ctx)
	require.NoError(t, err)
	require.Equal(t, "admin", people[1].DisabledBy)
	require.NotNil(t, people[1].DeletingSince)
	require.Equal(t, 1, people[1].Had)
	err = b.Users.Enable(ctx, ann.ID)
	require.Equal(t, fault.Conflict, b.kind(err))
	require.ErrorContains(t, err, "ann is being deleted")
	_, err = b.Users.CreateUser(ctx, "ann", users.RoleMember)
	require.Equal(t, fault.Conflict, b.kind(err), "the name is free once she is gone")

	ids, err := b.DeletionsToStart(ctx)
	require.NoError(t, err)
	require.Equal(t, []chat.UserID{ann.ID}, ids)
	ids, err = b.DeletionsToStart(ctx)
	require.NoError(t, err)
	require.Empty(t, ids, "it is trusted for a while")
	d, err := b.Users.Deletion(ctx, ann.ID)
	require.NoError(t, err)
	require.Equal(t, "ann", d.Name)
	require.Equal(t, 1, d.Left)
	gone, err := b.Users.Deleted(ctx, []chat.UserID{ann.ID, b.user.ID})
	require.NoError(t, err)
	require.Empty(t, gone)
}

func TestDelete_WaitsForTurnsThatThePersonHasElsewhere(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	ann := b.member("ann")
	in := b.inbound("m1", "a question of hers in a conversation of others")
	in.User = ann.ID
	_, err := b.Turns.Accept(ctx, in)
	require.NoError(t, err)
	_, ok := b.claim("t1")
	require.True(t, ok)
	require.NoError(t, b.Users.Delete(ctx, ann.ID, nil))
	running := func() int {
		n, err := b.Users.StillRunning(ctx, ann.ID)
		require.NoError(t, err)
		return n
	}
	require.Equal(t, 1, running(), "it is being answered")
	b.finish("t1", chat.TurnDone)
	require.Zero(t, running())
}

func TestEndDeletion_LeavesNothingOfThePersonAndAllOfOthers(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	ann, hers := b.met("feishu", "ou_1")
	_, err := b.pool.Exec(ctx, `INSERT INTO access_grants (channel, account, peer, name) VALUES ('feishu', '', 'ou_1', 'Ann'), ('feishu', '', 'ou_2', 'Bob')`)
	require.NoError(t, err)
	_, err = b.pool.Exec(ctx, `INSERT INTO told_once (topic, channel, account, about, what) VALUES ('door', 'feishu', '', 'ou_1', 'x'), ('door', 'feishu', '', 'ou_2', 'x')`)
	require.NoError(t, err)
	require.NoError(t, b.Settings.SetUserSetting(ctx, ann.ID, settings.UserSetting("language"), "zh"))
	_, err = b.Users.CreateToken(ctx, ann.ID, users.Token{Name: "script"}, []byte("token"))
	require.NoError(t, err)
	_, err = b.Turns.Accept(ctx, engine.NewRow{Session: hers, User: ann.ID, Channel: "feishu", PlatformID: "m1", Text: "hello"})
	require.NoError(t, err)
	_, err = b.pool.Exec(ctx, `INSERT INTO refusals (session_key, user_id) VALUES ($1, $2)`, key, ann.ID)
	require.NoError(t, err)
	in := b.inbound("m2", "in a conversation of others")
	in.User = ann.ID
	_, err = b.Turns.Accept(ctx, in)
	require.NoError(t, err)
	b.claim("t1")
	b.finish("t1", chat.TurnDone)
	require.NoError(t, b.Users.EndDeletion(ctx, ann.ID), "nobody asked for it")
	require.NotEmpty(t, b.left(ann.ID))

	require.NoError(t, b.Users.Delete(ctx, ann.ID, &b.user.ID))
	keys, err := b.Users.ConversationsOf(ctx, ann.ID, 10)
	require.NoError(t, err)
	require.Equal(t, []chat.SessionKey{hers}, keys)
	require.NoError(t, b.Users.EndDeletion(ctx, ann.ID))
	require.NoError(t, b.Users.EndDeletion(ctx, ann.ID), "the second time changes nothing")
	require.Empty(t, b.left(ann.ID))
	var name string
	var peers []string
	require.NoError(t, b.pool.QueryRow(ctx, `SELECT (SELECT name FROM deletions), (SELECT array_agg(peer) FROM access_grants)`).Scan(&name, &peers))
	require.Empty(t, name)
	require.Equal(t, []string{"ou_2"}, peers, "she is a stranger there again")
	gone, err := b.Users.Deleted(ctx, []chat.UserID{ann.ID, b.user.ID, 4711})
	require.NoError(t, err)
	require.Equal(t, []chat.UserID{ann.ID}, gone)
	require.Equal(t, fault.NotFound, b.kind(b.Users.Enable(ctx, ann.ID)))

	again, _ := b.met("feishu", "ou_1")
	require.NotEqual(t, ann.ID, again.ID, "somebody new")
	said, err := b.Conversations.Messages(ctx, key, conversation.Page{Limit: 10})
	require.NoError(t, err)
	require.NotEmpty(t, said.Messages, "what she wrote to others is theirs")
}

func TestEndDeletion_TheRunnerOfTheServersHostGoesToAnotherAdministrator(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	_, err := b.Runners.EnsureRunner(ctx, b.user.ID, "local", hashOf("host"))
	require.NoError(t, err)
	require.NoError(t, b.Runners.CreateRunner(ctx, b.user.ID, "laptop", hashOf("of one")))
	ann, err := b.Users.CreateUser(ctx, "ann", users.RoleAdmin)
	require.NoError(t, err)
	require.NoError(t, b.Users.Delete(ctx, b.user.ID, &ann.ID))
	require.NoError(t, b.Users.EndDeletion(ctx, b.user.ID))
	_, _, _, err = b.Runners.RunnerByToken(ctx, hashOf("host"))
	require.NoError(t, err, "it stays connected")
	_, _, _, err = b.Runners.RunnerByToken(ctx, hashOf("of one"))
	require.Error(t, err)
	require.Empty(t, b.left(b.user.ID))
}

func TestPruneOrphans_APromptThatIsDeletedIsWrittenAgainWhereItIsUsed(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	commit := func(session chat.SessionKey, turn chat.TurnID) error {
		_, err := b.Turns.Accept(ctx, engine.NewRow{Session: session, User: b.user.ID, Channel: "web", PlatformID: string(turn), Text: "hello"})
		require.NoError(t, err)
		_, ok, err := b.Turns.Claim(ctx, session, turn, "run-"+string(turn), 0)
		require.NoError(t, err)
		require.True(t, ok)
		step := chat.Step{Session: session, Turn: turn}
		_, _, _, err = b.Turns.BeginStep(ctx, step)
		require.NoError(t, err)
		_, err = b.Turns.CommitStep(ctx, step, chat.Answer{Text: "hi", Finish: "stop", Model: "m", Prompt: "common"})
		return err
	}
	const other = chat.SessionKey("agent:main:web:thread:other")
	b.conversation(other, b.user.ID, "main", chat.ChatThread)
	require.NoError(t, commit(other, "t1"))
	require.NoError(t, b.Agents.DeleteSession(ctx, other))
	n, err := b.Users.PruneOrphans(ctx)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.NoError(t, commit(key, "t2"))
}
