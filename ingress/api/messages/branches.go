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
	ClientMessageID string `json:"client_message_id" minLength:"1" maxLength:"128" doc:"Chosen by the client, unique per user. Sent again with the same text it is the same message."`
	Text            string `json:"text,omitempty" doc:"What is asked in its place, at most 200000 bytes; it is no command. Absent: what stood there."`
}

func (a *Endpoints) registerBranches(h huma.API) {
	endpoint.InSession(a.Base, h, huma.Operation{
		OperationID: "ask-again", Method: http.MethodPost, Path: "/api/sessions/{key}/messages/{id}/again", Summary: "Ask a message again, as it was or changed",
		Description:   "It is queued like a message. When its turn begins it takes the place of the message, and that one and all that followed it are kept as another branch: a rewind event says so, and the branches of a message name its versions. Pictures and files that came with the message come with it again. Files, and the effects of commands, stay.",
		DefaultStatus: http.StatusAccepted, MaxBodyBytes: 4 * intake.MaxTextBytes,
	}, func(ctx context.Context, s chat.Session, in *struct {
		endpoint.Key
		ID   chat.MessageID `path:"id" minimum:"1" doc:"A message that the user wrote, or another version of it."`
		Body AskAgain
	}) (Accepted, error) {
		got, err := a.History.Again(ctx, a.inbound(ctx, s, in.Body.ClientMessageID, in.Body.Text), in.ID)
		return acceptedBody(got), err
	})
	endpoint.InSessionDo(a.Base, h, huma.Operation{
		OperationID: "switch-branch", Method: http.MethodPut, Path: "/api/sessions/{key}/branch", Summary: "Go on from another version of a message",
		Description:   "That version and what followed it come back into the conversation, and the one that was there leaves it. 409 while a turn runs. A rewind event with again says that the conversation is to be read anew. Files, and the effects of commands, stay.",
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
