package messages

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/calls"
)

// Answer is a user's answer to the question whether a call may run.
type Answer struct {
	Decision string `json:"decision,omitempty" enum:"allow,deny" doc:"May be left out with answers, which allow."`
	Note     string `json:"note,omitempty" maxLength:"4000" doc:"Reason for the model, with a denial."`
	Always   bool   `json:"always,omitempty" doc:"With allow: also sets the rules that the approval lists under always. Refused where it lists none."`

	Arguments json.RawMessage `json:"arguments,omitempty" doc:"With allow: a JSON object that replaces the arguments. Rules are evaluated again; 403 if one denies the call, which then continues to wait."`

	Answers chat.Answers `json:"answers,omitempty" doc:"If the call asks questions: a list of answers for the name of each."`
}

// AnswerOf is an answer among several.
type AnswerOf struct {
	CallID chat.CallID `json:"call_id" maxLength:"200" doc:"Id of the tool call."`
	Answer
}

// AnswerList has answers to several calls of a conversation.
type AnswerList struct {
	Answers []AnswerOf `json:"answers" minItems:"1" maxItems:"64" doc:"One for each call."`
}

// Answered is the result of one of several answers: the call as it is now, or why the answer was refused.
type Answered struct {
	CallID chat.CallID    `json:"call_id"`
	Call   *chat.ToolCall `json:"call,omitempty"`
	Status int            `json:"status" doc:"The HTTP status that the answer alone would have had: 200, 403, 404, 409 ..."`
	Detail string         `json:"detail,omitempty" doc:"Why it was refused."`
}

// AnsweredBody has the results of several answers, in their order.
type AnsweredBody struct {
	Results []Answered `json:"results"`
}

func (a *Endpoints) registerApprovals(h huma.API) {
	// The store decides who may answer.
	endpoint.InReadable(a.Base, h, huma.Operation{OperationID: "answer-approval", Method: http.MethodPost, Path: "/api/sessions/{key}/approvals/{call_id}", Summary: "Allow or deny a call that requires approval, or answer its questions", Description: "The first answer counts, even if no worker is running. 409: the call was answered before, or no longer waits."},
		func(ctx context.Context, s chat.Session, in *struct {
			endpoint.Key
			CallID chat.CallID `path:"call_id" maxLength:"200" doc:"Id of the tool call."`
			Body   Answer
		}) (chat.ToolCall, error) {
			return a.answer(ctx, s, in.CallID, in.Body)
		})
	endpoint.InReadable(a.Base, h, huma.Operation{OperationID: "answer-approvals", Method: http.MethodPost, Path: "/api/sessions/{key}/approvals", Summary: "Answer several calls that require approval", Description: "Each answer is accepted or refused independently; its result has the status."},
		func(ctx context.Context, s chat.Session, in *struct {
			endpoint.Key
			Body AnswerList
		}) (AnsweredBody, error) {
			results, err := a.answerEach(ctx, s, in.Body.Answers)
			return AnsweredBody{results}, err
		})
	a.registerAllowance(h, http.MethodPut, true, huma.Operation{OperationID: "allow-turn", Summary: "Allow all calls until a turn ends", Description: "Allows every call of the turn that would require an approval, including calls that are waiting. It does not override rules that deny, the read-only mode, questions of the model, or calls that a hook defers. Subagents have turns of their own. 409: the turn has ended."})
	a.registerAllowance(h, http.MethodDelete, false, huma.Operation{OperationID: "disallow-turn", Summary: "Revoke the permission for all calls of a turn", Description: "Calls that were allowed earlier continue."})
}

func (a *Endpoints) answer(ctx context.Context, s chat.Session, id chat.CallID, given Answer) (chat.ToolCall, error) {
	if given.Decision == "" && len(given.Answers) == 0 {
		return chat.ToolCall{}, fault.Errorf(fault.Invalid, "say allow or deny in decision, or give answers")
	}
	user := auth.User(ctx)
	answer := calls.Answer{
		Session: s.Key, User: user.ID, UserName: user.Name, Call: id,
		Allow: given.Decision != "deny", Note: given.Note, Always: given.Always, Answers: given.Answers,
	}
	if len(given.Arguments) > 0 {
		return a.Dispatch.AnswerChanged(ctx, answer, given.Arguments, s.Channel)
	}
	return a.Dispatch.Answer(ctx, answer, s.Channel)
}

// answerEach records answers one after the other. The same call twice is Invalid, and nothing is recorded.
func (a *Endpoints) answerEach(ctx context.Context, s chat.Session, answers []AnswerOf) ([]Answered, error) {
	seen := make(map[chat.CallID]bool, len(answers))
	for _, one := range answers {
		if seen[one.CallID] {
			return nil, fault.Errorf(fault.Invalid, "there are two answers to call %q", one.CallID)
		}
		seen[one.CallID] = true
	}
	out := make([]Answered, 0, len(answers))
	for _, one := range answers {
		result := Answered{CallID: one.CallID, Status: http.StatusOK}
		call, err := a.answer(ctx, s, one.CallID, one.Answer)
		if err == nil {
			result.Call = &call
		} else {
			result.Status, result.Detail = a.Refusal(err)
		}
		out = append(out, result)
	}
	return out, nil
}

// registerAllowance has the endpoint by which a user allows everything in a turn, or takes that back.
func (a *Endpoints) registerAllowance(h huma.API, method string, allow bool, o huma.Operation) {
	o.Method, o.Path, o.DefaultStatus = method, "/api/sessions/{key}/turns/{turn}/allowance", http.StatusOK
	// The store decides who may allow.
	endpoint.InReadable(a.Base, h, o, func(ctx context.Context, s chat.Session, in *struct {
		endpoint.Key
		TurnID chat.TurnID `path:"turn" maxLength:"200" doc:"Id of a turn that runs."`
	}) (chat.Turn, error) {
		user := auth.User(ctx)
		turn, err := a.Dispatch.PermitTurn(ctx, calls.TurnPermit{Session: s.Key, Turn: in.TurnID, User: user.ID, UserName: user.Name, Allow: allow}, s.Channel)
		return a.WithLink(ctx, turn), err
	})
}
