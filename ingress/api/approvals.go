package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/store"
)

// NewAnswer is what a person says to the question whether a call may run.
type NewAnswer struct {
	Decision string `json:"decision" enum:"allow,deny"`
	Note     string `json:"note,omitempty" maxLength:"4000" doc:"Told to the model with a denial."`
	Always   bool   `json:"always,omitempty" doc:"With allow: the tool needs no permission from now on."`
}

func (a *API) registerApprovals(h huma.API) {
	huma.Register(h, huma.Operation{OperationID: "answer-approval", Method: http.MethodPost, Path: "/api/sessions/{key}/approvals/{call_id}", Summary: "Allow or deny a call that waits for permission", Description: "The first answer counts, whether a worker runs or not. Answered before, or too late: 409.", Security: secured},
		func(ctx context.Context, in *struct {
			Key
			CallID string `path:"call_id" maxLength:"200" doc:"Id of the tool call."`
			Body   NewAnswer
		}) (*struct{ Body chat.ToolCall }, error) {
			s, err := a.readable(ctx, in.Key.Key) // who may answer, the store says
			if err != nil {
				return nil, err
			}
			user := auth.User(ctx)
			call, err := a.Dispatch.Answer(ctx, store.Answer{
				Session: s.Key, User: user.ID, UserName: user.Name, Call: chat.CallID(in.CallID),
				Allow: in.Body.Decision == "allow", Note: in.Body.Note, Always: in.Body.Always,
			}, s.Channel)
			return &struct{ Body chat.ToolCall }{call}, a.problem(err)
		})
}
