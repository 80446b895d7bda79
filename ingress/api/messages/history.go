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
	ClientMessageID string         `json:"client_message_id" minLength:"1" maxLength:"128" doc:"Idempotency key, chosen by the client and unique per user. A repeated request with it is the same rewind."`
	MessageID       chat.MessageID `json:"message_id" minimum:"1" doc:"A user message. It and all messages after it are removed."`
}

func (a *Endpoints) registerHistory(h huma.API) {
	endpoint.InSession(a.Base, h, huma.Operation{
		OperationID: "rewind-session", Method: http.MethodPost, Path: "/api/sessions/{key}/rewind", Summary: "Rewind: remove a message and all messages after it from the conversation",
		Description:   "Queues the command /rewind like a message. A rewind event reports when it has happened, and a notice has the result. Files and the effects of commands are kept.",
		DefaultStatus: http.StatusAccepted,
	}, func(ctx context.Context, s chat.Session, in *struct {
		endpoint.Key
		Body RewindBody
	}) (Accepted, error) {
		got, err := a.History.Rewind(ctx, a.inbound(ctx, s, in.Body.ClientMessageID, ""), in.Body.MessageID)
		return Accepted{ID: got.ID, Duplicate: got.Duplicate}, err
	})
	endpoint.InSession(a.Base, h, huma.Operation{
		OperationID: "fork-session", Method: http.MethodPost, Path: "/api/sessions/{key}/fork", Summary: "Copy a conversation, up to the end of a message's turn, into a new session",
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
		OperationID: "compact-session", Method: http.MethodPost, Path: "/api/sessions/{key}/compact", Summary: "Summarize the beginning of the conversation to free context",
		Description:   "Queues the command /compact like a message. A notice reports the result.",
		DefaultStatus: http.StatusAccepted,
	}, func(ctx context.Context, s chat.Session, in *struct {
		endpoint.Key
		Body struct {
			ClientMessageID string `json:"client_message_id" minLength:"1" maxLength:"128" doc:"Idempotency key, chosen by the client and unique per user."`
			Focus           string `json:"focus,omitempty" maxLength:"2000" doc:"What the summary should keep."`
		}
	}) (Accepted, error) {
		text := strings.TrimSpace("/compact " + in.Body.Focus)
		got, err := a.Dispatch.Message(ctx, a.inbound(ctx, s, in.Body.ClientMessageID, text))
		return Accepted{ID: got.ID, Duplicate: got.Duplicate}, err
	})
}
