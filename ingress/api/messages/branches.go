package messages

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/intake"
	"xbot/internal/chat"
)

// AskAgain describes how a message is asked again.
type AskAgain struct {
	ClientMessageID string `json:"client_message_id" minLength:"1" maxLength:"128" doc:"Idempotency key, chosen by the client and unique per user. A repeated request with the same text is the same message."`
	Text            string `json:"text,omitempty" doc:"The new text, at most 200000 bytes; not a command. Absent: the original text."`
}

func (a *Endpoints) registerBranches(h huma.API) {
	endpoint.InSession(a.Base, h, huma.Operation{
		OperationID: "ask-again", Method: http.MethodPost, Path: "/api/sessions/{key}/messages/{id}/again", Summary: "Ask a message again, unchanged or edited",
		Description:   "The new message is queued. When its turn begins, it replaces the message, and the message and everything after it become another branch: a rewind event reports this, and the branches of a message name its versions. Pictures and files of the message are included again. Files and the effects of commands are kept.",
		DefaultStatus: http.StatusAccepted, MaxBodyBytes: 4 * intake.MaxTextBytes,
	}, func(ctx context.Context, s chat.Session, in *struct {
		endpoint.Key
		ID   chat.MessageID `path:"id" minimum:"1" doc:"A user message, or another version of it."`
		Body AskAgain
	}) (Accepted, error) {
		got, err := a.History.Again(ctx, a.inbound(ctx, s, in.Body.ClientMessageID, in.Body.Text), in.ID)
		return acceptedBody(got), err
	})
	endpoint.InSessionDo(a.Base, h, huma.Operation{
		OperationID: "switch-branch", Method: http.MethodPut, Path: "/api/sessions/{key}/branch", Summary: "Switch to another version of a message",
		Description:   "Restores the version and everything after it, and stores the current version as a branch. 409: a turn is running. A rewind event with again requires clients to reload the conversation. Files and the effects of commands are kept.",
		DefaultStatus: http.StatusNoContent,
	}, func(ctx context.Context, s chat.Session, in *struct {
		endpoint.Key
		Body struct {
			MessageID chat.MessageID `json:"message_id" minimum:"1" doc:"One of the branches of a message."`
		}
	}) error {
		return a.History.Switch(ctx, s.Key, in.Body.MessageID)
	})
}
