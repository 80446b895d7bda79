package messages

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/store"
)

// Answer is what a person says to the question whether a call may run.
type Answer struct {
	Decision string `json:"decision,omitempty" enum:"allow,deny" doc:"May be left out with answers, which allow."`
	Note     string `json:"note,omitempty" maxLength:"4000" doc:"Told to the model with a denial."`
	Always   bool   `json:"always,omitempty" doc:"With allow: also sets the rules that the approval lists under always. Refused where it lists none."`

	Answers chat.Answers `json:"answers,omitempty" doc:"If the call asks questions: a list of answers for the name of each."`
}

func (a *Endpoints) registerApprovals(h huma.API) {
	huma.Register(h, huma.Operation{OperationID: "answer-approval", Method: http.MethodPost, Path: "/api/sessions/{key}/approvals/{call_id}", Summary: "Allow or deny a call that waits for permission, or answer the questions that it asks", Description: "The first answer counts, even if no worker runs. 409: it was answered before, or it is too late.", Security: endpoint.Secured},
		func(ctx context.Context, in *struct {
			endpoint.Key
			CallID chat.CallID `path:"call_id" maxLength:"200" doc:"Id of the tool call."`
			Body   Answer
		}) (*struct{ Body chat.ToolCall }, error) {
			s, err := a.Readable(ctx, in.Key.Key) // who may answer, the store says
			if err != nil {
				return nil, err
			}
			if in.Body.Decision == "" && len(in.Body.Answers) == 0 {
				return nil, a.Problem(fault.Errorf(fault.Invalid, "say allow or deny in decision, or give answers"))
			}
			user := auth.User(ctx)
			call, err := a.Dispatch.Answer(ctx, store.Answer{
				Session: s.Key, User: user.ID, UserName: user.Name, Call: in.CallID,
				Allow: in.Body.Decision != "deny", Note: in.Body.Note, Always: in.Body.Always, Answers: in.Body.Answers,
			}, s.Channel)
			return &struct{ Body chat.ToolCall }{call}, a.Problem(err)
		})
}
