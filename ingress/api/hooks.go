package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/hook"
)

// HooksBody is the hooks of the installation, and what they have deferred.
type HooksBody struct {
	Hooks    []HookBody     `json:"hooks"`
	Faults   []hook.Fault   `json:"faults" doc:"What is wrong with the file."`
	Deferred []DeferredBody `json:"deferred" doc:"Calls that wait for an administrator, the longest first."`
}

// HookBody is one handler.
type HookBody struct {
	Event  hook.Event `json:"event"`
	Kind   hook.Kind  `json:"kind" enum:"command,http,callback"`
	Label  string     `json:"label" doc:"What is asked, on one line and without secrets."`
	Source string     `json:"source"`
	Place  string     `json:"place"`
	Async  bool       `json:"async,omitempty"`
}

// DeferredBody is a call that waits for an administrator.
type DeferredBody struct {
	chat.ToolCall

	Session chat.SessionKey `json:"session"`
	Owner   string          `json:"owner" doc:"Name of the user whose conversation it is in."`
}

func (a *API) registerHooks(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "list-hooks", Method: http.MethodGet, Path: "/api/hooks", Summary: "The hooks of the installation, and calls that they have deferred; for administrators",
		Description: "As this process reads $XBOT_HOME/hooks.json.", Security: secured,
	}, func(ctx context.Context, _ *struct{}) (*struct{ Body HooksBody }, error) {
		if err := a.adminOnly(ctx); err != nil {
			return nil, err
		}
		set := a.Hooks.Files.Home()
		out := HooksBody{Hooks: []HookBody{}, Faults: append([]hook.Fault{}, set.Faults()...), Deferred: []DeferredBody{}}
		for _, one := range set.Handlers() {
			out.Hooks = append(out.Hooks, HookBody{Event: one.Event, Kind: one.Kind, Label: one.Label(), Source: one.Source, Place: one.Place, Async: one.Async})
		}
		waiting, err := a.Store.DeferredCalls(ctx)
		for _, c := range waiting {
			out.Deferred = append(out.Deferred, DeferredBody{ToolCall: c.ToolCall, Session: c.Session, Owner: c.Owner})
		}
		return &struct{ Body HooksBody }{out}, a.problem(err)
	})
	huma.Register(h, huma.Operation{
		OperationID: "decide-deferred", Method: http.MethodPost, Path: "/api/hooks/deferred/{call_id}", Summary: "Allow or deny a call that a hook has deferred; for administrators",
		Description: "The first decision counts. Decided before, or too late: 409.", Security: secured,
	}, func(ctx context.Context, in *struct {
		CallID string `path:"call_id" maxLength:"200" doc:"Id of the tool call."`
		Body   struct {
			Decision string `json:"decision" enum:"allow,deny"`
			Note     string `json:"note,omitempty" maxLength:"4000" doc:"Told to the model with a denial."`
		}
	}) (*struct{ Body chat.ToolCall }, error) {
		if err := a.adminOnly(ctx); err != nil {
			return nil, err
		}
		user := auth.User(ctx)
		call, err := a.Hooks.Decide(ctx, chat.CallID(in.CallID), user.ID, user.Name, in.Body.Decision == "allow", in.Body.Note)
		return &struct{ Body chat.ToolCall }{call}, a.problem(err)
	})
}
