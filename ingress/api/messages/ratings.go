package messages

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/turn/ratings"
)

// Rating is the rating of a reply by the user who asks.
type Rating struct {
	Message chat.MessageID `json:"message_id"`
	Helpful bool           `json:"helpful"`
	Comment string         `json:"comment,omitempty"`
	RatedAt time.Time      `json:"rated_at"`
}

// Ratings lists ratings.
type Ratings struct {
	Ratings []Rating `json:"ratings" doc:"In the order of the replies."`
}

// ReceivedRating is a rating of any user.
type ReceivedRating struct {
	Rating

	Session chat.SessionKey `json:"session"`
	User    string          `json:"user" doc:"Name of the user."`
}

// ReceivedRatings lists ratings of all users.
type ReceivedRatings struct {
	Ratings []ReceivedRating `json:"ratings" doc:"The newest first."`
}

// maxReceived is how many ratings of all users are listed.
const maxReceived = 100

// NewRating is a rating to be stored.
type NewRating struct {
	Helpful bool   `json:"helpful"`
	Comment string `json:"comment,omitempty" maxLength:"4000" doc:"At most 4000 bytes."`
}

// RatedReply names a reply of a conversation.
type RatedReply struct {
	endpoint.Key
	ID chat.MessageID `path:"id" minimum:"1" doc:"A reply of the conversation."`
}

func (a *Endpoints) registerRatings(h huma.API) {
	const path = "/api/sessions/{key}/messages/{id}/rating"
	huma.Register(h, huma.Operation{
		OperationID: "list-received-ratings", Method: http.MethodGet, Path: "/api/ratings", Summary: "Ratings of replies by all users",
		Description: "For administrators: the newest 100.", Security: endpoint.Secured,
	}, a.receivedRatings)
	endpoint.InSession(a.Base, h, huma.Operation{
		OperationID: "list-ratings", Method: http.MethodGet, Path: "/api/sessions/{key}/ratings", Summary: "Your ratings of replies in a conversation",
	}, func(ctx context.Context, s chat.Session, _ *struct{ endpoint.Key }) (Ratings, error) {
		rows, err := a.Ratings.List(ctx, s.Key, auth.User(ctx).ID)
		out := Ratings{Ratings: make([]Rating, len(rows))}
		for i, r := range rows {
			out.Ratings[i] = Rating(r)
		}
		return out, err
	})
	endpoint.InSessionDo(a.Base, h, huma.Operation{
		OperationID: "rate-reply", Method: http.MethodPut, Path: path, Summary: "Rate a reply",
		Description:   "In place of an earlier rating of yours. Where traces are exported to Langfuse, it becomes a score of the trace. 404: the conversation has no such reply.",
		DefaultStatus: http.StatusNoContent,
	}, func(ctx context.Context, s chat.Session, in *struct {
		RatedReply
		Body NewRating
	}) error {
		return a.Ratings.Rate(ctx, s.Key, auth.User(ctx).ID, ratings.Rating{Message: in.ID, Helpful: in.Body.Helpful, Comment: in.Body.Comment})
	})
	endpoint.InSessionDo(a.Base, h, huma.Operation{
		OperationID: "remove-rating", Method: http.MethodDelete, Path: path, Summary: "Remove your rating of a reply",
		Description: "Also from Langfuse, if it was exported.", DefaultStatus: http.StatusNoContent,
	}, func(ctx context.Context, s chat.Session, in *RatedReply) error {
		return a.Ratings.Remove(ctx, s.Key, auth.User(ctx).ID, in.ID)
	})
}

func (a *Endpoints) receivedRatings(ctx context.Context, _ *struct{}) (*struct{ Body ReceivedRatings }, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return nil, err
	}
	rows, err := a.Ratings.Recent(ctx, maxReceived)
	out := ReceivedRatings{Ratings: make([]ReceivedRating, len(rows))}
	for i, r := range rows {
		out.Ratings[i] = ReceivedRating{Rating: Rating(r.Rating), Session: r.Session, User: r.User}
	}
	return &struct{ Body ReceivedRatings }{out}, a.Problem(err)
}
