package inspect

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/chat"
	"xbot/internal/chat/ops"
	"xbot/internal/fault"
	"xbot/internal/turn/inspect"
)

// recent is how many conversations the overview shows.
const recent = 10

// sessionList and inboxList are the lists for operators.
type (
	sessionList struct {
		Body struct {
			Sessions []ops.SessionSummary `json:"sessions"`
			Next     string               `json:"next,omitempty" doc:"The after of the next page; absent: this is the last one."`
		}
	}
	inboxList struct {
		Body struct {
			Messages    []ops.Unanswered  `json:"messages"`
			More        bool              `json:"more,omitempty" doc:"There are more; these are the oldest."`
			Undelivered []ops.Undelivered `json:"undelivered" doc:"Deliveries of the last seven days that failed or may have failed, and those that wait; newest first, at most limit."`
		}
	}
)

func (a *Endpoints) registerInspect(h huma.API) {
	huma.Register(h, huma.Operation{OperationID: "get-status", Method: http.MethodGet, Path: "/api/status", Summary: "Get the state of the installation", Description: "For administrators.", Security: endpoint.Secured}, a.status)
	huma.Register(h, huma.Operation{OperationID: "inspect-sessions", Method: http.MethodGet, Path: "/api/inspect/sessions", Summary: "List the conversations of all users with statistics, newest first", Description: "For administrators.", Security: endpoint.Secured}, a.inspectSessions)
	huma.Register(h, huma.Operation{OperationID: "inspect-inbox", Method: http.MethodGet, Path: "/api/inspect/inbox", Summary: "List accepted messages without an answer, oldest first", Description: "For administrators.", Security: endpoint.Secured}, a.inspectInbox)
}

func (a *Endpoints) status(ctx context.Context, _ *struct{}) (*struct{ Body ops.Status }, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return nil, err
	}
	counts, err := a.Inspection.InspectCounts(ctx)
	if err != nil {
		return nil, a.Problem(err)
	}
	sessions, err := a.Inspection.InspectSessions(ctx, inspect.SessionFilter{Limit: recent})
	if err != nil {
		return nil, a.Problem(err)
	}
	model, err := a.Usual.Of(ctx, 0)
	out := ops.Status{
		Version: a.Info.Version, Model: model, StartedAt: a.Info.StartedAt, Database: a.Info.Database, Home: a.Info.Home, Copy: a.Info.Copy,
		Counts: counts, Recent: sessions,
	}
	return &struct{ Body ops.Status }{out}, a.Problem(err)
}

func (a *Endpoints) inspectSessions(ctx context.Context, in *struct {
	User    string `query:"user" maxLength:"200" doc:"Only the conversations of this user."`
	Channel string `query:"channel" maxLength:"100"`
	Agent   string `query:"agent" maxLength:"100"`
	Active  int    `query:"active" minimum:"0" maximum:"5256000" doc:"Minutes within which a person wrote."`
	Limit   int    `query:"limit" minimum:"1" maximum:"5000" default:"500"`
	After   string `query:"after" maxLength:"1000" doc:"The next value of the previous page; empty: the first page."`
}) (*sessionList, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return nil, err
	}
	after, err := sessionPlace(in.After)
	if err != nil {
		return nil, a.Problem(err)
	}
	filter := inspect.SessionFilter{User: in.User, Channel: in.Channel, Agent: in.Agent, Active: in.Active, Limit: in.Limit + 1, After: after}
	found, err := a.Inspection.InspectSessions(ctx, filter)
	var out sessionList
	if len(found) > in.Limit {
		found = found[:in.Limit]
		last := found[in.Limit-1]
		out.Body.Next = last.UpdatedAt.UTC().Format(time.RFC3339Nano) + " " + string(last.Key)
	}
	out.Body.Sessions = found
	return &out, a.Problem(err)
}

// sessionPlace reads Next of a page: when its last conversation was used, and its key.
func sessionPlace(after string) (inspect.SessionPlace, error) {
	if after == "" {
		return inspect.SessionPlace{}, nil
	}
	used, key, _ := strings.Cut(after, " ")
	at, err := time.Parse(time.RFC3339Nano, used)
	if err != nil || key == "" {
		return inspect.SessionPlace{}, fault.Errorf(fault.Invalid, "after is not the next of a page")
	}
	return inspect.SessionPlace{Key: chat.SessionKey(key), UpdatedAt: at}, nil
}

func (a *Endpoints) inspectInbox(ctx context.Context, in *struct {
	Limit int `query:"limit" minimum:"1" maximum:"5000" default:"500"`
}) (*inboxList, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return nil, err
	}
	var out inboxList
	found, err := a.Inspection.InspectInbox(ctx, in.Limit+1)
	out.Body.More = len(found) > in.Limit
	out.Body.Messages = found[:min(len(found), in.Limit)]
	if err != nil {
		return nil, a.Problem(err)
	}
	out.Body.Undelivered, err = a.Inspection.InspectUndelivered(ctx, in.Limit)
	return &out, a.Problem(err)
}
