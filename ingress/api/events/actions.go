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

// taking is the answer of a client before it carries an action out.
const taking = "taking"

// ActionAnswer is the answer of a client to an action.
type ActionAnswer struct {
	Client  string `json:"client" pattern:"^[0-9A-Za-z]{8,40}$" doc:"The client that was sent the action."`
	Outcome string `json:"outcome" enum:"taking,done,refused" doc:"taking: claims the action. After a 204 response, the client performs it and reports done or refused."`
	Reason  string `json:"reason,omitempty" enum:"not_supported,not_found,not_now" doc:"Required with refused. not_now: it would disturb the user."`
}

func (a *Endpoints) registerActions(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "answer-client-action", Method: http.MethodPost, Path: "/api/sessions/{key}/actions/{call_id}", Summary: "Report the result of an action",
		Description:   "Only for the client that received the action event. The client first claims the action, which succeeds for one process only, then reports its result; the same result may be sent again. 409: the action was claimed before, or the call no longer waits for it (ten seconds after the request). The client must not perform the action then.",
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
		if in.Body.Outcome == taking {
			return nil, a.Problem(a.ClientActions.TakeClientAction(ctx, s.Key, auth.User(ctx).ID, in.Body.Client, in.Call))
		}
		return nil, a.Problem(a.ClientActions.AnswerClientAction(ctx, s.Key, auth.User(ctx).ID, in.Body.Client, in.Call, chat.ClientActionState(in.Body.Outcome), in.Body.Reason))
	})
}
