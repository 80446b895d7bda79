// Package inbox has the endpoints by which administrators read what consumers of services ask, answer them, and take a conversation from the
// agent.
package inbox

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
	"xbot/internal/turn/quota"
)

// Endpoints has the endpoints of this package and their dependencies.
type Endpoints struct {
	*endpoint.Base

	Services *servicestore.Store
	Quota    *quota.Quota
}

// InboxBody is a part of the inbox.
type InboxBody struct { //nolint:revive // the name of its schema in the API
	Items  []service.Item              `json:"items" doc:"The newest first."`
	More   bool                        `json:"more" doc:"There are more: request the next page with before set to the created_at of the last item."`
	Taken  []service.TakenConversation `json:"taken" doc:"Conversations under handover, those with a waiting consumer first."`
	Unread InboxUnread                 `json:"unread"`
}

// InboxUnread counts the waiting items of a user.
type InboxUnread struct { //nolint:revive // as above
	Items   int `json:"items" doc:"Unread items."`
	Waiting int `json:"waiting" doc:"Conversations under handover whose last message is the consumer's."`
}

// Saying is a message of an administrator to a consumer.
type Saying struct {
	Text string `json:"text" minLength:"1" maxLength:"10000" doc:"Plain text or Markdown."`
	ID   string `json:"client_message_id" minLength:"1" maxLength:"128" doc:"Idempotency key, chosen by the client."`
}

// HandBody is the handover of a conversation.
type HandBody struct {
	Taken   bool        `json:"taken" doc:"You have taken over the conversation; the agent does not answer."`
	Stopped chat.TurnID `json:"stopped,omitempty" doc:"The turn stopped by the handover."`
}

// InboxItemPath names the item of a request.
type InboxItemPath struct { //nolint:revive // as above
	ID string `path:"id" maxLength:"20" example:"inbox_0a1b2c3d"`
}

// TalkPath names the conversation of a request.
type TalkPath struct {
	ID           string `path:"id" maxLength:"12" example:"svc_0a1b2c3d"`
	Conversation string `path:"cid" maxLength:"10" example:"0123456789"`
}

type (
	itemBody    struct{ Body service.Item }
	messageBody struct{ Body chat.Message }
)

const (
	// root is no path below /api/services, where {id} could be anything.
	root         = "/api/inbox"
	one          = root + "/{id}"
	conversation = "/api/services/{id}/conversations/{cid}"
)

// Register has the endpoints that need a user.
func (a *Endpoints) Register(h huma.API) {
	huma.Register(h, operation("list-inbox", http.MethodGet, root, "List questions of consumers of services", "Includes all services. "), a.list)
	huma.Register(h, operation("count-inbox", http.MethodGet, root+"/unread-count", "Count unread items and waiting conversations", ""), a.count)
	huma.Register(h, operation("get-inbox-item", http.MethodGet, one, "Get an inbox item", ""), a.get)
	huma.Register(h, operation("change-inbox-item", http.MethodPatch, one, "Mark an item as open or handled", "Overrides the status set by the agent. "), a.change)
	remove := operation("delete-inbox-item", http.MethodDelete, one, "Delete an inbox item", "The conversation is kept. ")
	remove.DefaultStatus = http.StatusNoContent
	huma.Register(h, remove, a.remove)
	huma.Register(h, operation("answer-inbox-item", http.MethodPost, one+"/answer", "Answer the consumer", "Posts the answer in their conversation and marks the item as handled. "), a.answer)
	huma.Register(h, operation("take-service-conversation", http.MethodPost, conversation+"/take", "Take over a conversation from the agent",
		"Stops the running turn; the agent does not answer until the conversation is returned. Messages of the consumer are added to the transcript. "), a.take)
	huma.Register(h, operation("give-service-conversation", http.MethodPost, conversation+"/give", "Return a conversation to the agent", "The agent answers from the next message. "), a.give)
	huma.Register(h, operation("say-in-service-conversation", http.MethodPost, conversation+"/say", "Send a message to a consumer as an administrator", ""), a.say)
}

func operation(id, method, path, summary, description string) huma.Operation {
	return huma.Operation{OperationID: id, Method: method, Path: path, Summary: summary, Description: description + "For administrators.", Security: endpoint.Secured}
}

func (a *Endpoints) list(ctx context.Context, in *struct {
	Status  service.ItemStatus `query:"status" enum:"unread,read,handled" doc:"Missing: whichever."`
	Service string             `query:"service" maxLength:"12" doc:"Missing: of all services."`
	Before  time.Time          `query:"before" doc:"Only those that were made before."`
	Limit   int                `query:"limit" minimum:"1" maximum:"200" default:"50"`
}) (*struct{ Body InboxBody }, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return nil, err
	}
	items, err := a.Services.InboxItems(ctx, servicestore.ItemPage{Status: in.Status, Service: in.Service, Before: in.Before, Limit: in.Limit + 1})
	if err != nil {
		return nil, a.Problem(err)
	}
	taken, err := a.Services.TakenConversations(ctx)
	if err != nil {
		return nil, a.Problem(err)
	}
	unread, err := a.Services.InboxUnread(ctx)
	return &struct{ Body InboxBody }{InboxBody{Items: items[:min(len(items), in.Limit)], More: len(items) > in.Limit, Taken: taken, Unread: InboxUnread(unread)}}, a.Problem(err)
}

