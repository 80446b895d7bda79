package people

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"xbot/ingress/api/sessions"
	"xbot/ingress/auth"
	"xbot/ingress/intake"
	"xbot/ingress/openai"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/session"
)

const (
	// channel is the one of conversations that are begun here, and of all messages that come in here.
	channel = "openai"
	// userChannel is the channel of the conversations of the users that a program names (user).
	userChannel = "openai-user"
	// ofThread and ofUser begin the ids of conversations.
	ofThread, ofUser = "conv_", "user:"
)

// Ask implements openai.Backend.
func (p *People) Ask(ctx context.Context, a openai.Ask) (openai.AcceptedMessage, error) {
	if err := auth.MayConverse(ctx); err != nil {
		return openai.AcceptedMessage{}, err
	}
	if a.Model == "" {
		return openai.AcceptedMessage{}, openai.NoModel()
	}
	asks, err := p.resolve(ctx, a.Model)
	if err != nil {
		return openai.AcceptedMessage{}, err
	}
	calls, err := p.returned(ctx, &a)
	if err != nil {
		return openai.AcceptedMessage{}, err
	}
	files := named(a)
	in := intake.Message{UserName: auth.User(ctx).Name, NewRow: engine.NewRow{
		User: auth.User(ctx).ID, Channel: channel, PlatformID: a.Key, Text: strings.TrimPrefix(a.Text+chat.AttachmentLines(files), "\n"), Options: chat.Options{Think: a.Think, Client: a.Asks()},
	}}
	if err := intake.Check(in); err != nil {
		return openai.AcceptedMessage{}, err // before a conversation is begun for it
	}
	known, found, err := p.known(ctx, a, in)
	if err != nil {
		return openai.AcceptedMessage{}, err
	}
	where, begin, err := p.where(ctx, a, asks, known, calls)
	if err != nil {
		return openai.AcceptedMessage{}, err
	}
	pictures, err := p.pictures(ctx, a, known, found)
	if err != nil {
		return openai.AcceptedMessage{}, err // before a conversation is begun for it
	}
	if where.Key == "" {
		if where, err = p.begin(ctx, a, begin); err != nil {
			return openai.AcceptedMessage{}, err
		}
	}
	if in.Files, err = p.attach(ctx, where.Key, files, pictures, a.Uploads, found); err != nil {
		return openai.AcceptedMessage{}, err
	}
	if !found && asks.model != "" && where.Model != asks.model {
		if err := p.Conversations.Override(ctx, where.Key, conversation.Overrides{Model: &asks.model}); err != nil {
			return openai.AcceptedMessage{}, err
		}
	}
	if len(a.Results) > 0 {
		if err := p.AnswerStore.AnswerClientCalls(ctx, a.Results); err != nil {
			return openai.AcceptedMessage{}, err
		}
	}
	in.Session, in.ChatType, in.Queue = where.Key, where.ChatType, where.Queue
	id, err := p.accept(ctx, a, in)
	return p.acceptedMessage(a, where, id, time.Now()), err
}

// begin begins the conversation of a request, whose files its runner must be there for.
func (p *People) begin(ctx context.Context, a openai.Ask, in sessions.NewSession) (chat.Session, error) {
	if len(a.Uploads) > 0 {
		if err := p.Files.Reach(ctx); err != nil {
			return chat.Session{}, err
		}
	}
	return p.Sessions.Begin(ctx, in)
}

// known finds the message that a request was before.
func (p *People) known(ctx context.Context, a openai.Ask, in intake.Message) (engine.Delivered, bool, error) {
	if !a.Chosen && !a.Retry {
		return engine.Delivered{}, false, p.AnswerStore.ReleaseID(ctx, in.User, channel, a.Key, 0)
	}
	return p.Turns.Delivered(ctx, in.NewRow)
}

// sameAtOnce is how often a first request may meet another one like it that comes at the same instant.
const sameAtOnce = 8

// accept accepts the message. Two first requests that are alike are two messages.
func (p *People) accept(ctx context.Context, a openai.Ask, in intake.Message) (chat.InboxID, error) {
	for range sameAtOnce {
		got, err := p.Dispatch.Plain(ctx, in)
		other := got.Duplicate || fault.Is(err, fault.Conflict) // in the same conversation, or in a separate one
		if !other || a.Chosen || a.Retry {
			return got.ID, err
		}
		if err := p.AnswerStore.ReleaseID(ctx, in.User, channel, a.Key, got.ID); err != nil {
			return 0, err
		}
	}
	return 0, fault.Limited(time.Second, "many requests like this one came at the same time; send it again in a moment")
}

