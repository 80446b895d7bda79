package consumer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
)

const (
	// maxTitle bounds the title of a conversation, in characters; one that is made of its first message has firstTitle.
	maxTitle, firstTitle = 200, 30
)

// About is the data of a service for consumers.
type About struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Welcome     string   `json:"welcome_message"`
	Questions   []string `json:"quick_questions"`
	Model       string   `json:"model" doc:"The service's model name for /chat/completions."`
}

// Conversation is one as its consumer sees it.
type Conversation struct {
	ID        string         `json:"id"`
	Title     string         `json:"title"`
	Source    service.Source `json:"source" enum:"api,web,wechat"`
	CreatedAt time.Time      `json:"created_at"`
	UpdatedAt time.Time      `json:"updated_at"`
	Messages  int            `json:"message_count"`
	Running   bool           `json:"running" doc:"A message is waiting or being answered."`
	Answers   string         `json:"answered_by" enum:"agent,person" doc:"Who answers: person during a handover."`
	Seq       int64          `json:"seq" doc:"Cursor: resume with this Last-Event-ID to receive all events that the messages do not include."`
}

// ConversationWithMessages is a conversation with its newest messages, or with those before one of them.
type ConversationWithMessages struct {
	Conversation

	Transcript []Message   `json:"messages"`
	More       bool        `json:"has_more" doc:"There are older messages: request them with before set to the ID of the first of these."`
	Task       chat.TurnID `json:"running_task,omitempty" doc:"The turn_id of a running answer started by a scheduled task or job; absent: none."`
}

func conversationBody(c service.Conversation) Conversation {
	return Conversation{
		ID: c.ID, Title: c.Title, Source: c.Source, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt, Messages: c.Messages, Running: c.Running, Seq: c.Seq,
		Answers: by(c.Taken),
	}
}

// ByID names a conversation.
type ByID struct {
	ID string `path:"id" maxLength:"64" doc:"Of a conversation that was begun with this key."`
}

// titleBody is a title of a conversation.
type titleBody struct {
	Title string `json:"title,omitempty" maxLength:"200" doc:"Title; empty: the first 30 characters of the first message."`
}

func (a *API) registerConversations(h huma.API) {
	handle(a, h, huma.Operation{
		OperationID: "describe-service", Method: http.MethodGet, Path: "/api/v1/service", Summary: "Get the service of the key",
	}, func(_ context.Context, v *visit, _ *struct{}) (*struct{ Body About }, error) {
		s := v.Service
		return &struct{ Body About }{About{ID: s.ID, Name: s.Name, Description: s.Description, Welcome: s.Welcome, Questions: append([]string{}, s.Questions...), Model: s.ID}}, nil
	})
	handle(a, h, huma.Operation{
		OperationID: "begin-conversation", Method: http.MethodPost, Path: "/api/v1/conversations", Summary: "Create a conversation", DefaultStatus: http.StatusCreated,
		Description: "With an Idempotency-Key the conversation is created once: a repeated request returns the same conversation in its current state, until it is deleted.",
	}, func(ctx context.Context, v *visit, in *struct {
		Once string `header:"Idempotency-Key" maxLength:"128"`
		Body *titleBody
	}) (*struct{ Body ConversationWithMessages }, error) {
		named := cmp.Or(in.Body, &titleBody{}) // the body is optional
		c, err := a.Services.BeginConversation(ctx, servicestore.NewConversation{
			Caller: v.Caller, Source: v.source(), Title: title(named.Title, maxTitle), External: begunWith(in.Once),
		})
		if err != nil {
			return nil, err
		}
		v.record.Conversation = c.ID
		return a.withMessages(ctx, c, 0)
	})
	handle(a, h, huma.Operation{
		OperationID: "read-conversation", Method: http.MethodGet, Path: "/api/v1/conversations/{id}", Summary: "Get a conversation with its newest messages, or older ones, at most 500",
	}, func(ctx context.Context, v *visit, in *struct {
		ByID
		Before string `query:"before" pattern:"^[au][1-9][0-9]{0,17}$" doc:"The id of a message of the conversation: the messages before it. Without it they are the newest, with those that wait."`
	}) (*struct{ Body ConversationWithMessages }, error) {
		c, err := a.conversation(ctx, v, in.ID)
		if err != nil {
			return nil, err
		}
		before, err := a.rowOf(ctx, c, in.Before)
		if err != nil {
			return nil, err
		}
		return a.withMessages(ctx, c, before)
	})
	a.registerChanges(h)
}

func (a *API) registerChanges(h huma.API) {
	handle(a, h, huma.Operation{
		OperationID: "rename-conversation", Method: http.MethodPatch, Path: "/api/v1/conversations/{id}", Summary: "Set the title of a conversation",
	}, func(ctx context.Context, v *visit, in *struct {
		ByID
		Body titleBody
	}) (*struct{ Body Conversation }, error) {
		c, err := a.conversation(ctx, v, in.ID)
		if err != nil {
			return nil, err
		}
		if c.Title = title(in.Body.Title, maxTitle); c.Title == "" {
			return nil, fault.Errorf(fault.Invalid, "the title is empty")
		}
		if err := a.Conversations.UpdateSession(ctx, c.Session, &c.Title, nil); err != nil {
			return nil, err
		}
		return &struct{ Body Conversation }{conversationBody(c)}, nil
	})
	handle(a, h, huma.Operation{
		OperationID: "delete-conversation", Method: http.MethodDelete, Path: "/api/v1/conversations/{id}", Summary: "Delete a conversation and its content",
		Description: "The conversation is inaccessible immediately. A workflow removes its content and continues until all is deleted.", DefaultStatus: http.StatusNoContent,
	}, func(ctx context.Context, v *visit, in *ByID) (*struct{}, error) {
		c, err := a.conversation(ctx, v, in.ID)
		if err != nil {
			return nil, err
		}
		return nil, a.Services.DeleteConsumerConversation(ctx, c)
	})
}

// begunWith returns the name of a conversation that was begun with an Idempotency-Key; completions have other names.
func begunWith(once string) string {
	if once == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(once))
	return "begun:" + hex.EncodeToString(sum[:16])
}

func (a *API) withMessages(ctx context.Context, c service.Conversation, before chat.MessageID) (*struct{ Body ConversationWithMessages }, error) {
	t, err := a.transcript(ctx, c, before)
	c.Seq = t.seq
	return &struct{ Body ConversationWithMessages }{ConversationWithMessages{conversationBody(c), t.messages, t.more, t.task}}, err
}

// errNoConversation is the answer to every id that is none of the key's.
var errNoConversation = fault.Errorf(fault.NotFound, "there is no such conversation: it was deleted, or was begun with another key")

// conversation returns one that was begun with the key of a request.
func (a *API) conversation(ctx context.Context, v *visit, id string) (service.Conversation, error) {
	if !service.IsConversation(id) || v.only != "" && v.only != id {
		return service.Conversation{}, errNoConversation
	}
	c, err := a.Services.ConsumerConversation(ctx, v.Caller, id)
	if fault.Is(err, fault.NotFound) {
		return c, errNoConversation
	}
	v.record.Conversation = c.ID
	return c, err
}

// title returns a text on one line, with at most so many characters.
func title(text string, most int) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f || r == utf8.RuneError }), " ")
	if runes := []rune(text); len(runes) > most {
		text = strings.TrimSpace(string(runes[:most]))
	}
	return text
}
