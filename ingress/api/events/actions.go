package events

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// ActionAnswer is what a client says to an action.
type ActionAnswer struct {
	Client  string `json:"client" pattern:"^[0-9A-Za-z]{8,40}$" doc:"The client that was sent the action."`
	Outcome string `json:"outcome" enum:"done,refused"`
	Reason  string `json:"reason,omitempty" enum:"not_supported,not_found,not_now" doc:"With refused, where it must not be left out. not_now: it would disturb what the person is doing."`
}

func (a *Endpoints) registerActions(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "answer-client-action", Method: http.MethodPost, Path: "/api/sessions/{key}/actions/{call_id}", Summary: "Say what became of an action",
		Description:   "For the client alone that was sent an event of the kind action. The same answer may be sent again. 409: nobody waits for it any more, ten seconds after the call asked.",
		DefaultStatus: http.StatusNoContent, Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		endpoint.Key
		Call chat.CallID `path:"call_id" maxLength:"200"`
		Body ActionAnswer
	}) (*struct{}, error) {
		s, err := a.Own(ctx, in.Key.Key)
		if err != nil {
			return nil, err
		}
		if (in.Body.Outcome == string(chat.ActionRefused)) != (in.Body.Reason != "") {
			return nil, a.Problem(fault.Errorf(fault.Invalid, "reason belongs to refused"))
		}
		return nil, a.Problem(a.Store.AnswerClientAction(ctx, s.Key, auth.User(ctx).ID, in.Body.Client, in.Call, chat.ClientActionState(in.Body.Outcome), in.Body.Reason))
	})
}
