package messages

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/intake"
	"xbot/internal/chat"
)

func (a *Endpoints) registerQueue(h huma.API) {
	endpoint.InSessionDo(a.Base, h, huma.Operation{
		OperationID: "edit-queued", Method: http.MethodPut, Path: "/api/sessions/{key}/queue/{inbox_id}", Summary: "Edit a queued message",
		Description:   "Connected clients receive a queued event with the same ID and the new text. 409: a turn has claimed the message.",
		DefaultStatus: http.StatusNoContent, MaxBodyBytes: 4 * intake.MaxTextBytes,
	}, func(ctx context.Context, s chat.Session, in *struct {
		endpoint.Key
		ID   chat.InboxID `path:"inbox_id" minimum:"1" doc:"Id of the message, as it was accepted."`
		Body struct {
			Text string `json:"text" minLength:"1" doc:"At most 200000 bytes; no command."`
		}
	}) error {
		return a.Dispatch.Edit(ctx, s.Key, in.ID, in.Body.Text)
	})
	endpoint.InSessionDo(a.Base, h, huma.Operation{
		OperationID: "recall-queued", Method: http.MethodDelete, Path: "/api/sessions/{key}/queue/{inbox_id}", Summary: "Withdraw a queued message or command",
		Description:   "Connected clients receive a dropped event. 409: a turn has claimed the message.",
		DefaultStatus: http.StatusNoContent,
	}, func(ctx context.Context, s chat.Session, in *struct {
		endpoint.Key
		ID chat.InboxID `path:"inbox_id" minimum:"1" doc:"Id of the message, as it was accepted."`
	}) error {
		return a.Dispatch.Recall(ctx, s.Key, in.ID)
	})
}
