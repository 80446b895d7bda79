package consumer

import (
	"context"
	"iter"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/openai"
	"xbot/ingress/replystream"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
	"xbot/internal/turn/engine"
)

// completions answers requests in the form of OpenAI's chat completions. The model is the service, under any name in the request.
type completions struct{ *API }

// Refusal implements openai.Refusals.
func (c completions) Refusal(err error) (status int, detail string) {
	p := c.problem(err)
	return p.Status, p.Detail
}

func (a *API) completions() http.Handler {
	return &openai.Chat{Backend: completions{a}, Refusals: completions{a}}
}

func (a *API) refuseCompletion(w http.ResponseWriter, err error) {
	openai.Refuse(w, err, completions{a})
}

// completionRequest is a request, and where its message goes.
type completionRequest struct {
	openai.Ask

	send  servicestore.Send
	where service.Conversation // with an id: it is there already
	named string               // name by which a conversation that is to begin is found later; empty: by its id alone
}

// outgoing returns the message on its way into its conversation.
func (q completionRequest) outgoing() outgoingMessage {
	return outgoingMessage{id: q.send.ID, content: Content{Text: q.Text, Pictures: q.Files()}, title: q.Title}
}

// Ask implements openai.Backend.
func (c completions) Ask(ctx context.Context, ask openai.Ask) (openai.AcceptedMessage, error) {
	if err := ask.Plain(); err != nil {
		return openai.AcceptedMessage{}, err
	}
	v := visitOf(ctx)
	q, err := c.place(ctx, v, ask)
	if err != nil {
		return openai.AcceptedMessage{}, err
	}
	if err := q.outgoing().check(); err != nil { // before a conversation begins with it
		return openai.AcceptedMessage{}, err
	}
	out := openai.AcceptedMessage{Identity: ask.Identity, Created: time.Now(), Model: v.Service.ID}
	var got engine.Accepted
	err = c.admitted(ctx, v, q.send, func() error {
		got, err = c.accepted(ctx, v, &q)
		return err
	})
	if err == nil {
		err = c.reads(v, q.where, !got.Duplicate)
	}
	out.Conversation, out.Session, out.Message = q.where.ID, q.where.Session, got.ID
	return out, err
}

// place finds out in which conversation a message goes, and which one it is.
func (c completions) place(ctx context.Context, v *visit, ask openai.Ask) (q completionRequest, err error) {
	q.Ask = ask
	if found, err := c.before(ctx, v, &q); err != nil || found {
		return q, err
	}
	once := ""
	if ask.Chosen {
		once = ask.Key
	}
	place := ask.Conversation
	switch {
	case ask.Conversation != "":
		if q.where, err = c.conversation(ctx, v, ask.Conversation); err != nil {
			return q, err
		}
	case ask.User != "":
		q.named = "user:" + ask.User
		place = q.named
	case ask.Chosen:
		q.named = "once:" + ask.Key
		place = q.named
	}
	if q.named != "" {
		if q.where, err = c.named(ctx, v, q.named); err != nil {
			return q, err
		}
	}
	q.send = servicestore.Send{ID: idOf(v.Key, place, once), User: q.where.User}
	return q, nil
}

// named returns the conversation that has begun for a name; without an id where none has. A message in it that was accepted before is known by it,
// even if a limit is reached now.
func (c completions) named(ctx context.Context, v *visit, name string) (service.Conversation, error) {
	where, err := c.Services.NamedConversation(ctx, v.Caller, name)
	if fault.Is(err, fault.NotFound) {
		return service.Conversation{}, nil
	}
	v.record.Conversation = where.ID
	return where, err
}

// retry returns a request as its retries find it.
func (q *completionRequest) retry() servicestore.Retry {
	return servicestore.Retry{Identity: q.Key, Named: q.Conversation != "" || q.User != "", Conversation: q.where.ID, Send: q.send.ID}
}

// before finds the earlier message of a retry. If its conversation has been deleted since, the retry counts as a new request.
func (c completions) before(ctx context.Context, v *visit, q *completionRequest) (found bool, err error) {
	if q.Chosen {
		return false, nil
	}
	if !q.Retry {
		return false, c.Services.NoteRequest(ctx, v.Caller, q.retry())
	}
	was, found, err := c.Services.FindRetry(ctx, v.Caller, q.retry())
	if err != nil || !found {
		return false, err
	}
	where, err := c.conversation(ctx, v, was.Conversation)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	q.where, q.send = where, servicestore.Send{ID: was.Send, User: where.User}
	return err == nil, err
}

