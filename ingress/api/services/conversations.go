package services

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/internal/chat"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
	conversationrows "xbot/internal/turn/conversation"
)

// ConsumerConversation is a conversation of a consumer as administrators see it.
type ConsumerConversation struct {
	ID        string          `json:"id"`
	Session   chat.SessionKey `json:"session" doc:"The session that it is: administrators read it, and write to it nowhere."`
	Key       string          `json:"key_id" doc:"Of the key that it was begun with."`
	Source    service.Source  `json:"source" enum:"api,web,wechat" doc:"How it was begun: by the API, on the page of the service, or on WeChat."`
	External  string          `json:"external,omitempty" doc:"The program's ID of its user."`
	Title     string          `json:"title"`
	CreatedAt time.Time       `json:"created_at"`
	UpdatedAt time.Time       `json:"updated_at"`
	Messages  int             `json:"message_count" doc:"Of the consumer and the model."`
	Running   bool            `json:"running" doc:"It is being answered."`
}

// ConsumerConversations is a part of the list.
type ConsumerConversations struct {
	Conversations []ConsumerConversation `json:"conversations" doc:"The last used first."`
	More          bool                   `json:"more" doc:"There are more: request the next page with before set to the updated_at of the last item."`
}

// ConsumerTranscript is a part of the transcript of a consumer's conversation.
type ConsumerTranscript struct {
	Conversation ConsumerConversation `json:"conversation"`
	Messages     []chat.Message       `json:"messages" doc:"Ascending, each with its tool calls. A consumer wrote them: show them as text."`
	HasMore      bool                 `json:"has_more"`
}

// ConsumerConversationPath names the conversation of a request.
type ConsumerConversationPath struct {
	ServicePath

	Conversation string `path:"cid" maxLength:"10" example:"0123456789"`
}

// MessageRange is the part of a transcript that is asked for.
type MessageRange struct {
	After  chat.MessageID `query:"after" minimum:"0" doc:"Messages after this id."`
	Before chat.MessageID `query:"before" minimum:"0" doc:"Messages before this id. Without after and before: the newest."`
	Limit  int            `query:"limit" minimum:"1" maximum:"500" default:"100"`
}

func (a *Endpoints) registerConversations(h huma.API) {
	huma.Register(h, operation("list-service-conversations", http.MethodGet, conversations, "List the conversations of a service", "Most recently used first. "), a.listConversations)
	huma.Register(h, operation("get-service-conversation", http.MethodGet, conversation, "Get the transcript of a conversation with a service", "Includes tool calls. Access is logged. "), a.readConversation)
	huma.Register(h, answering(operation("delete-service-conversation", http.MethodDelete, conversation, "Delete a conversation of a consumer",
		"Includes its files and Temporal's records of its runs. The conversation is inaccessible immediately; the deletion survives restarts of the server. "), http.StatusAccepted), a.deleteConversation)
}

func seen(c service.Conversation) ConsumerConversation {
	return ConsumerConversation{
		ID: c.ID, Session: c.Session, Key: c.Key, Source: c.Source, External: c.External, Title: c.Title,
		CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt, Messages: c.Messages, Running: c.Running,
	}
}

func (a *Endpoints) listConversations(ctx context.Context, in *struct {
	ServicePath

	Q      string    `query:"q" maxLength:"200" doc:"What their titles hold."`
	Before time.Time `query:"before" doc:"Only those that were last used before."`
	Limit  int       `query:"limit" minimum:"1" maximum:"200" default:"50"`
}) (*struct{ Body ConsumerConversations }, error) {
	if _, err := a.service(ctx, in.ID); err != nil {
		return nil, err
	}
	found, err := a.Services.ServiceConversations(ctx, in.ID, servicestore.Page{Before: in.Before, Query: in.Q, Limit: in.Limit + 1})
	if err != nil {
		return nil, a.Problem(err)
	}
	out := ConsumerConversations{Conversations: []ConsumerConversation{}, More: len(found) > in.Limit}
	for _, c := range found[:min(len(found), in.Limit)] {
		out.Conversations = append(out.Conversations, seen(c))
	}
	return &struct{ Body ConsumerConversations }{out}, nil
}

// conversation returns one of a service that exists, for administrators.
func (a *Endpoints) conversation(ctx context.Context, at ConsumerConversationPath) (service.Conversation, error) {
	if _, err := a.service(ctx, at.ID); err != nil {
		return service.Conversation{}, err
	}
	c, err := a.Services.ServiceConversation(ctx, at.ID, at.Conversation)
	return c, a.Problem(err)
}

func (a *Endpoints) readConversation(ctx context.Context, in *struct {
	ConsumerConversationPath
	MessageRange
}) (*struct{ Body ConsumerTranscript }, error) {
	c, err := a.conversation(ctx, in.ConsumerConversationPath)
	if err != nil {
		return nil, err
	}
	t, err := a.Conversations.Messages(ctx, c.Session, conversationrows.Page{After: in.After, Before: in.Before, Limit: in.Limit})
	if err != nil {
		return nil, a.Problem(err)
	}
	a.note(ctx, "conversation of a consumer read", in.ID, "conversation", c.ID)
	out := ConsumerTranscript{Conversation: seen(c), Messages: append([]chat.Message{}, t.Messages...), HasMore: t.HasMore}
	return &struct{ Body ConsumerTranscript }{out}, nil
}

func (a *Endpoints) deleteConversation(ctx context.Context, in *ConsumerConversationPath) (*struct{}, error) {
	c, err := a.conversation(ctx, *in)
	if err != nil {
		return nil, err
	}
	if err := a.Services.DeleteConsumerConversation(ctx, c); err != nil {
		return nil, a.Problem(err)
	}
	a.note(ctx, "conversation of a consumer is being deleted", in.ID, "conversation", c.ID)
	return nil, nil
}
