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
	huma.Register(h, huma.Operation{
		OperationID: "list-subagents", Method: http.MethodGet, Path: "/api/sessions/{key}/subagents", Summary: "The subagents of a conversation",
		Description: "It lists the whole tree below the conversation; for the conversation of a subagent the tree that it is part of. The session of a subagent is read and stopped like any other.",
		Security:    endpoint.Secured,
	}, func(ctx context.Context, in *endpoint.Key) (*struct{ Body SubagentsBody }, error) {
		s, err := a.Own(ctx, in.Key)
		if err != nil {
			return nil, err
		}
		all, err := a.Agents.SubagentsOf(ctx, s.Key)
		return &struct{ Body SubagentsBody }{SubagentsBody{Subagents: append([]chat.Subagent{}, all...)}}, a.Problem(err)
	})
}
