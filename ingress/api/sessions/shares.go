package sessions

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/secret"
	"xbot/internal/turn/shares"
)

// sharedPath is where the page shows what a link shows. The token follows.
const sharedPath = "/shared/"

// NewShareLink is a link that was made just now.
type NewShareLink struct {
	shares.ShareLink

	URL  string `json:"url,omitempty" doc:"The whole address, where the operator has said under which people reach the server (XBOT_PUBLIC_URL)."`
	Link string `json:"link" doc:"Where it is on this server, with its token. It is shown now and never again; only its hash is stored."`
}

// ShareList has the links of a conversation.
type ShareList struct {
	Shares []shares.ShareLink `json:"shares" doc:"Those that are good, the newest first; at most 50."`
}

func (a *Endpoints) registerShares(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "create-share", Method: http.MethodPost, Path: "/api/sessions/{key}/shares", Summary: "Make a link by which anybody reads a conversation as it is now",
		Description:   "Whoever has the link reads without signing in: texts, answers and the names of the tools that were used, never what these were asked and answered. What is written, taken back or brought back later does not change it.",
		DefaultStatus: http.StatusCreated, Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		endpoint.Key
		Body struct {
			Days int `json:"expires_in,omitempty" minimum:"1" maximum:"90" default:"7" doc:"How long it is good, in days."`
		}
	}) (*struct{ Body NewShareLink }, error) {
		s, err := a.Own(ctx, in.Key.Key)
		if err != nil {
			return nil, err
		}
		token, hash := secret.NewToken()
		made, err := a.Shares.MakeShare(ctx, s.Key, hash, in.Body.Days)
		out := NewShareLink{ShareLink: made, Link: sharedPath + token}
		if a.Info.URL != "" {
			out.URL = strings.TrimRight(a.Info.URL, "/") + out.Link
		}
		return &struct{ Body NewShareLink }{out}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{
		OperationID: "list-shares", Method: http.MethodGet, Path: "/api/sessions/{key}/shares", Summary: "The links by which anybody reads a conversation", Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct{ endpoint.Key }) (*struct{ Body ShareList }, error) {
		s, err := a.Own(ctx, in.Key.Key)
		if err != nil {
			return nil, err
		}
		list, err := a.Shares.Shares(ctx, s.Key)
		return &struct{ Body ShareList }{ShareList{list}}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{
		OperationID: "revoke-share", Method: http.MethodDelete, Path: "/api/sessions/{key}/shares/{id}", Summary: "Make a link useless at once", Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		endpoint.Key
		ID int64 `path:"id"`
	}) (*struct{}, error) {
		s, err := a.Own(ctx, in.Key.Key)
		if err != nil {
			return nil, err
		}
		return nil, a.Problem(a.Shares.RevokeShare(ctx, s.Key, in.ID))
	})
}
