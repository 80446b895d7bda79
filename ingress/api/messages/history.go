package messages

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/chat"
)

// RewindBody names the message that a rewind begins with.
type RewindBody struct {
	ClientMessageID string         `json:"client_message_id" minLength:"1" maxLength:"128" doc:"Chosen by the client, unique per user. Sent again for the same message it is the same rewind."`
	MessageID       chat.MessageID `json:"message_id" minimum:"1" doc:"A message that the user wrote. It and all after it are taken out."`
}

func (a *Endpoints) registerHistory(h huma.API) {
	endpoint.InSession(a.Base, h, huma.Operation{
		OperationID: "rewind-session", Method: http.MethodPost, Path: "/api/sessions/{key}/rewind", Summary: "Rewind: take a message, and all after it, out of the conversation",
		Description:   "It is queued like a message, as the command /rewind. A rewind event says when it has happened, and a notice has the answer. Files, and the effects of commands, stay.",
		DefaultStatus: http.StatusAccepted,
	}, func(ctx context.Context, s chat.Session, in *struct {
		endpoint.Key
		Body RewindBody
	}) (Accepted, error) {
		got, err := a.History.Rewind(ctx, a.inbound(ctx, s, in.Body.ClientMessageID, ""), in.Body.MessageID)
		return Accepted{ID: got.ID, Duplicate: got.Duplicate}, err
	})
	endpoint.InSession(a.Base, h, huma.Operation{
		OperationID: "fork-session", Method: http.MethodPost, Path: "/api/sessions/{key}/fork", Summary: "Copy a conversation, up to the end of the turn of a message, into a new session",
		Description:   "Running turns are not copied. Original and copy are independent: either may be deleted.",
		DefaultStatus: http.StatusCreated,
	}, func(ctx context.Context, s chat.Session, in *struct {
		endpoint.Key
		Body struct {
			MessageID chat.MessageID `json:"message_id,omitempty" minimum:"0" doc:"Default: all of the conversation."`
		}
	}) (chat.Session, error) {
		return a.History.Fork(ctx, s, in.Body.MessageID)
	})
	endpoint.InSession(a.Base, h, huma.Operation{
		OperationID: "compact-session", Method: http.MethodPost, Path: "/api/sessions/{key}/compact", Summary: "Summarize the beginning of the conversation to make room",
		Description:   "It is queued like a message, as the command /compact. A notice says how it ended.",
		DefaultStatus: http.StatusAccepted,
	}, func(ctx context.Context, s chat.Session, in *struct {
		endpoint.Key
		Body struct {
			ClientMessageID string `json:"client_message_id" minLength:"1" maxLength:"128" doc:"Chosen by the client, unique per user."`
			Focus           string `json:"focus,omitempty" maxLength:"2000" doc:"What the summary should keep."`
		}
	}) (Accepted, error) {
		text := strings.TrimSpace("/compact " + in.Body.Focus)
		got, err := a.Dispatch.Message(ctx, a.inbound(ctx, s, in.Body.ClientMessageID, text))
		return Accepted{ID: got.ID, Duplicate: got.Duplicate}, err
	})
}
