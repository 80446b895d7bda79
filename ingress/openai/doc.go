// Package openai speaks the OpenAI API: chat completions and responses. It reads requests, asks through a Backend and writes what the
// answer comes to, whole or as a stream, in the shapes that OpenAI's own clients read. Who may ask, and who answers, is the Backend's.
//
// Shapes: the API reference at platform.openai.com/docs/api-reference (chat, chat streaming, responses, responses streaming, models, errors)
// and the types of the official clients (npm openai 7.59.0, openai-python).
package openai

import (
	"context"
	"iter"
	"time"

	"xbot/ingress/replystream"
	"xbot/internal/chat"
	"xbot/internal/document/webpicture"
)

// Ask is the request of a program: one message, to be answered once.
type Ask struct {
	Identity

	Model        string // empty: the request names none
	Conversation string // an id that an answer had; empty: the one of User, else a new one
	User         string // has one permanent conversation; empty: none
	Previous     string // id of the response that this one follows; empty: none
	Title        string // of a new conversation
	Text         string
	Pictures     []Picture
	Uploads      []Upload
	Think        string // one of chat.ThinkLevels; empty: as usual
	Client       chat.ClientAsk
	Results      []chat.ClientResult // of tools of the client, which continue with the conversation of their calls

	recall recall // of items that the request names by their ids
}

// Asks returns what the program asks in addition to the message; nil: nothing.
func (a Ask) Asks() *chat.ClientAsk {
	c := a.Client
	if len(c.Tools) == 0 && c.Format == nil && c.Previous == "" && len(c.Results) == 0 {
		return nil
	}
	return &c
}

// Picture is one that came with a message: its file, or the address to fetch it from.
type Picture struct {
	webpicture.Picture

	Name string // stable for the same input, even if the content at its address changes
	at   string // position in the request
}

// Upload is a file that came with a message and becomes an attachment of the conversation.
type Upload struct {
	Kind string // file or audio
	Name string // safe to create and to show
	Data []byte
}

// AcceptedMessage is a message that was accepted.
type AcceptedMessage struct {
	Identity

	ID           string // of the response, where responses are kept
	Conversation string // names its conversation in later requests
	Model        string // as who answers is called; empty: as the request calls it
	Session      chat.SessionKey
	Message      chat.InboxID
	Created      time.Time
	Client       chat.ClientAsk // what the program asked in addition
	Text         string         // of the message; empty: it was not looked up
}

// Backend answers requests.
type Backend interface {
	// Ask accepts a message. An unknown model or conversation is NotFound; the identity of another message a Conflict.
	Ask(ctx context.Context, a Ask) (AcceptedMessage, error)
	// Follow yields the events of the answer until its end.
	Follow(ctx context.Context, a AcceptedMessage) iter.Seq2[replystream.Event, error]
	// Delivered records that the client was sent the whole answer.
	Delivered(ctx context.Context, a AcceptedMessage)
}

// Responses are answers that can be read later.
type Responses interface {
	Backend
	// Find returns a response of the caller. It returns NotFound if the caller has none of that id.
	Find(ctx context.Context, id string) (AcceptedMessage, error)
	// Read yields the events of an answer that exist, and does not wait for more.
	Read(ctx context.Context, a AcceptedMessage) iter.Seq2[replystream.Event, error]
	// Cancel ends an unfinished answer. The output so far stays.
	Cancel(ctx context.Context, a AcceptedMessage) error
	// Forget deletes a response. Its messages stay in the conversation.
	Forget(ctx context.Context, a AcceptedMessage) error
	// Returned returns the results that came with a message.
	Returned(ctx context.Context, a AcceptedMessage) ([]chat.ClientResult, error)
}

// Models lists the models that programs can name.
type Models interface {
	Models(ctx context.Context) ([]Model, error)
}

// Model is one that programs may name.
type Model struct {
	ID      string
	Created time.Time
}
