package store_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/transcript"
	"xbot/internal/user/users"
)

// Of ten that are made at once on every way in as many are there in the end as there is room for, and the others are told why.
func TestRoom_OfManyMadeAtOnceAsManyAreMadeAsThereIsRoomFor(t *testing.T) {
	q := throttled(t, policy.Limits{Person: policy.PersonLimits{Sessions: 5, Runners: 2, Tokens: 3}})
	mine := func(kind string, n int) conversation.NewSession {
		return conversation.NewSession{Key: chat.SessionKey(fmt.Sprintf("agent:main:web:thread:%s%d", kind, n)), Owner: q.user.ID, Channel: "web"}
	}
	create := func(ctx context.Context, n int) error {
		_, err := q.Conversations.CreateSession(ctx, mine("made", n))
		return err
	}
	fork := func(ctx context.Context, n int) error {
		_, err := q.Conversations.Fork(ctx, conversation.NewFork{From: key, Key: mine("fork", n).Key, Channel: "web"})
		return err
	}
	load := func(ctx context.Context, n int) error {
		_, err := q.Turns.Import(ctx, mine("import", n), transcript.Transcript{})
		return err
	}
	runner := func(ctx context.Context, n int) error {
		return q.Runners.CreateRunner(ctx, q.user.ID, fmt.Sprint("r", n), fmt.Append(nil, "r", n))
	}
	token := func(ctx context.Context, n int) error {
		_, err := q.Users.CreateToken(ctx, q.user.ID, users.Token{Name: "t"}, fmt.Append(nil, "t", n))
		return err
	}
	q.work("t0", "q0") // so that a copy takes a while
	for name, c := range map[string]struct {
		make []func(context.Context, int) error
		room int // beside the session of the fixture
		full string
	}{
		"sessions": {[]func(context.Context, int) error{create}, 4, "you have 5 sessions"},
		"forks":    {[]func(context.Context, int) error{fork}, 4, "you have 5 sessions"},
		"imports":  {[]func(context.Context, int) error{load}, 4, "you have 5 sessions"},
		"all ways": {[]func(context.Context, int) error{create, fork, load}, 4, "limits.person.sessions"},
		"runners":  {[]func(context.Context, int) error{runner}, 2, "you have 2 runners"},
		"tokens":   {[]func(context.Context, int) error{token}, 3, "you have 3 tokens"},
	} {
		for _, sql := range []string{"DELETE FROM sessions WHERE key <> '" + string(key) + "'", "DELETE FROM runners", "DELETE FROM api_tokens"} {
			_, err := q.pool.Exec(t.Context(), sql)
			require.NoError(t, err)
		}
		var made atomic.Int64
		g, ctx := errgroup.WithContext(t.Context())
		for n := range 10 {
			g.Go(func() error {
				err := c.make[n%len(c.make)](ctx, n)
				if err == nil {
					made.Add(1)
					return nil
				}
				if !fault.Is(err, fault.Conflict) {
					return err
				}
				if said := err.Error(); !strings.Contains(said, c.full) || i18n.Explain(i18n.Chinese, err) == said {
					return fmt.Errorf("%s is told %q", name, said)
				}
				return nil
			})
		}
		require.NoError(t, g.Wait(), name)
		require.EqualValues(t, c.room, made.Load(), name)
	}
}

func TestRoom_WhatIsThereIsFoundAlsoByWhoHasAsManyAsTheyMay(t *testing.T) {
	q := throttled(t, policy.Limits{Person: policy.PersonLimits{Sessions: 2, Runners: 1}})
	copied := q.fork(conversation.NewFork{})
	require.Equal(t, copied.Key, q.fork(conversation.NewFork{}).Key, "a second run finds the copy that the first one made")
	made, err := q.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: key, Owner: q.user.ID, Channel: "web"})
	require.NoError(t, err)
	require.False(t, made)
	_, err = q.Turns.Import(t.Context(), conversation.NewSession{Key: "agent:main:web:thread:more", Owner: q.user.ID, Channel: "web"}, transcript.Transcript{})
	require.True(t, fault.Is(err, fault.Conflict), err)

	require.NoError(t, q.Agents.DeleteSession(t.Context(), copied.Key))
	q.session("agent:main:web:thread:next")
	require.NoError(t, q.Runners.CreateRunner(t.Context(), q.user.ID, "one", hashOf("1")))
	require.ErrorContains(t, q.Runners.CreateRunner(t.Context(), q.user.ID, "one", hashOf("2")), "choose another name")
	require.NoError(t, q.Runners.RevokeRunner(t.Context(), q.user.ID, "one"))
	require.NoError(t, q.Runners.CreateRunner(t.Context(), q.user.ID, "two", hashOf("3")))
	require.ErrorContains(t, q.Runners.CreateRunner(t.Context(), q.user.ID, "one", hashOf("4")), "you have 1 runners", "a name that was revoked takes a place again")
}

func TestRoom_MessagesOfPlatformsAgentsAndOperatorsAreNotRefused(t *testing.T) {
	q := throttled(t, policy.Limits{Person: policy.PersonLimits{Sessions: 2, Runners: 1, Tokens: 1}})
	sub := conversation.NewSession{Key: "agent:main:web:thread:sub", Owner: q.user.ID, Channel: "web", ChatType: chat.ChatSubagent, Arriving: true}
	_, err := q.Conversations.CreateSession(t.Context(), sub)
	require.NoError(t, err)
	q.session("agent:main:web:thread:second") // what an agent has made takes no place
	for n := range 3 {
		made, err := q.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: chat.SessionKey(fmt.Sprint("agent:main:feishu:dm:ou_", n)), Owner: q.user.ID, Channel: "feishu", Arriving: true})
		require.NoError(t, err)
		require.True(t, made)
		require.NoError(t, q.Runners.GrantRunner(t.Context(), q.user.ID, fmt.Sprint("r", n), fmt.Append(nil, "r", n)))
		_, err = q.Users.GrantToken(t.Context(), q.user.ID, users.Token{Name: "t"}, fmt.Append(nil, "t", n))
		require.NoError(t, err)
	}
	_, err = q.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: "agent:main:web:thread:third", Owner: q.user.ID, Channel: "web"})
	require.ErrorContains(t, err, "you have 5 sessions")
}
