package messages

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/gateway"
	"xbot/ingress/intake"
	"xbot/internal/chat"
)

// BridgeMessage is a message of a platform that has no channel here.
type BridgeMessage struct {
	Account   string        `json:"account,omitempty" doc:"Of the bot, where the platform has several."`
	ID        string        `json:"id" minLength:"1" maxLength:"256" doc:"The platform's ID of the message. Serves as the idempotency key."`
	ChatType  chat.ChatType `json:"chat_type,omitempty" enum:"direct,group,channel" doc:"Default: direct."`
	Chat      string        `json:"chat,omitempty" doc:"Id of the group or channel."`
	Thread    string        `json:"thread,omitempty" doc:"Thread or topic in it."`
	Root      string        `json:"root,omitempty" doc:"First message of the thread that it answers to."`
	Parent    string        `json:"parent,omitempty" doc:"Message that it answers to."`
	Sender    BridgePeer    `json:"sender"`
	Subject   string        `json:"subject,omitempty" doc:"Name of the group."`
	Room      string        `json:"room,omitempty"`
	Space     string        `json:"space,omitempty" doc:"Workspace, guild or team."`
	SentAt    time.Time     `json:"sent_at,omitzero" doc:"Time by the platform's clock; default: now."`
	Seq       int64         `json:"seq,omitempty" doc:"The platform's order among messages of one instant."`
	Text      string        `json:"text" doc:"Without the mention of the bot, at most 200000 bytes."`
	Mentioned bool          `json:"mentioned,omitempty" doc:"It mentions the bot."`
	Answers   bool          `json:"answers,omitempty" doc:"It answers to or quotes a message of the bot."`
}

// BridgePeer is the sender of a message.
type BridgePeer struct {
	ID   string `json:"id" minLength:"1" maxLength:"256" doc:"Their id on the platform."`
	Name string `json:"name,omitempty"`
}

func (m BridgeMessage) envelope(channel string) chat.Envelope {
	return chat.Envelope{
		Source: chat.Source{
			Channel: channel, Account: m.Account, ChatType: m.ChatType, Chat: m.Chat, Thread: m.Thread, Subject: m.Subject, Room: m.Room, Space: m.Space,
		},
		ID: m.ID, Root: m.Root, Parent: m.Parent, Sender: chat.Peer{ID: m.Sender.ID, Name: m.Sender.Name}, SentAt: m.SentAt, Seq: m.Seq,
		Text: m.Text, Mentioned: m.Mentioned, Answers: m.Answers,
	}
}

// Bridged names a message that was delivered before.
type Bridged struct {
	Channel  string        `path:"channel" maxLength:"32" doc:"What the platform is called here." example:"matrix"`
	ID       string        `path:"id" maxLength:"256" doc:"The platform's id of the message, URL-escaped."`
	Account  string        `query:"account"`
	Chat     string        `query:"chat" doc:"Id of the group or channel; empty for direct messages."`
	ChatType chat.ChatType `query:"chat_type" enum:"direct,group,channel" doc:"Default: group where a chat is given."`
	Thread   string        `query:"thread"`
	Sender   string        `query:"sender" required:"true" doc:"The platform's ID of the sender."`
}

func (b Bridged) envelope() chat.Envelope {
	place := chat.Source{Channel: b.Channel, Account: b.Account, ChatType: b.ChatType, Chat: b.Chat, Thread: b.Thread}
	e := chat.Envelope{Source: place, ID: b.ID, Sender: chat.Peer{ID: b.Sender}}
	if e.ChatType == "" && e.Chat != "" {
		e.ChatType = chat.ChatGroup
	}
	return e
}

// Changed reports whether a change came in time.
type Changed struct {
	Changed bool `json:"changed" doc:"false: it was answered before, is being answered, or is unknown; nothing has changed."`
}

type changedBody struct{ Body Changed }

func (a *Endpoints) registerBridge(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "bridge-message", Method: http.MethodPost, Path: "/api/bridge/{channel}/messages", DefaultStatus: http.StatusAccepted,
		Summary:      "Deliver a platform message",
		Description:  "For administrators: the token acts for every user of the platform. Read the answer from the session's events.",
		MaxBodyBytes: 4 * intake.MaxTextBytes, Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		Channel string `path:"channel" maxLength:"32" doc:"What the platform is called here." example:"matrix"`
		Body    BridgeMessage
	}) (*struct{ Body gateway.Outcome }, error) {
		if err := a.AdminOnly(ctx); err != nil {
			return nil, err
		}
		out, err := a.Gateway.Receive(ctx, in.Body.envelope(in.Channel))
		return &struct{ Body gateway.Outcome }{out}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{
		OperationID: "bridge-edit", Method: http.MethodPut, Path: "/api/bridge/{channel}/messages/{id}", Security: endpoint.Secured,
		Summary: "Edit a platform message", MaxBodyBytes: 4 * intake.MaxTextBytes,
	}, func(ctx context.Context, in *struct {
		Bridged
		Body struct {
			Text string `json:"text" minLength:"1"`
		}
	}) (*changedBody, error) {
		if err := a.AdminOnly(ctx); err != nil {
			return nil, err
		}
		e := in.envelope()
		e.Text = in.Body.Text
		changed, err := a.Gateway.Edit(ctx, e)
		return &changedBody{Changed{changed}}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{
		OperationID: "bridge-recall", Method: http.MethodDelete, Path: "/api/bridge/{channel}/messages/{id}", Security: endpoint.Secured,
		Summary: "Recall a platform message",
	}, func(ctx context.Context, in *struct{ Bridged }) (*changedBody, error) {
		if err := a.AdminOnly(ctx); err != nil {
			return nil, err
		}
		changed, err := a.Gateway.Recall(ctx, in.envelope())
		return &changedBody{Changed{changed}}, a.Problem(err)
	})
}
