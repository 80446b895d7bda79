package messages

import (
	"context"
	"crypto/rand"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/ingress/intake"
	"xbot/internal/chat"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
)

// NewMessage is a message of a user.
type NewMessage struct {
	ClientMessageID string `json:"client_message_id" minLength:"1" maxLength:"128" doc:"Idempotency key, chosen by the client and unique per user. A repeated request with the same text is the same message."`
	Text            string `json:"text" doc:"At most 200000 bytes. It may be empty where there are files."`

	Plan bool `json:"plan,omitempty" doc:"The turn proposes a plan and changes nothing until it is approved. It is a turn of its own, after the queue."`

	Files []string `json:"files,omitempty" maxItems:"20" doc:"Absolute paths of files on the session's runner, as returned by upload-files. The message waits until the files are inspected: the model gets their paths and, if it supports pictures, the pictures."`
}

// Accepted is the receipt of a committed message.
type Accepted struct {
	ID        chat.InboxID `json:"id"`
	Duplicate bool         `json:"duplicate" doc:"It had been accepted before."`

	Mode     chat.QueueMode `json:"mode,omitempty" enum:"steer,followup,collect,interrupt,supersede" doc:"How it waits."`
	Position int            `json:"position,omitempty" doc:"Its place in the queue, from 1; absent if it waits for no turn."`
	Dropped  []chat.InboxID `json:"dropped,omitempty" doc:"Messages without a turn of their own because of this one, which may be itself. The dropped events have the reason."`
}

func acceptedBody(got engine.Accepted) Accepted {
	return Accepted{ID: got.ID, Duplicate: got.Duplicate, Mode: got.Mode, Position: got.Position, Dropped: got.Dropped}
}

// Transcript is a part of a conversation.
type Transcript struct {
	Messages []chat.Message `json:"messages"`
	Queued   []chat.Queued  `json:"queued" doc:"Accepted messages that no turn has claimed yet."`
	Todos    []chat.Todo    `json:"todos"`
	Seq      int64          `json:"seq" doc:"Cursor: open the events after it."`
	HasMore  bool           `json:"has_more"`
}

func (a *Endpoints) registerMessages(h huma.API) {
	endpoint.InSession(a.Base, h, huma.Operation{OperationID: "send-message", Method: http.MethodPost, Path: "/api/sessions/{key}/messages", Summary: "Send a message", Description: "The response is sent after the message is committed. /stop runs immediately, as does a shell command after an exclamation mark (!ls), whose output is in a notice.", DefaultStatus: http.StatusAccepted, MaxBodyBytes: 4 * intake.MaxTextBytes},
		func(ctx context.Context, s chat.Session, in *struct {
			endpoint.Key
			Body NewMessage
		}) (Accepted, error) {
			got, err := a.Send(ctx, s, in.Body)
			return acceptedBody(got), err
		})
	endpoint.InReadable(a.Base, h, huma.Operation{OperationID: "list-messages", Method: http.MethodGet, Path: "/api/sessions/{key}/messages", Summary: "Get a part of the transcript, in ascending order"},
		func(ctx context.Context, s chat.Session, in *struct {
			endpoint.Key
			After  chat.MessageID `query:"after" minimum:"0" doc:"Messages after this id."`
			Before chat.MessageID `query:"before" minimum:"0" doc:"Messages before this id. Without after and before: the newest."`
			Limit  int            `query:"limit" minimum:"1" maximum:"500" default:"100"`

			Rewound bool `query:"rewound" doc:"Includes messages removed by a rewind."`
		}) (Transcript, error) {
			t, err := a.Conversations.Messages(ctx, s.Key, conversation.Page{After: in.After, Before: in.Before, Limit: in.Limit, Rewound: in.Rewound})
			if err != nil {
				return Transcript{}, err
			}
			return transcriptBody(t), nil
		})
}

// Send accepts a message in a session of the user. The same client message id with the same text is a duplicate; with another text, or in
// another session, it is a Conflict.
func (a *Endpoints) Send(ctx context.Context, s chat.Session, m NewMessage) (engine.Accepted, error) {
	sent := a.inbound(ctx, s, m.ClientMessageID, m.Text)
	sent.Options.Plan = m.Plan
	if err := attach(&sent, m.Files); err != nil {
		return engine.Accepted{}, a.Problem(err)
	}
	got, err := a.Dispatch.Message(ctx, sent)
	return got, a.Problem(err)
}

// transcriptBody makes empty lists of nil ones: clients should not have to distinguish them.
func transcriptBody(t conversation.Transcript) Transcript {
	out := Transcript{Messages: []chat.Message{}, Queued: []chat.Queued{}, Todos: []chat.Todo{}, Seq: t.Seq, HasMore: t.HasMore}
	out.Messages = append(out.Messages, t.Messages...)
	out.Queued = append(out.Queued, t.Queued...)
	out.Todos = append(out.Todos, t.Todos...)
	return out
}

func (a *Endpoints) inbound(ctx context.Context, s chat.Session, id, text string) intake.Message {
	user := auth.User(ctx)
	return intake.Message{
		NewRow:   engine.NewRow{Session: s.Key, User: user.ID, Channel: s.Channel, PlatformID: id, Text: text, Queue: s.Queue},
		UserName: user.Name, ChatType: s.ChatType,
	}
}

// Stopped is the result of a stop.
type Stopped struct {
	Stopped chat.TurnID `json:"stopped" doc:"The turn that is being stopped, empty if none ran."`
	Queued  int         `json:"queued" doc:"Queued messages that will not get a turn."`
}

// TurnsBody lists turns.
type TurnsBody struct {
	Turns []chat.Turn `json:"turns"`
}

func (a *Endpoints) registerTurns(h huma.API) {
	endpoint.InSession(a.Base, h, huma.Operation{OperationID: "stop-turn", Method: http.MethodDelete, Path: "/api/sessions/{key}/turn", Summary: "Stop the running turn and clear the queue", DefaultStatus: http.StatusAccepted},
		func(ctx context.Context, s chat.Session, _ *endpoint.Key) (Stopped, error) {
			got, err := a.Dispatch.Stop(ctx, a.inbound(ctx, s, "stop-"+rand.Text(), ""))
			return Stopped{Stopped: got.Turn, Queued: got.Cleared}, err
		})
	endpoint.InReadable(a.Base, h, huma.Operation{OperationID: "list-turns", Method: http.MethodGet, Path: "/api/sessions/{key}/turns", Summary: "List the turns of a session, newest first, each with its run in Temporal"},
		func(ctx context.Context, s chat.Session, in *struct {
			endpoint.Key
			Limit int `query:"limit" minimum:"1" maximum:"500" default:"50"`
		}) (TurnsBody, error) {
			turns, err := a.Conversations.Turns(ctx, s.Key, in.Limit)
			for i := range turns {
				turns[i] = a.WithLink(ctx, turns[i])
			}
			return TurnsBody{Turns: append([]chat.Turn{}, turns...)}, err
		})
}
