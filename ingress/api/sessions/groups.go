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
	endpoint.InSession(a.Base, h, huma.Operation{OperationID: "list-groups", Method: http.MethodGet, Path: "/api/sessions/{key}/groups", Summary: "List the group chats among the subagents of a session, at all levels, newest first, with their lines"},
		func(ctx context.Context, s chat.Session, _ *endpoint.Key) (GroupsBody, error) {
			groups, err := a.Agents.GroupsOf(ctx, s.Key)
			return GroupsBody{Groups: append([]chat.Group{}, groups...)}, err
		})
	endpoint.InSessionDo(a.Base, h, huma.Operation{
		OperationID: "end-group", Method: http.MethodPost, Path: "/api/sessions/{key}/groups/{id}/end", Summary: "End a group chat",
		Description:   "The current speaker may finish; no other member is called. The session receives the transcript. Ending a chat twice has no effect.",
		DefaultStatus: http.StatusNoContent,
	}, func(ctx context.Context, s chat.Session, in *groupKey) error {
		_, err := a.Agents.EndGroup(ctx, in.ID, s.Key)
		return err
	})
}

type groupKey struct {
	endpoint.Key

	ID chat.GroupID `path:"id" maxLength:"40" doc:"Id of the chat." example:"g0123456789"`
}