func (a *Endpoints) count(ctx context.Context, _ *struct{}) (*struct{ Body InboxUnread }, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return nil, err
	}
	unread, err := a.Services.InboxUnread(ctx)
	return &struct{ Body InboxUnread }{InboxUnread(unread)}, a.Problem(err)
}

func (a *Endpoints) get(ctx context.Context, in *InboxItemPath) (*itemBody, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return nil, err
	}
	return a.item(ctx, in.ID)
}

func (a *Endpoints) item(ctx context.Context, id string) (*itemBody, error) {
	item, err := a.Services.InboxItem(ctx, id)
	return &itemBody{item}, a.Problem(err)
}

func (a *Endpoints) change(ctx context.Context, in *struct {
	InboxItemPath

	Body struct {
		Status service.ItemStatus `json:"status" enum:"unread,read,handled"`
	}
}) (*itemBody, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return nil, err
	}
	if err := a.Services.SetInboxItem(ctx, in.ID, in.Body.Status); err != nil {
		return nil, a.Problem(err)
	}
	return a.item(ctx, in.ID)
}

func (a *Endpoints) remove(ctx context.Context, in *InboxItemPath) (*struct{}, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return nil, err
	}
	return nil, a.Problem(a.Services.DeleteInboxItem(ctx, in.ID))
}

func (a *Endpoints) answer(ctx context.Context, in *struct {
	InboxItemPath

	Body Saying
}) (*itemBody, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return nil, err
	}
	if _, err := a.Services.AnswerInboxItem(ctx, in.ID, by(ctx), saidID(in.Body.ID), in.Body.Text); err != nil {
		return nil, a.Problem(err)
	}
	a.note(ctx, "consumer answered", "item", in.ID)
	return a.item(ctx, in.ID)
}

// by returns the caller, on the page or by a program of theirs.
func by(ctx context.Context) servicestore.Actor {
	user := auth.User(ctx)
	return servicestore.Actor{User: user.ID, Name: user.Name}
}

// saidID keeps the ids that clients give apart from those of messages of platforms.
func saidID(id string) string { return "api-" + id }

// note logs an action of an administrator.
func (a *Endpoints) note(ctx context.Context, what string, about ...any) {
	a.Log.Info(what, append(about, "by", auth.User(ctx).Name)...)
}

// conversation returns one of a service that exists, for administrators.
func (a *Endpoints) conversation(ctx context.Context, at TalkPath) (service.Conversation, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return service.Conversation{}, err
	}
	if _, err := a.Services.Service(ctx, at.ID); err != nil {
		return service.Conversation{}, a.Problem(err)
	}
	c, err := a.Services.ServiceConversation(ctx, at.ID, at.Conversation)
	return c, a.Problem(err)
}

func (a *Endpoints) take(ctx context.Context, in *TalkPath) (*struct{ Body HandBody }, error) {
	c, err := a.conversation(ctx, *in)
	if err != nil {
		return nil, err
	}
	stopped, err := a.Services.TakeIn(ctx, c, by(ctx), a.Quota.Zones())
	if err != nil {
		return nil, a.Problem(err)
	}
	a.note(ctx, "conversation taken from the agent", "service", c.Service, "conversation", c.ID)
	return &struct{ Body HandBody }{HandBody{Taken: true, Stopped: stopped}}, nil
}

func (a *Endpoints) give(ctx context.Context, in *TalkPath) (*struct{ Body HandBody }, error) {
	c, err := a.conversation(ctx, *in)
	if err != nil {
		return nil, err
	}
	if _, err := a.Services.GiveConversation(ctx, c); err != nil {
		return nil, a.Problem(err)
	}
	a.note(ctx, "conversation given back to the agent", "service", c.Service, "conversation", c.ID)
	return &struct{ Body HandBody }{}, nil
}

func (a *Endpoints) say(ctx context.Context, in *struct {
	TalkPath

	Body Saying
}) (*messageBody, error) {
	c, err := a.conversation(ctx, in.TalkPath)
	if err != nil {
		return nil, err
	}
	said, err := a.Services.Say(ctx, c, by(ctx), saidID(in.Body.ID), in.Body.Text)
	if err != nil {
		return nil, a.Problem(err)
	}
	a.note(ctx, "consumer spoken to", "service", c.Service, "conversation", c.ID)
	return &messageBody{said}, nil
}
