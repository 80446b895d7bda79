package mcp_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/api/messages"
	"xbot/ingress/api/sessions"
	"xbot/ingress/auth"
	"xbot/ingress/ingresstest"
	"xbot/ingress/intake"
	"xbot/ingress/mcp"
	"xbot/internal/chat"
	"xbot/internal/feed"
	"xbot/internal/llm/catalogue"
	"xbot/internal/secret"
	"xbot/internal/store"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/quota"
	"xbot/internal/turn/slashcommand"
	"xbot/internal/user/users"
	"xbot/slash/conversation"
)

const key = ingresstest.Key

// bundle is a server over a database of its own, whose only person is alice.
type bundle struct {
	*ingresstest.Bundle
	url     string
	token   string
	closing chan struct{}
	log     *strings.Builder
}

// setup serves under a policy of how much people may have; nil: the defaults.
func setup(t *testing.T, policies quota.Policies) *bundle {
	t.Helper()
	b := &bundle{Bundle: ingresstest.New(t), closing: make(chan struct{}), log: &strings.Builder{}}
	bus := feed.New(slog.New(slog.DiscardHandler))
	b.Store = store.New(b.Pool, store.Options{Feed: bus, Policies: policies})
	b.Dispatch = &intake.Dispatcher{Calls: b.Store.Calls, Turns: b.Store.Turns, Wakes: b.Woken}
	b.Dispatch.Commands = intake.NewCommands(intake.Callers{Conversations: b.Store.Conversations, Inbox: b.Store.Inbox, Users: b.Store.Users}, slashcommand.NewRegistry(intake.Callers{Conversations: b.Store.Conversations, Inbox: b.Store.Inbox, Users: b.Store.Users},
		conversation.Approve{Questions: b.Dispatch}, conversation.Search{Search: b.Store.Search, Turns: b.Store.Turns, Users: b.Store.Users}))
	base := &endpoint.Base{
		Agents: b.Store.Agents, Conversations: b.Store.Conversations, Auth: &auth.Auth{Accounts: b.Store.Users, Hosts: auth.Hosts{Allowed: []string{"xbot.example"}}, Key: secret.Key{1}},
		Info: endpoint.Info{Version: "1.2.3"}, Log: slog.New(slog.NewTextHandler(b.log, nil)),
	}
	s := &mcp.Server{
		Base: base, Answers: b.Store.Answers, Turns: b.Store.Turns, Bus: bus, Key: secret.Key{1}, Closing: b.closing,
		Sessions: &sessions.Endpoints{Base: base, Search: b.Store.Search, Shares: b.Store.Shares, Calls: b.Store.Calls, Turns: b.Store.Turns, Models: &catalogue.Live{Policies: &policy.Live{Services: b.Store.Services, Settings: b.Store.Settings}}},
		Messages: &messages.Endpoints{Base: base, Attachments: b.Store.Attachments, Dispatch: b.Dispatch},
	}
	server := httptest.NewServer(s.Handler())
	t.Cleanup(func() { server.Close(); b.Woken.Wait() })
	b.url, b.token = server.URL+mcp.Path, b.tokenOf(b.User, users.ScopeChat)
	return b
}

func (b *bundle) tokenOf(u users.User, scope users.Scope) string {
	b.T.Helper()
	token, hash := secret.NewToken()
	_, err := b.Users.CreateToken(b.T.Context(), u.ID, users.Token{Name: string(scope), Scope: scope}, hash)
	require.NoError(b.T, err)
	return token
}

// bearer sends a token with each request, and a header where one is named.
type bearer struct{ token, header, value string }

func (c bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+c.token)
	if c.header != "" {
		r.Header.Set(c.header, c.value)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// client is a program that speaks the protocol, with a token.
type client struct {
	*sdk.ClientSession
	t *testing.T
}

func (b *bundle) client(token string, options *sdk.ClientOptions) client {
	b.T.Helper()
	transport := &sdk.StreamableClientTransport{Endpoint: b.url, HTTPClient: &http.Client{Transport: bearer{token: token}}}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, options).Connect(b.T.Context(), transport, nil)
	require.NoError(b.T, err)
	b.T.Cleanup(func() { _ = session.Close(); http.DefaultTransport.(*http.Transport).CloseIdleConnections() }) // a server without sessions has none to close
	return client{session, b.T}
}

type object map[string]any

// call calls a tool and decodes what it says.
func (c client) call(out any, tool string, arguments object) {
	c.t.Helper()
	got, err := c.CallTool(c.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	require.NoError(c.t, err)
	text := got.Content[0].(*sdk.TextContent).Text
	require.False(c.t, got.IsError, text)
	require.NoError(c.t, json.Unmarshal([]byte(text), out))
}

// refused calls a tool that fails, and returns what it says.
func (c client) refused(tool string, arguments object) string {
	c.t.Helper()
	got, err := c.CallTool(c.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	require.NoError(c.t, err)
	text := got.Content[0].(*sdk.TextContent).Text
	require.True(c.t, got.IsError, text)
	return text
}

// replies answers what waits in a session, as its turn does.
func (b *bundle) replies(ctx context.Context, session chat.SessionKey, turn chat.TurnID, text string) {
	b.ClaimTurn(session, turn)
	step := chat.Step{Session: session, Turn: turn}
	_, _, _, err := b.Turns.BeginStep(ctx, step)
	require.NoError(b.T, err)
	_, err = b.Turns.CommitStep(ctx, step, chat.Answer{Text: text, Finish: "stop", Model: "demo/demo"})
	require.NoError(b.T, err)
	_, err = b.Turns.FinishTurn(ctx, session, turn, chat.TurnDone, "")
	require.NoError(b.T, err)
}
