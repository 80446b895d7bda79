// Package mcp is xbot as a server of the Model Context Protocol: programs that speak it list the conversations of a user, send messages
// and read answers, with the user's access tokens. It keeps nothing between two requests, so that any ingress answers any of them.
package mcp

import (
	"context"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/api/messages"
	"xbot/ingress/api/sessions"
	"xbot/internal/chat"
	"xbot/internal/feed"
	"xbot/internal/secret"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
)

// Path is the path of the server.
const Path = "/mcp"

// Sessions lists and begins the conversations of the caller.
type Sessions interface {
	List(ctx context.Context, q string, limit int, shelves ...chat.ListState) ([]chat.Session, error)
	Create(ctx context.Context, in sessions.NewSession) (chat.Session, error)
}

// Messages accepts messages of the caller in their conversations.
type Messages interface {
	Send(ctx context.Context, s chat.Session, m messages.NewMessage) (engine.Accepted, error)
}

// Server offers the tools. Its errors and its access checks are those of the HTTP API.
type Server struct {
	*endpoint.Base

	Answers  *conversation.Answers
	Turns    *engine.Store
	Sessions Sessions
	Messages Messages
	Bus      *feed.Bus
	Key      secret.Deriver  // names the conversations that messages with a client_id begin
	Closing  <-chan struct{} // closed when the server stops: waiting ends
}

// Handler answers at Path. It needs a token, or the login of one of our own pages.
func (s *Server) Handler() http.Handler {
	server := s.tools()
	tools := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		Stateless:                    true, // a session in memory would be that of one ingress among several
		MaxRequestBodyBytes:          maxBodyBytes,
		DisableLocalhostProtection:   true, // the host was checked by its name (auth.Hosts): a proxy on this machine sends the one that users use
		PropagateRequestCancellation: true,
	})
	closed := s.Auth.Require(&gate{next: tools, base: s.Base}, s.Refuse)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store") // data of users is for them alone
		if err := s.Auth.Hosts.SameOrigin(r); err != nil {
			s.Refuse(w, r, err)
			return
		}
		closed.ServeHTTP(w, r)
	})
}

const instructions = `xbot is an assistant that goes on working when this connection ends. send_message gives it a message and waits for the answer; read_answer waits again where that took longer. Whatever is sent with a client_id is done once, however often it is sent.`

// tools returns the tools for clients.
func (s *Server) tools() *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "xbot", Title: "xbot", Version: s.Info.Version}, &sdk.ServerOptions{
		Instructions: instructions,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}, // they never change
	})
	server.AddReceivingMiddleware(s.guard)
	reads := &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(false)}
	add(s, server, &sdk.Tool{Name: "list_sessions", Title: "List conversations", Annotations: reads, Description: "Lists your conversations with xbot: pinned ones first, then by last message."}, s.listSessions)
	add(s, server, &sdk.Tool{Name: "read_messages", Title: "Read a conversation", Annotations: reads, Description: "Reads the newest messages of a conversation, or those after one of them, oldest first."}, s.readMessages)
	add(s, server, &sdk.Tool{Name: "read_answer", Title: "Read an answer", Annotations: reads, Description: "Returns the progress of a message, a turn or a conversation, and the answer once there is one. Waits while the work continues."}, s.readAnswer)
	add(s, server, &sdk.Tool{
		Name: "send_message", Title: "Send a message", Annotations: &sdk.ToolAnnotations{DestructiveHint: new(true), OpenWorldHint: new(true)},
		Description: "Sends a message to xbot in a conversation, or in a new one, and waits for the answer. Also use a message to answer a question from xbot.",
	}, s.sendMessage)
	return server
}

// add adds a tool. The client gets errors as from the HTTP API.
func add[In, Out any](s *Server, server *sdk.Server, t *sdk.Tool, run func(context.Context, *sdk.CallToolRequest, In) (Out, error)) {
	sdk.AddTool(server, t, func(ctx context.Context, req *sdk.CallToolRequest, in In) (*sdk.CallToolResult, Out, error) {
		out, err := run(ctx, req, in)
		return nil, out, s.Problem(err)
	})
}
