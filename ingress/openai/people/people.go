// Package people answers the OpenAI API with the agents of the installation, for access tokens of users: a request acts as the user of its
// token, in conversations of that user.
package people

import (
	"context"
	"iter"
	"net/http"
	"strings"
	"time"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/api/files"
	"xbot/ingress/api/sessions"
	"xbot/ingress/auth"
	"xbot/ingress/intake"
	"xbot/ingress/largebody"
	"xbot/ingress/openai"
	"xbot/ingress/replystream"
	"xbot/internal/chat"
	"xbot/internal/document/webpicture"
	"xbot/internal/llm/catalogue"
	"xbot/internal/secret"
	"xbot/internal/service/servicestore"
	"xbot/internal/turn/attachments"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/policy"
)

// Root is below which the API answers.
const Root = "/v1/"

// Sessions begins conversations of the caller.
type Sessions interface {
	Begin(ctx context.Context, in sessions.NewSession) (chat.Session, error)
}

// Files saves files of requests on the runner of the conversation.
type Files interface {
	// Reach makes sure that the runner of new conversations answers.
	Reach(ctx context.Context) error
	Put(ctx context.Context, key chat.SessionKey, name string, content []byte) (files.UploadedFile, error)
}

// Catalogue lists the models that a user may choose.
type Catalogue interface {
	Get(ctx context.Context, user chat.UserID) (catalogue.Catalogue, error)
}

// Policies is the policy in force, which lists the agents.
type Policies interface {
	Get(ctx context.Context) (*policy.Policy, error)
}

// People answers the tokens of users. Its errors and its access checks are those of the HTTP API.
type People struct {
	*endpoint.Base

	AnswerStore *conversation.Answers
	Attachments *attachments.Store
	Services    *servicestore.Store
	Turns       *engine.Store

	Sessions  Sessions
	Dispatch  *intake.Dispatcher
	Answers   *replystream.Source
	Catalogue Catalogue
	Policies  Policies
	Key       secret.Deriver // names the conversations that requests with a key of the client's begin
	Pictures  *webpicture.Fetcher
	Files     Files
}

// Handler answers below Root. It needs a token: a cookie does not count, so that no page drives it.
func (p *People) Handler() http.Handler {
	chats := &openai.Chat{Backend: p, Refusals: p.Base}
	responses := &openai.ResponseAPI{Responses: p, Refusals: p.Base}
	list := &openai.List{Models: p, Refusals: p.Base}
	routes := http.NewServeMux()
	routes.Handle("POST "+Root+"chat/completions", chats)
	routes.HandleFunc("POST "+Root+"responses", responses.Create)
	routes.HandleFunc("GET "+Root+"responses/{id}", responses.Get)
	routes.HandleFunc("DELETE "+Root+"responses/{id}", responses.Delete)
	routes.HandleFunc("GET "+Root+"responses/{id}/input_items", responses.Items)
	routes.HandleFunc("POST "+Root+"responses/{id}/cancel", responses.Cancel)
	routes.HandleFunc("GET "+Root+"models", list.All)
	routes.HandleFunc("GET "+Root+"models/{id...}", list.One)
	routes.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		openai.Refuse(w, openai.Unknown(r), p.Base)
	})
	closed := p.Auth.Require(&openai.Gate{Next: openai.WithoutSlash(routes), Who: caller{}, Refusals: p.Base, Large: largebody.New()}, p.refuse)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store") // data of users is for them alone
		if openai.AllowOrigins(w, r) {
			return
		}
		if scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " "); !strings.EqualFold(scheme, "Bearer") {
			p.refuse(w, r, auth.ErrSignIn)
			return
		}
		closed.ServeHTTP(w, r)
	})
}

func (p *People) refuse(w http.ResponseWriter, _ *http.Request, err error) {
	openai.Refuse(w, err, p.Base)
}

// caller is the user of a request.
type caller struct{}

// Of implements openai.Caller.
func (caller) Of(ctx context.Context) int64 { return int64(auth.User(ctx).ID) }

// Follow implements openai.Backend.
func (p *People) Follow(ctx context.Context, a openai.AcceptedMessage) iter.Seq2[replystream.Event, error] {
	return p.Answers.Follow(ctx, replystream.Question{Session: a.Session, Message: a.Message, Access: token{}})
}

// Read implements openai.Responses.
func (p *People) Read(ctx context.Context, a openai.AcceptedMessage) iter.Seq2[replystream.Event, error] {
	return p.Answers.Follow(ctx, replystream.Question{Session: a.Session, Message: a.Message, Access: token{}, Now: true})
}

// token is the credential of the reader.
type token struct{}

// Still implements answer.Access.
func (token) Still(ctx context.Context) error { return auth.Still(ctx) }

// noteTime bounds how long it takes to record that an answer was delivered.
const noteTime = 5 * time.Second

// Delivered lets the next request that is like this one be another one. Where the client chose the key, it stays the same.
func (p *People) Delivered(ctx context.Context, a openai.AcceptedMessage) {
	if a.Chosen {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTime)
	defer cancel()
	if err := p.AnswerStore.ReleaseID(ctx, auth.User(ctx).ID, channel, a.Key, a.Message); err != nil {
		p.Log.Warn("a delivered answer was not noted: a retry of its request gets it again", "error", err)
	}
}
