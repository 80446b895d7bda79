package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/store"
)

// recent is how many conversations a glance shows.
const recent = 10

// sessionList and inboxList are what operators look through.
type (
	sessionList struct {
		Body struct {
			Sessions []chat.SessionSummary `json:"sessions"`
		}
	}
	inboxList struct {
		Body struct {
			Messages []chat.Unanswered `json:"messages"`
		}
	}
)

func (a *API) registerInspect(h huma.API) {
	huma.Register(h, huma.Operation{OperationID: "get-status", Method: http.MethodGet, Path: "/api/status", Summary: "The installation at a glance", Description: "For administrators.", Security: secured}, a.status)
	huma.Register(h, huma.Operation{OperationID: "inspect-sessions", Method: http.MethodGet, Path: "/api/inspect/sessions", Summary: "The conversations of all users, newest first, with what was counted of them", Description: "For administrators.", Security: secured}, a.inspectSessions)
	huma.Register(h, huma.Operation{OperationID: "inspect-inbox", Method: http.MethodGet, Path: "/api/inspect/inbox", Summary: "What was accepted and has no answer yet, oldest first", Description: "For administrators.", Security: secured}, a.inspectInbox)
}

func (a *API) status(ctx context.Context, _ *struct{}) (*struct{ Body chat.Status }, error) {
	if err := a.adminOnly(ctx); err != nil {
		return nil, err
	}
	counts, err := a.Store.InspectCounts(ctx)
	if err != nil {
		return nil, a.problem(err)
	}
	sessions, err := a.Store.InspectSessions(ctx, store.SessionFilter{Limit: recent})
	out := chat.Status{Version: a.Info.Version, Model: a.Info.Model, StartedAt: a.Info.StartedAt, Counts: counts, Recent: sessions}
	return &struct{ Body chat.Status }{out}, a.problem(err)
}

func (a *API) inspectSessions(ctx context.Context, in *struct {
	User    string `query:"user" maxLength:"200" doc:"Of this user alone."`
	Channel string `query:"channel" maxLength:"100"`
	Agent   string `query:"agent" maxLength:"100"`
	Active  int    `query:"active" minimum:"0" maximum:"5256000" doc:"Minutes within which a person wrote."`
	Limit   int    `query:"limit" minimum:"1" maximum:"5000" default:"500"`
}) (*sessionList, error) {
	if err := a.adminOnly(ctx); err != nil {
		return nil, err
	}
	var out sessionList
	var err error
	out.Body.Sessions, err = a.Store.InspectSessions(ctx, store.SessionFilter{User: in.User, Channel: in.Channel, Agent: in.Agent, Active: in.Active, Limit: in.Limit})
	return &out, a.problem(err)
}

func (a *API) inspectInbox(ctx context.Context, in *struct {
	Limit int `query:"limit" minimum:"1" maximum:"5000" default:"500"`
}) (*inboxList, error) {
	if err := a.adminOnly(ctx); err != nil {
		return nil, err
	}
	var out inboxList
	var err error
	out.Body.Messages, err = a.Store.InspectInbox(ctx, in.Limit)
	return &out, a.problem(err)
}

// adminOnly refuses everybody who is no administrator.
func (a *API) adminOnly(ctx context.Context) error {
	if auth.User(ctx).Admin {
		return nil
	}
	return a.problem(fault.Errorf(fault.Denied, "only administrators see what others do"))
}