// where finds the conversation of a request, or returns the one to begin.
func (p *People) where(ctx context.Context, a openai.Ask, asks who, known engine.Delivered, calls chat.SessionKey) (there chat.Session, begin sessions.NewSession, err error) {
	begin = sessions.NewSession{Agent: asks.agent, Title: a.Title}
	switch {
	case calls != "":
		there, err = p.Own(ctx, calls)
	case a.Previous != "":
		there, err = p.behind(ctx, a.Previous, known)
	case a.Conversation != "":
		there, err = p.existing(ctx, a.Conversation, asks)
	case a.User != "":
		begin.Key = p.ofUser(ctx, asks, a.User)
	case known.Session != "":
		there, err = p.Own(ctx, known.Session)
	default:
		begin.Key = session.Thread(asks.agent, channel, ofThread+p.fresh(ctx, a))
	}
	return there, begin, err
}

// fresh names a new conversation: for a key of the client's always the same one, so that requests at the same instant begin one alone.
func (p *People) fresh(ctx context.Context, a openai.Ask) string {
	if !a.Chosen {
		return strings.ToLower(rand.Text()[:20])
	}
	mac := hmac.New(sha256.New, p.Key.Derive("conversations of openai"))
	fmt.Fprintf(mac, "%d %s", auth.User(ctx).ID, a.Key)
	return hex.EncodeToString(mac.Sum(nil))[:20]
}

// ofUser returns the conversation of a user that a program names. The programs of each owner have separate names.
func (p *People) ofUser(ctx context.Context, asks who, name string) chat.SessionKey {
	return session.Thread(asks.agent, userChannel, fmt.Sprintf("%d:%s", auth.User(ctx).ID, name))
}

// existing finds a conversation by the id that an answer had.
func (p *People) existing(ctx context.Context, id string, asks who) (chat.Session, error) {
	missing := &openai.Error{
		Status: http.StatusNotFound, Param: "conversation_id", Code: "conversation_not_found",
		Message: "there is no conversation " + quoted(id) + " with this model; leave conversation_id out to begin one",
	}
	var key chat.SessionKey
	if name, is := strings.CutPrefix(id, ofUser); is {
		key = p.ofUser(ctx, asks, name)
	} else if strings.HasPrefix(id, ofThread) {
		key = session.Thread(asks.agent, channel, id)
	} else {
		return chat.Session{}, missing
	}
	s, owner, err := p.Conversations.Session(ctx, key)
	if fault.Is(err, fault.NotFound) || err == nil && owner != auth.User(ctx).ID {
		return chat.Session{}, missing
	}
	return s, err
}

// behind finds the conversation in which a response was the last one. Older ones cannot be gone on from: what followed them would be there, too.
func (p *People) behind(ctx context.Context, id string, known engine.Delivered) (chat.Session, error) {
	previous, err := p.Find(ctx, id)
	if missing := (*openai.Error)(nil); errors.As(err, &missing) {
		// The clients of the API look for this code (dotnet/extensions#7704).
		missing.Code, missing.Param = "previous_response_not_found", "previous_response_id"
	}
	if err != nil {
		return chat.Session{}, err
	}
	newest, err := p.AnswerStore.NewestMessage(ctx, previous.Session)
	if err == nil && newest != previous.Message && known.Session != previous.Session {
		err = &openai.Error{
			Status: http.StatusBadRequest, Param: "previous_response_id", Code: "unsupported_parameter",
			Message: "another message has followed this response; send the id of the newest response of the conversation",
		}
	}
	if err != nil {
		return chat.Session{}, err
	}
	return p.Own(ctx, previous.Session)
}

// acceptedMessage returns a message that was accepted.
func (p *People) acceptedMessage(a openai.Ask, s chat.Session, id chat.InboxID, at time.Time) openai.AcceptedMessage {
	return openai.AcceptedMessage{
		Identity: a.Identity, ID: responseID(s.Key, id), Conversation: conversationID(s.Key), Model: a.Model, Session: s.Key, Message: id, Created: at, Client: a.Client,
	}
}

// conversationID returns the id of a conversation for programs.
func conversationID(key chat.SessionKey) string {
	parsed, err := session.Parse(key)
	if err != nil || parsed.Channel != userChannel {
		return parsed.ID
	}
	_, name, _ := strings.Cut(parsed.ID, ":")
	return ofUser + name
}

// quoted returns a name in a sentence, cut where it is long.
func quoted(name string) string { return fmt.Sprintf("%.100q", name) }
