package messages

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/fault"
)

// pictureResponse is a picture with its headers for browsers: the server made it, from any file. They may keep it, since its
// name follows from what it holds.
type pictureResponse struct {
	Type  string `header:"Content-Type"`
	Cache string `header:"Cache-Control"`
	Sniff string `header:"X-Content-Type-Options"`
	Body  []byte
}

func (a *Endpoints) registerPictures(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "read-picture", Method: http.MethodGet, Path: "/api/sessions/{key}/pictures/{hash}", Summary: "Get a picture of a conversation, as sent to models",
		Description: "Messages and tool results reference their pictures. Administrators may read the pictures of every conversation.",
		Security:    endpoint.Secured, Responses: map[string]*huma.Response{"200": {
			Description: "The picture.", Content: map[string]*huma.MediaType{
				"image/png":  {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
				"image/jpeg": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
			},
		}},
	}, func(ctx context.Context, in *struct {
		endpoint.Key
		Hash string `path:"hash" pattern:"^[0-9a-f]{64}$" doc:"Its SHA-256."`
	}) (*pictureResponse, error) {
		s, err := a.Readable(ctx, in.Key.Key)
		if err != nil {
			return nil, err
		}
		found, err := a.Attachments.Pictures(ctx, s.Key, []string{in.Hash})
		if err != nil {
			return nil, a.Problem(err)
		}
		p, ok := found[in.Hash]
		if !ok {
			return nil, a.Problem(fault.Errorf(fault.NotFound, "the conversation has no such picture"))
		}
		return &pictureResponse{Type: p.MediaType, Cache: "private, max-age=31536000, immutable", Sniff: "nosniff", Body: p.Data}, nil
	})
}