// accepted accepts a message that has its place, in a conversation that may begin with it.
func (c completions) accepted(ctx context.Context, v *visit, q *completionRequest) (got engine.Accepted, err error) {
	o := q.outgoing()
	pictures, err := c.pictures(ctx, v, q.where, o)
	if err != nil {
		return got, q.NotHad(err)
	}
	if q.where.ID == "" {
		if err = c.Attachments.CheckSpace(ctx, v.Service.User, bytesOf(pictures)); err != nil {
			return got, err
		}
		if q.where, err = c.Services.BeginConversation(ctx, servicestore.NewConversation{Caller: v.Caller, Source: v.source(), External: q.named, Unnamed: q.User == ""}); err != nil {
			return got, err
		}
		v.record.Conversation, q.send.User = q.where.ID, q.where.User
		if err := c.Services.BindSend(ctx, q.send); err != nil {
			return got, err
		}
	}
	if !q.Chosen {
		if err := c.Services.KeepRetry(ctx, v.Caller, q.retry()); err != nil {
			return got, err
		}
	}
	return c.accept(ctx, q.where, o, pictures)
}

// Follow implements openai.Backend.
func (c completions) Follow(ctx context.Context, q openai.AcceptedMessage) iter.Seq2[replystream.Event, error] {
	v, lang := visitOf(ctx), speaks(visitOf(ctx).r, "")
	ask := replystream.Question{Session: q.Session, Message: q.Message, Lang: lang, Access: access{v.caller, q.Conversation}}
	return func(yield func(replystream.Event, error) bool) {
		for e, err := range c.Answers.Follow(ctx, ask) {
			switch what := e.Content.(type) {
			case replystream.TurnStarted:
				v.record.Turn = what.Turn
			case replystream.Failure:
				e.Content = outside(lang, what)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// outside returns a failure in words for outsiders.
func outside(lang i18n.Lang, f replystream.Failure) replystream.Failure {
	switch {
	case f.Kind == replystream.Dropped && f.Outcome == replystream.OutcomeTaken:
		f.Text = i18n.Say(lang, i18n.ServiceTaken)
	case f.Kind == replystream.Dropped:
		f.Text = i18n.Say(lang, i18n.ConsumerDropped)
	default:
		f.Text = sentence(lang, f.Text)
	}
	return f
}

// Delivered implements openai.Backend.
func (c completions) Delivered(ctx context.Context, q openai.AcceptedMessage) {
	if q.Chosen {
		return
	}
	r := servicestore.Retry{Identity: q.Key, Conversation: q.Conversation}
	if err := c.Services.ForgetRetry(context.WithoutCancel(ctx), visitOf(ctx).Caller, r); err != nil {
		c.Log.Warn("a request like one that was answered may count as its retry", "error", err)
	}
}

// Models implements openai.Models: the service is the only one.
func (c completions) Models(ctx context.Context) ([]openai.Model, error) {
	s := visitOf(ctx).Service
	return []openai.Model{{ID: s.ID, Created: s.CreatedAt}}, nil
}

func describeCompletions(h huma.API) {
	text := &huma.Schema{Type: huma.TypeString}
	h.OpenAPI().AddOperation(&huma.Operation{
		OperationID: "complete-chat", Method: http.MethodPost, Path: completionsPath, Summary: "Create a chat completion in OpenAI's format",
		Description: "The model is the service, regardless of the model in the request. With conversation_id or user, the last user message is posted to that stored conversation; without them to a new one, with the earlier messages quoted. Errors have OpenAI's format.",
		Security:    []map[string][]string{{"key": {}}},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{
			Type: huma.TypeObject, Required: []string{"messages"}, Properties: map[string]*huma.Schema{
				"model": text, "messages": {Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeObject}}, "stream": {Type: huma.TypeBoolean},
				"stream_options": {Type: huma.TypeObject}, "user": text, "conversation_id": text,
			}, AdditionalProperties: true,
		}}}},
		Responses: map[string]*huma.Response{"200": {Description: "OpenAI's chat.completion with conversation_id, or with stream its chunks.", Content: map[string]*huma.MediaType{
			"application/json": {}, "text/event-stream": {},
		}}},
	})
}
