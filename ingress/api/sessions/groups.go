package sessions

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/chat"
)

// GroupsBody lists group chats.
type GroupsBody struct {
	Groups []chat.Group `json:"groups"`
}

func (a *Endpoints) registerGroups(h huma.API) {
	huma.Register(h, huma.Operation{OperationID: "list-groups", Method: http.MethodGet, Path: "/api/sessions/{key}/groups", Summary: "The group chats among the subagents of a session, at all levels, newest first, with their lines", Security: endpoint.Secured},
		func(ctx context.Context, in *endpoint.Key) (*struct{ Body GroupsBody }, error) {
			s, err := a.Own(ctx, in.Key)
			if err != nil {
				return nil, err
			}
			groups, err := a.Agents.GroupsOf(ctx, s.Key)
			return &struct{ Body GroupsBody }{GroupsBody{Groups: append([]chat.Group{}, groups...)}}, a.Problem(err)
		})
	huma.Register(h, huma.Operation{
		OperationID: "end-group", Method: http.MethodPost, Path: "/api/sessions/{key}/groups/{id}/end", Summary: "End a group chat",
		Description:   "The member that speaks may finish; no other one is asked. The session gets the transcript. Ending a chat again changes nothing.",
		DefaultStatus: http.StatusNoContent, Security: endpoint.Secured,
	}, func(ctx context.Context, in *groupKey) (*struct{}, error) {
		s, err := a.Own(ctx, in.Key.Key)
		if err != nil {
			return nil, err
		}
		_, err = a.Agents.EndGroup(ctx, in.ID, s.Key)
		return nil, a.Problem(err)
	})
}

type groupKey struct {
	endpoint.Key

	ID chat.GroupID `path:"id" maxLength:"40" doc:"Id of the chat." example:"g0123456789"`
}
