// Package history takes conversations back and copies them.
package history

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"slices"
	"strings"

	"xbot/ingress/intake"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/session"
)

// Editor takes conversations back and copies them.
type Editor struct {
	Conversations *conversation.Store
	Branches      *conversation.Branches
	Turns         *engine.Store
	Dispatch      *intake.Dispatcher
}

// Rewind asks for a message of a user, and all after it, to be taken out of the conversation. It is accepted like the
// command /rewind from a user. NotFound or Conflict where there is no such message.
func (e *Editor) Rewind(ctx context.Context, in intake.Message, from chat.MessageID) (engine.Accepted, error) {
	in.Text, in.Control = fmt.Sprintf("/rewind m%d", from), true
	if err := intake.Check(in); err != nil {
		return engine.Accepted{}, err
	}
	known, found, err := e.Turns.AcceptedBefore(ctx, in.NewRow)
	if err != nil || found {
		return known, err
	}
	if err := e.Conversations.CheckRewind(ctx, in.Session, from); err != nil {
		return engine.Accepted{}, err
	}
	return e.Dispatch.Message(ctx, in)
}

// Again asks a message of a user again, with another text unless that is empty: it takes the place of that message, and all that
// followed it is kept as another branch. NotFound or Conflict where there is no such message.
func (e *Editor) Again(ctx context.Context, in intake.Message, of chat.MessageID) (engine.Accepted, error) {
	if in.Text == "" {
		said, err := e.Branches.TextAt(ctx, in.Session, of)
		if err != nil {
			return engine.Accepted{}, err
		}
		in.Text = said
	}
	in.Options.Replaces = of
	if err := intake.Check(in); err != nil {
		return engine.Accepted{}, err
	}
	known, found, err := e.Turns.AcceptedBefore(ctx, in.NewRow)
	if err != nil || found {
		return known, err
	}
	if err := e.Branches.CheckReplace(ctx, in.Session, of); err != nil {
		return engine.Accepted{}, err
	}
	return e.Dispatch.Again(ctx, in)
}

// Switch continues from another version of a message. NotFound or Conflict where there is no such version, or a turn runs.
func (e *Editor) Switch(ctx context.Context, key chat.SessionKey, to chat.MessageID) error {
	return e.Branches.SwitchBranch(ctx, key, to)
}

// Fork copies a conversation of a user up to the end of the turn of a message, 0 for all of it, into a new session.
func (e *Editor) Fork(ctx context.Context, from chat.Session, upto chat.MessageID) (chat.Session, error) {
	return e.Conversations.Fork(ctx, forkOf(from, strings.ToLower(rand.Text()[:12]), i18n.Of(from.Title), conversation.NewFork{Upto: upto}))
}

// ForkOnce copies a conversation up to the end of the turn of a message, of the back-th last message of a user, or all of it. The
// name of the copy follows from the key, so that a second call finds what the first one made.
func (e *Editor) ForkOnce(ctx context.Context, key string, from chat.Session, lang i18n.Lang, upto chat.MessageID, back int) (chat.Session, error) {
	sum := sha256.Sum256([]byte(key))
	id := strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:12])
	return e.Conversations.Fork(ctx, forkOf(from, id, lang, conversation.NewFork{Upto: upto, Back: back}))
}

// Session reads a conversation.
func (e *Editor) Session(ctx context.Context, key chat.SessionKey) (chat.Session, chat.UserID, error) {
	return e.Conversations.Session(ctx, key)
}

// forkable are the channels on which a session may be made by us; copies of others continue on the page.
var forkable = []string{"web", "cli", "api"}

// maxTitle bounds the title of a copy, in characters.
const maxTitle = 200

func forkOf(from chat.Session, id string, lang i18n.Lang, n conversation.NewFork) conversation.NewFork {
	n.From, n.Channel = from.Key, from.Channel
	if !slices.Contains(forkable, n.Channel) {
		n.Channel = forkable[0]
	}
	n.Key = session.Thread(session.DefaultAgent, n.Channel, id)
	n.Title = from.Title
	if from.Title != "" && from.ForkOf == "" { // a copy of a copy is called like it
		n.Title = i18n.Say(lang, i18n.ForkTitle, chat.FirstWords(from.Title, maxTitle-len(" (fork)")))
	}
	return n
}
