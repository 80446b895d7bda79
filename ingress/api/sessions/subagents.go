package sessions

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/chat"
)

// SubagentsBody lists subagents.
type SubagentsBody struct {
	Subagents []chat.Subagent `json:"subagents" doc:"Newest first, of all depths; at most 200."`
}

func (a *Endpoints) registerSubagents(h huma.API) {
	endpoint.InSession(a.Base, h, huma.Operation{
		OperationID: "list-subagents", Method: http.MethodGet, Path: "/api/sessions/{key}/subagents", Summary: "List the subagents of a conversation",
		Description: "Lists the whole tree below the conversation; for the conversation of a subagent, the tree that contains it. The session of a subagent is read and stopped like any other.",
		Security:    endpoint.Secured,
	}, func(ctx context.Context, s chat.Session, _ *endpoint.Key) (SubagentsBody, error) {
		all, err := a.Agents.SubagentsOf(ctx, s.Key)
		return SubagentsBody{Subagents: append([]chat.Subagent{}, all...)}, err
	})
}
