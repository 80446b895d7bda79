// Package endpoint has what all endpoints of the API share: whose session it is, who is an administrator, and how errors
// become problem documents.
package endpoint

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"xbot/ingress/auth"
	"xbot/ingress/temporalui"
	"xbot/ingress/wake"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/host/outage"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/session"
	"xbot/internal/turn/subagents/subagentstore"
)

// Base has the common parts of all endpoints: the caller, their sessions, and answers to errors.
type Base struct {
	Agents        *subagentstore.Store
	Conversations *conversation.Store
	Auth          *auth.Auth
	Info          Info
	Usual         Usual
	Log           *slog.Logger
	// Outages counts the requests that are refused while Postgres or Temporal is away; nil: each is logged.
	Outages *outage.Watch
}

// Usual returns the default model of a user: its id, provider/model. 0: an unknown user.
type Usual interface {
	Of(ctx context.Context, user chat.UserID) (string, error)
}

// IsDemo reports whether a model is the built-in one, which is no language model.
func IsDemo(model string) bool { return strings.HasPrefix(model, "demo/") }

// Info is the data of the server for clients.
type Info struct {
	Version    string
	Namespace  string
	TemporalUI bool // whether the UI is mounted under /temporal/
	StartedAt  time.Time
	Database   string // where it is, without credentials
	Home       string // the data folder
	SignOn     string // name of the OpenID Connect provider by which users sign in; empty: there is none
	URL        string // address that users use, if the operator has set it; empty: any by which they reach the server
	Copy       bool   // another xbot works with the original of the database
}

// Request gives a handler the raw request and response, for cookies.
type Request struct {
	r *http.Request
	w http.ResponseWriter
}

// Resolve is called by huma before the handler.
func (q *Request) Resolve(ctx huma.Context) []error {
	q.r, q.w = humago.Unwrap(ctx)
	return nil
}

// HTTP returns the request as it came.
func (q *Request) HTTP() *http.Request { return q.r }

// Writer writes the answer without huma.
func (q *Request) Writer() http.ResponseWriter { return q.w }

// Secured are the ways to authenticate.
var Secured = []map[string][]string{{"token": {}}, {"cookie": {}, "page": {}}}

// Own returns a session of the user. A session of another user looks like none.
func (b *Base) Own(ctx context.Context, key chat.SessionKey) (chat.Session, error) {
	if _, err := session.Parse(key); err != nil {
		return chat.Session{}, b.Problem(err)
	}
	s, owner, err := b.Conversations.Session(ctx, key)
	if err == nil && owner != auth.User(ctx).ID {
		err = fault.Errorf(fault.NotFound, "there is no session %q", key)
	}
	return s, b.Problem(err)
}

// WithLink adds the address of a turn's run in the Temporal UI, for those who may open it.
func (b *Base) WithLink(ctx context.Context, t chat.Turn) chat.Turn {
	if b.Info.TemporalUI && auth.User(ctx).Admin && t.RunID != "" {
		id, _, err := wake.WorkflowOf(ctx, b.Agents, t.Session)
		if err != nil {
			return t // the link is optional
		}
		t.TemporalURL = b.Auth.Under(ctx, temporalui.Root) + strings.TrimPrefix(temporalui.RunPath(b.Info.Namespace, id, t.RunID), temporalui.Root)
	}
	return t
}

// Key is the path parameter of a session, URL-escaped.
type Key struct {
	Key chat.SessionKey `path:"key" maxLength:"200" doc:"Session key, URL-escaped." example:"agent:main:web:thread:8f2c"`
}

// Readable returns a session of the user; for an administrator, of any user.
func (b *Base) Readable(ctx context.Context, key chat.SessionKey) (chat.Session, error) {
	if !auth.User(ctx).Admin {
		return b.Own(ctx, key)
	}
	if _, err := session.Parse(key); err != nil {
		return chat.Session{}, b.Problem(err)
	}
	s, _, err := b.Conversations.Session(ctx, key)
	return s, b.Problem(err)
}

// AdminOnly refuses users who are no administrators.
func (b *Base) AdminOnly(ctx context.Context) error {
	if auth.User(ctx).Admin {
		return nil
	}
	return b.Problem(fault.Errorf(fault.Denied, "only administrators see what others do"))
}

// AttachmentResponse describes an answer that is saved as a file.
func AttachmentResponse(mediaType string) map[string]*huma.Response {
	return map[string]*huma.Response{"200": {Description: "The bytes, to be saved.", Content: map[string]*huma.MediaType{
		mediaType: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
	}}}
}
