package sessions

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/chat"
	"xbot/internal/secret"
	"xbot/internal/turn/shares"
)

// sharedPath is the path of the page of a shared link. The token follows.
const sharedPath = "/shared/"

// NewShareLink is a link that was made just now.
type NewShareLink struct {
	shares.ShareLink

	URL  string `json:"url,omitempty" doc:"The full URL, if the operator has set the server's public URL (XBOT_PUBLIC_URL)."`
	Link string `json:"link" doc:"Path on this server, with the token. Shown only once; only its hash is stored."`
}

// ShareList has the links of a conversation.
type ShareList struct {
	Shares []shares.ShareLink `json:"shares" doc:"Valid links, newest first; at most 50."`
}

func (a *Endpoints) registerShares(h huma.API) {
	endpoint.InSession(a.Base, h, huma.Operation{
		OperationID: "create-share", Method: http.MethodPost, Path: "/api/sessions/{key}/shares", Summary: "Create a link to the current state of a conversation",
		Description:   "Anyone with the link can read without signing in: texts, answers and the names of the tools used, never their arguments or results. Later messages, rewinds and restored versions do not change what the link shows.",
		DefaultStatus: http.StatusCreated,
	}, func(ctx context.Context, s chat.Session, in *struct {
		endpoint.Key
		Body struct {
			Days int `json:"expires_in,omitempty" minimum:"1" maximum:"90" default:"7" doc:"Validity in days."`
		}
	}) (NewShareLink, error) {
		token, hash := secret.NewToken()
		made, err := a.Shares.MakeShare(ctx, s.Key, hash, in.Body.Days)
		out := NewShareLink{ShareLink: made, Link: sharedPath + token}
		if a.Info.URL != "" {
			out.URL = strings.TrimRight(a.Info.URL, "/") + out.Link
		}
		return out, err
	})
	endpoint.InSession(a.Base, h, huma.Operation{
		OperationID: "list-shares", Method: http.MethodGet, Path: "/api/sessions/{key}/shares", Summary: "List the share links of conversations",
	}, func(ctx context.Context, s chat.Session, _ *struct{ endpoint.Key }) (ShareList, error) {
		list, err := a.Shares.Shares(ctx, s.Key)
		return ShareList{list}, err
	})
	endpoint.InSessionDo(a.Base, h, huma.Operation{
		OperationID: "revoke-share", Method: http.MethodDelete, Path: "/api/sessions/{key}/shares/{id}", Summary: "Revoke a link",
	}, func(ctx context.Context, s chat.Session, in *struct {
		endpoint.Key
		ID int64 `path:"id"`
	}) error {
		return a.Shares.RevokeShare(ctx, s.Key, in.ID)
	})
}
