package automation

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/automation/hook"
	"xbot/internal/chat"
)

// HooksBody is the hooks of the installation, and the calls that they have deferred.
type HooksBody struct {
	Hooks    []HookBody     `json:"hooks"`
	Faults   []hook.Fault   `json:"faults" doc:"Errors of the file."`
	Deferred []DeferredCall `json:"deferred" doc:"Calls that wait for an administrator, oldest first."`
}

// HookBody is one handler.
type HookBody struct {
	Event  hook.Event `json:"event" example:"PreToolUse"`
	Kind   hook.Kind  `json:"kind" enum:"command,http,mcp_tool,callback,plugin"`
	Label  string     `json:"label" doc:"The command, address or function, on one line and without secrets." example:"command: ./.xbot/check.sh"`
	Source string     `json:"source" doc:"The file." example:"/srv/xbot/hooks.json"`
	Place  string     `json:"place" doc:"Where in the file." example:"hooks.PreToolUse[0].hooks[0]"`
	Async  bool       `json:"async,omitempty" doc:"Asynchronous: xbot does not wait for it, and it decides nothing."`
}

// DeferredCall is a call that waits for an administrator.
type DeferredCall struct {
	chat.ToolCall

	Session chat.SessionKey `json:"session" example:"agent:main:web:thread:k3v9"`
	Owner   string          `json:"owner" doc:"Name of the conversation's user." example:"bob"`
}

// DeferredList is the calls that wait for an administrator.
type DeferredList struct {
	Deferred []DeferredCall `json:"deferred" doc:"The longest first, at most a hundred."`
}

// DeferredDecision is an administrator's decision on a call.
type DeferredDecision struct {
	Decision string `json:"decision" enum:"allow,deny"`
	Note     string `json:"note,omitempty" maxLength:"4000" doc:"Reason for the model, with a denial." example:"Not before the release."`
}

func (a *Endpoints) registerHooks(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "list-hooks", Method: http.MethodGet, Path: "/api/hooks", Summary: "List the hooks of the installation and the calls they have deferred; for administrators",
		Description: "The content of $XBOT_HOME/hooks.json, as read by this process.", Security: endpoint.Secured,
	}, func(ctx context.Context, _ *struct{}) (*struct{ Body HooksBody }, error) {
		if err := a.AdminOnly(ctx); err != nil {
			return nil, err
		}
		set := a.Hooks.Files.Home()
		out := HooksBody{Hooks: []HookBody{}, Faults: append([]hook.Fault{}, set.Faults()...)}
		for _, one := range set.Handlers() {
			out.Hooks = append(out.Hooks, HookBody{Event: one.Event, Kind: one.Kind, Label: one.Label(), Source: one.Source, Place: one.Place, Async: one.Async})
		}
		var err error
		out.Deferred, err = a.deferred(ctx)
		return &struct{ Body HooksBody }{out}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{
		OperationID: "list-deferred", Method: http.MethodGet, Path: "/api/hooks/deferred", Summary: "List calls that hooks have deferred; for administrators",
		Description: "In their conversations, these calls have an approval with deferred: true.", Security: endpoint.Secured,
	}, func(ctx context.Context, _ *struct{}) (*struct{ Body DeferredList }, error) {
		if err := a.AdminOnly(ctx); err != nil {
			return nil, err
		}
		waiting, err := a.deferred(ctx)
		return &struct{ Body DeferredList }{DeferredList{waiting}}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{
		OperationID: "decide-deferred", Method: http.MethodPost, Path: "/api/hooks/deferred/{call_id}", Summary: "Allow or deny a deferred call; for administrators",
		Description: "The first decision counts. 409: the call was decided before, or no longer waits.", Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		CallID chat.CallID `path:"call_id" maxLength:"200" doc:"Id of the tool call." example:"0198c1d2-5e0f-7a51-9d0e-3f6a1b2c4d5e.0.0"`
		Body   DeferredDecision
	}) (*struct{ Body chat.ToolCall }, error) {
		if err := a.AdminOnly(ctx); err != nil {
			return nil, err
		}
		user := auth.User(ctx)
		call, err := a.Hooks.Decide(ctx, in.CallID, user.ID, user.Name, in.Body.Decision == "allow", in.Body.Note)
		return &struct{ Body chat.ToolCall }{call}, a.Problem(err)
	})
}

// deferred lists the calls that wait for an administrator.
func (a *Endpoints) deferred(ctx context.Context) ([]DeferredCall, error) {
	waiting, err := a.Hooks.Deferred(ctx)
	out := make([]DeferredCall, len(waiting))
	for i, c := range waiting {
		out[i] = DeferredCall{ToolCall: c.ToolCall, Session: c.Session, Owner: c.Owner}
	}
	return out, err
}
