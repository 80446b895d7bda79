package conversation_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/codingagent"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/llm"
	"xbot/internal/turn/slashcommand"
	"xbot/internal/user/users"
	"xbot/slash/conversation"
)

// desk is a conversation of user 1, which a coding agent answers unless model is set. User 2 is an administrator.
type desk struct {
	conversation.Conversations
	conversation.Routing
	conversation.Users

	model llm.Client
	bound []codingagent.Binding
}

func (d *desk) Session(context.Context, chat.SessionKey) (chat.Session, chat.UserID, error) {
	return chat.Session{}, 1, nil
}

func (d *desk) UserByID(_ context.Context, user chat.UserID) (users.User, error) {
	return users.User{ID: user, Admin: user == 2}, nil
}

func (d *desk) Here(context.Context, chat.UserID) (string, error) { return "laptop", nil }

func (d *desk) BindCodingThread(_ context.Context, _ chat.SessionKey, b codingagent.Binding) error {
	d.bound = append(d.bound, b)
	return nil
}

func (d *desk) CodingThread(context.Context, chat.SessionKey) (*codingagent.Binding, error) {
	if len(d.bound) == 0 {
		return nil, nil
	}
	return &d.bound[len(d.bound)-1], nil
}

func (d *desk) For(context.Context, chat.SessionKey) (llm.Client, error) { return d.model, nil }

// coder stands for codex.
type coder struct{ llm.Client }

func (coder) CodingAgent() codingagent.Settings { return codingagent.Settings{Agent: "codex"} }

// plain is a model.
type plain struct{ llm.Client }

func (d *desk) say(t *testing.T, user chat.UserID, args string) (string, error) {
	t.Helper()
	c := conversation.Session{Conversations: d, Routing: d, Users: d, Answering: d, Threads: d, Places: d}
	return c.Run(t.Context(), slashcommand.Request{User: user, Lang: i18n.English, Session: "s"}, args)
}

func TestSession_BindsAThreadWhereACodingAgentAnswers(t *testing.T) {
	d := &desk{model: coder{}}
	said, err := d.say(t, 1, "0199-abc")
	require.NoError(t, err)
	require.Contains(t, said, "codex goes on with its thread `0199-abc`")
	_, err = d.say(t, 2, "0199-abd")
	require.NoError(t, err, "an administrator may")
	require.Equal(t, []codingagent.Binding{{Agent: "codex", Thread: "0199-abc", Runner: "laptop"}, {Agent: "codex", Thread: "0199-abd", Runner: "laptop"}}, d.bound)
}

func TestSession_BindsNoThreadOfWhoeverOnlyWritesHere(t *testing.T) {
	d := &desk{model: coder{}}
	_, err := d.say(t, 3, "0199-abc")
	require.True(t, fault.Is(err, fault.Denied))
	require.Empty(t, d.bound)
}

func TestSession_BindsNothingThatIsNoThreadOrWhereAModelAnswers(t *testing.T) {
	d := &desk{model: coder{}}
	for _, thread := range []string{"--help", "$(id)", "a;b", "-x"} {
		_, err := d.say(t, 1, thread)
		require.True(t, fault.Is(err, fault.Invalid), thread)
	}
	d.model = plain{}
	_, err := d.say(t, 1, "0199-abc")
	require.True(t, fault.Is(err, fault.Invalid))
	require.Empty(t, d.bound)
}

func TestSession_TakesTheMessageBehindAThreadOnlyOnceTheThreadIsBound(t *testing.T) {
	d := &desk{model: coder{}}
	c := conversation.Session{Conversations: d, Routing: d, Users: d, Answering: d, Threads: d, Places: d}
	own, text := c.Split(t.Context(), 1, "0199-abc fix the test")
	require.Equal(t, []string{"0199-abc", "fix the test"}, []string{own, text})
	for _, args := range []string{"", "list", "use k", "new trip to Rome", "default", "0199-abc"} {
		own, text := c.Split(t.Context(), 1, args)
		require.Equal(t, []string{args, ""}, []string{own, text})
	}
	taken, err := c.Prepared(t.Context(), slashcommand.Request{}, "0199-abc")
	require.NoError(t, err)
	require.False(t, taken, "it was refused")
	_, err = d.say(t, 1, "0199-abc")
	require.NoError(t, err)
	taken, err = c.Prepared(t.Context(), slashcommand.Request{}, "0199-abc")
	require.NoError(t, err)
	require.True(t, taken)
}
