package consumer

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/intake"
	"xbot/ingress/largebody"
	"xbot/ingress/replystream"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
	"xbot/internal/turn/engine"
)

// maxChatBytes bounds a request with its pictures, and chatTime how long it may take to arrive.
const (
	maxChatBytes = 30 << 20
	chatTime     = time.Minute
)

// NewMessage is a message of a consumer.
type NewMessage struct {
	Conversation string   `json:"conversation_id" maxLength:"64"`
	Message      Content  `json:"message"`
	Attachments  []string `json:"attachments,omitempty" maxItems:"20" doc:"Paths that the upload of attachments returned."`
}

// Stopped is the result of a stop.
type Stopped struct {
	Stopped bool `json:"stopped" doc:"Running or queued work was stopped. Text written so far is kept."`
}

var streamed = map[string]*huma.Response{"200": {
	Description: "Server-sent events whose data is a JSON object: accepted{message_id}, token{content}, thinking{content}, tool_call{id,name,args}, tool_call_chunk{id,name,args_delta}, tool_result{id,name,content,ok}, message{content}, restart{}, waiting{content}, done{finish_reason,usage}, error{content,code}. With follow, the stream also has said{message_id,content,by}, answers{by}, begun{turn_id,origin}, changed{} beside an answer. Durable events have an ID; ignore unknown types. A comment is sent every 15 s.",
	Content:     map[string]*huma.MediaType{"text/event-stream": {}},
}}

func (a *API) registerChat(h huma.API) {
	handle(a, h, huma.Operation{
		OperationID: "chat", Method: http.MethodPost, Path: chatPath, Summary: "Send a message, and stream the answer", MaxBodyBytes: maxChatBytes, BodyReadTimeout: chatTime, Responses: streamed,
		Description: "With an Idempotency-Key the message is accepted once: a repeated request streams the answer of the same message from the start, or after Last-Event-ID. Closing the connection does not stop the turn.",
	}, func(ctx context.Context, v *visit, in *struct {
		Once string `header:"Idempotency-Key" maxLength:"128"`
		Last string `header:"Last-Event-ID"`
		Body NewMessage
	}) (*huma.StreamResponse, error) {
		after, err := cursor(in.Last, "")
		if err != nil {
			return nil, err
		}
		c, err := a.conversation(ctx, v, in.Body.Conversation)
		if err != nil {
			return nil, err
		}
		got, err := a.send(ctx, v, c, outgoingMessage{id: idOf(v.Key, c.ID, in.Once), content: in.Body.Message, files: in.Body.Attachments})
		if err != nil {
			return nil, err
		}
		q := replystream.Question{Session: c.Session, Message: got.ID, After: after, Lang: i18n.Of(in.Body.Message.Text), Access: access{v.caller, c.ID}}
		return a.stream(v, q, a.tellAnswer), nil
	})
	handle(a, h, huma.Operation{
		OperationID: "follow-conversation", Method: http.MethodGet, Path: "/api/v1/conversations/{id}/events", Summary: "Stream the events of a conversation", Responses: streamed,
		Description: "Resumes an interrupted stream: send the ID of the last event as Last-Event-ID. Without it, the stream has the answer in progress. If nothing is running, the stream ends immediately. With follow, the stream stays open and has all events after the cursor, or all new events.",
	}, func(ctx context.Context, v *visit, in *struct {
		ByID
		After  string `query:"after" doc:"The same as Last-Event-ID, which wins."`
		Follow bool   `query:"follow" doc:"Keeps the stream open for later answers and messages of administrators."`
		Last   string `header:"Last-Event-ID"`
	}) (*huma.StreamResponse, error) {
		after, err := cursor(in.Last, in.After)
		if err != nil {
			return nil, err
		}
		c, err := a.conversation(ctx, v, in.ID)
		if err != nil {
			return nil, err
		}
		q := replystream.Question{Session: c.Session, After: after, Lang: speaks(v.r, c.Title), Access: access{v.caller, c.ID}}
		if in.Follow {
			q.First = after == 0 && cmp.Or(in.Last, in.After) != ""
			return a.follow(ctx, v, c, q)
		}
		if q.Message, err = a.Services.Followed(ctx, c.Session, after); err != nil {
			return nil, err
		}
		return a.attend(v, c, q, a.tellAnswer)
	})
	handle(a, h, huma.Operation{
		OperationID: "stop-conversation", Method: http.MethodPost, Path: "/api/v1/conversations/{id}/stop", Summary: "Stop the turns and clear the queue of a conversation", DefaultStatus: http.StatusOK,
	}, func(ctx context.Context, v *visit, in *ByID) (*struct{ Body Stopped }, error) {
		c, err := a.conversation(ctx, v, in.ID)
		if err != nil {
			return nil, err
		}
		got, err := a.Dispatch.Stop(ctx, inbound(c, "stop-"+rand.Text(), ""))
		return &struct{ Body Stopped }{Stopped{got.Turn != "" || got.Cleared > 0}}, err
	})
}

