package api_test

import (
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"xbot/ingress/mcp"
	"xbot/internal/chat"
	"xbot/internal/user/users"
)

// withToken sends a token with each request.
type withToken string

func (c withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(c))
	return (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
}

// tools is a program of the person's that speaks the Model Context Protocol.
func (p *person) tools() *sdk.ClientSession {
	p.t.Helper()
	transport := &sdk.StreamableClientTransport{Endpoint: p.url + mcp.Path, HTTPClient: &http.Client{Transport: withToken(p.token)}}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(p.t.Context(), transport, nil)
	require.NoError(p.t, err)
	p.t.Cleanup(func() { _ = session.Close() }) // a server without sessions has none to close
	return session
}

// uses calls a tool and returns what it says; failed tells that this is why it did nothing.
func (p *person) uses(tool string, arguments object) (said string, failed bool) {
	p.t.Helper()
	got, err := p.tools().CallTool(p.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	require.NoError(p.t, err)
	return got.Content[0].(*sdk.TextContent).Text, got.IsError
}

// ofSession are calls of each tool that is about a session, turn or message.
func ofSession(key chat.SessionKey, turn chat.TurnID, message chat.InboxID) map[string][]object {
	return map[string][]object{
		"send_message":  {{"session": key, "text": "x", "wait": 0}, {"session": key, "text": "/stop", "wait": 0}, {"session": key, "text": "x", "client_id": "m1", "wait": 0}},
		"read_answer":   {{"session": key, "wait": 0}, {"session": key, "turn": turn, "wait": 0}, {"session": key, "message": message, "wait": 0}, {"session": key}},
		"read_messages": {{"session": key}, {"session": key, "after": 1}},
	}
}

func TestMCP_NobodyReachesASessionOfSomebodyElse(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:mine")
	var sent struct{ ID chat.InboxID }
	b.alice.say(s.Key, "m1", ofHers).is(http.StatusAccepted, &sent)
	b.claim(s.Key, "t1")
	b.reply(s.Key, "t1", "about "+ofHers)
	his := b.bob.session("agent:main:web:thread:his")
	before := b.rows()
	tools, err := b.bob.tools().ListTools(t.Context(), nil)
	require.NoError(t, err)
	calls := ofSession(s.Key, "t1", sent.ID)
	for _, tool := range tools.Tools {
		if tool.Name == "list_sessions" {
			for _, arguments := range []object{nil, {"query": "mine"}, {"limit": 100}} {
				said, failed := b.bob.uses(tool.Name, arguments)
				require.False(t, failed, said)
				require.NotContains(t, said, s.Key)
				require.NotContains(t, said, ofHers)
			}
			continue
		}
		require.NotEmpty(t, calls[tool.Name], "%s: let ofSession say how it would reach a session", tool.Name)
		for _, arguments := range calls[tool.Name] {
			for name, p := range map[string]*person{"bob": b.bob, "a token of his": b.bob.by(users.ScopeChat)} {
				said, failed := p.uses(tool.Name, arguments)
				require.True(t, failed, "%s %v by %s: %s", tool.Name, arguments, name, said)
				require.Contains(t, said, "there is no session", "it looks as if it did not exist")
				require.NotContains(t, said, ofHers)
			}
		}
	}
	for _, arguments := range []object{{"session": his.Key, "turn": "t1", "wait": 0}, {"session": his.Key, "message": sent.ID, "wait": 0}} {
		said, failed := b.bob.uses("read_answer", arguments)
		require.True(t, failed, "a turn is looked for in the session that is named: %s", said)
		require.NotContains(t, said, ofHers)
	}
	after := b.rows()
	for _, rows := range []map[string][]string{before, after} {
		delete(rows, "api_tokens") // those of bob's were made
	}
	require.Equal(t, before, after, "nothing happened to what is not bob's")

	said, failed := b.alice.uses("read_answer", object{"session": his.Key, "wait": 0})
	require.True(t, failed, "an administrator reads what others write on the page, not with a program: %s", said)
	said, failed = b.alice.by(users.ScopeRead).uses("read_messages", object{"session": s.Key})
	require.False(t, failed, said)
	require.Contains(t, said, ofHers)
}

func TestMCP_TheSameIDOfTwoPeopleIsTwoMessages(t *testing.T) {
	b := setup(t)
	hers, failed := b.alice.uses("send_message", object{"text": "hello", "client_id": "1", "wait": 0})
	require.False(t, failed, hers)
	his, failed := b.bob.uses("send_message", object{"text": "hello", "client_id": "1", "wait": 0})
	require.False(t, failed, his)
	require.NotContains(t, his, "duplicate")
	sessions := func(p *person) int {
		said, failed := p.uses("list_sessions", nil)
		require.False(t, failed, said)
		return strings.Count(said, `"session"`)
	}
	require.Equal(t, []int{1, 1}, []int{sessions(b.alice), sessions(b.bob)})
}

func TestMCP_ScopesHoldForEveryTool(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:mine")
	var sent struct{ ID chat.InboxID }
	b.alice.say(s.Key, "m1", "hello").is(http.StatusAccepted, &sent)
	b.claim(s.Key, "t1")
	b.reply(s.Key, "t1", "hello")
	b.finish(s.Key, "t1")
	reads, chats := b.alice.by(users.ScopeRead), b.alice.by(users.ScopeChat)
	before := b.rows()
	for tool, calls := range ofSession(s.Key, "t1", sent.ID) {
		for _, arguments := range calls {
			said, failed := reads.uses(tool, arguments)
			require.Equal(t, tool == "send_message", failed, "%s %v: %s", tool, arguments, said)
			require.Equal(t, failed, strings.Contains(said, `the scope of this token is "read"`), said)
		}
	}
	said, failed := reads.uses("send_message", object{"text": "in a new conversation", "wait": 0})
	require.True(t, failed, said)
	after := b.rows()
	for _, rows := range []map[string][]string{before, after} {
		delete(rows, "api_tokens") // they say when they were used
	}
	require.Equal(t, before, after, "nothing was changed")

	said, failed = chats.uses("send_message", object{"session": s.Key, "text": "/link", "wait": 0})
	require.False(t, failed, said)
	require.Contains(t, said, "scope of this token", "it administers nothing")
	said, failed = chats.uses("send_message", object{"session": s.Key, "text": "hello", "wait": 0})
	require.False(t, failed, said)
}

func TestMCP_WhoHasAsManySessionsAsTheyMayBeginsNone(t *testing.T) {
	b := setupUnder(t, little{})
	said, failed := b.bob.uses("send_message", object{"text": "hello", "client_id": "1", "wait": 0})
	require.False(t, failed, said)
	said, failed = b.bob.uses("send_message", object{"text": "again", "client_id": "2", "wait": 0})
	require.True(t, failed)
	require.Contains(t, said, "you have 1 sessions")
	said, failed = b.bob.uses("send_message", object{"text": "hello", "client_id": "1", "wait": 0})
	require.False(t, failed, "the first is found again: %s", said)
}
