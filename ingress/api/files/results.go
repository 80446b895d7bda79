package files

import (
	"context"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/download"
	"xbot/internal/chat"
)

func (a *Endpoints) registerResults(h huma.API) {
	endpoint.InSessionStream(a.Base, h, huma.Operation{
		OperationID: "call-result", Method: http.MethodGet, Path: "/api/sessions/{key}/calls/{call_id}/result", Summary: "Get the whole result of a tool call",
		Description: "Returns the text of the tool result, even if the conversation shows a summary, a placeholder or an edit.",
		Security:    endpoint.Secured, Responses: endpoint.AttachmentResponse("text/plain"),
	}, func(ctx context.Context, s chat.Session, in *struct {
		endpoint.Key
		Call chat.CallID `path:"call_id" maxLength:"200"`
	}) (*huma.StreamResponse, error) {
		text, err := a.Conversations.CallResult(ctx, s.Key, in.Call)
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(hctx huma.Context) {
			_, w := humago.Unwrap(hctx)
			download.SetHeader(w, string(in.Call)+".txt", "text/plain; charset=utf-8")
			_, _ = io.WriteString(w, text) // the client is gone if this fails
		}}, nil
	})
}