// outgoingMessage is a message on its way into a conversation.
type outgoingMessage struct {
	id      string // of the message, unique among all
	content Content
	files   []string // in the file system of the conversation
	title   string   // of the conversation, if it has none; empty: the beginning of the text
}

// check refuses a message that would not be accepted, before anything of it is stored.
func (o outgoingMessage) check() error {
	if err := o.content.check(len(o.files)); err != nil || strings.TrimSpace(o.content.Text) == "" {
		return err // without words its text names its files
	}
	return intake.Check(inbound(service.Conversation{}, o.id, o.content.Text))
}

// idOf returns the id of a message: the same for the same key, place and Idempotency-Key; without the latter each is another one.
func idOf(key, place, once string) string {
	if once == "" {
		return "svc-" + rand.Text()
	}
	sum := sha256.Sum256([]byte(key + "\x00" + place + "\x00" + once))
	return "svc-" + hex.EncodeToString(sum[:])
}

// send admits a message and accepts it, for a request that reads the answer.
func (a *API) send(ctx context.Context, v *visit, c service.Conversation, o outgoingMessage) (got engine.Accepted, err error) {
	if err := o.check(); err != nil {
		return got, err
	}
	err = a.admitted(ctx, v, servicestore.Send{ID: o.id, User: c.User}, func() error {
		pictures, err := a.pictures(ctx, v, c, o)
		if err == nil {
			got, err = a.accept(ctx, c, o, pictures)
		}
		return err
	})
	if err != nil {
		return got, err
	}
	largebody.Read(ctx)
	return got, a.reads(v, c, !got.Duplicate)
}

// admitted has a message sent that takes a place of its key. One that was not accepted gives it back.
func (a *API) admitted(ctx context.Context, v *visit, send servicestore.Send, accept func() error) error {
	if err := a.Services.Admit(ctx, v.Caller, send); err != nil {
		return err
	}
	err := accept()
	if err != nil {
		if freed := a.Services.FreeSend(context.WithoutCancel(ctx), send.ID); freed != nil {
			a.Log.Warn("a place of a key is free a minute later", "error", freed)
		}
	}
	return err
}

func (a *API) accept(ctx context.Context, c service.Conversation, o outgoingMessage, pictures []chat.Picture) (engine.Accepted, error) {
	in := inbound(c, o.id, o.content.Text)
	var err error
	if in.Files, err = a.attach(ctx, c, o, pictures, in.NewRow); err != nil {
		return engine.Accepted{}, err
	}
	if strings.TrimSpace(in.Text) == "" {
		in.Text = strings.TrimSpace(chat.AttachmentLines(in.Files)) // it has no other text
	}
	if words := title(cmp.Or(o.title, o.content.Text), firstTitle); c.Title == "" && words != "" {
		if err := a.Conversations.UpdateSession(ctx, c.Session, &words, nil); err != nil {
			return engine.Accepted{}, err
		}
	}
	got, err := a.Dispatch.Plain(ctx, in)
	if err == nil && got.Duplicate {
		err = a.same(ctx, c, got.ID, in.Files)
	}
	if fault.Is(err, fault.Conflict) {
		err = errAnother
	}
	return got, err
}

// inbound returns a message of a consumer in a conversation. The name of its user shows in the Temporal UI whose it is.
func inbound(c service.Conversation, id, text string) intake.Message {
	return intake.Message{
		NewRow: engine.NewRow{
			Session: c.Session, User: c.User, Channel: service.Channel, PlatformID: id, Text: text, Queue: chat.Queue{Mode: chat.QueueFollowup},
		},
		UserName: service.ConsumerName(c.Service, c.Key, c.ID), ChatType: chat.ChatDirect,
	}
}

// cursor reads the id of the last event that a reader knows.
func cursor(header, query string) (int64, error) {
	text := cmp.Or(header, query)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, fault.Errorf(fault.Invalid, "Last-Event-ID is %s; it must be the id of an event, or left out", fmt.Sprintf("%.40q", text))
	}
	return n, nil
}
