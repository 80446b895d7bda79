// Package gateway accepts the messages of messaging platforms: it decides who may write, which conversation a message
// belongs to and whether it addresses the bot, and passes the message to package intake.
package gateway

import (
	"context"
	"log/slog"
	"time"

	"xbot/ingress/intake"
	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/secret"
	"xbot/internal/service/servicestore"
	"xbot/internal/turn/calls"
	"xbot/internal/turn/command"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/edits"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/groupmessages"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/routing"
	"xbot/internal/user/links"
	"xbot/internal/user/notices"
	"xbot/internal/user/users"
)

// Stores are the stores that the gateway reads and writes.
type Stores struct {
	Conversations *conversation.Store
	Routing       *routing.Store
	GroupMessages *groupmessages.Store
	Edits         *edits.Store
	Calls         *calls.Store
	Users         *users.Store
	Links         *links.Store
	Notices       *notices.Store
	Services      *servicestore.Store
	Turns         *engine.Store
}

// Gateway decides for each message of a platform who wrote it, whether they may write, whether the message addresses the
// bot, and which conversation it belongs to; then Dispatch accepts it. It keeps no state in memory, so any replica may
// receive any message, and two may receive the same one at the same time.
type Gateway struct {
	Stores   Stores
	Policies interface {
		Get(ctx context.Context) (*policy.Policy, error)
		Refresh()
	}
	Dispatch *intake.Dispatcher
	// Preferences are shown by a card of settings; nil: there is none.
	Preferences Preferences
	Runners     Runners // nil: no notice of a group without one
	Models      Models  // nil: only the first turn reports that none can answer in a group
	Base        string  // address of the page, which the card of an administrator links to; empty: it does not
	// AdminChat is a direct chat of the settings: its writer is the first administrator. A zero one is none.
	AdminChat chat.Address
	Log       *slog.Logger
}

// Runners finds the runners of users and groups.
type Runners interface {
	// Name returns the runner of a user. It returns Denied if there is none that they may use.
	Name(ctx context.Context, user chat.UserID, asked string) (string, error)
}

// Models checks whether the model of a conversation is available.
type Models interface {
	// Missing returns the model that cannot answer there and the reason; an empty why: one can, as far as is known without a call.
	Missing(ctx context.Context, key chat.SessionKey) (model, why string, err error)
}

// Results of a delivery by a platform.
const (
	ResultAccepted  = "accepted"  // it is committed, and a turn will answer it or its end is recorded
	ResultAnswered  = "answered"  // it was a command or an answer; the reply has the result
	ResultOverheard = "overheard" // it was not for the bot, and is stored as context for messages that are
	ResultIgnored   = "ignored"   // it was not for the bot, or needs no reply; nothing is stored
	ResultRefused   = "refused"   // its sender has no access, and nothing is stored; or there is no room, and no turn will answer it
	ResultDropped   = "dropped"   // it is recorded, and no turn will answer it: the queue is full, or a newer message took its place
	ResultDuplicate = "duplicate" // it was delivered before
)

// Outcome is the result of an envelope.
type Outcome struct {
	Result  string          `json:"outcome" enum:"accepted,overheard,ignored,refused,answered,dropped,duplicate"`
	Session chat.SessionKey `json:"session,omitempty" doc:"The conversation. Its events hold the answer."`
	Inbox   chat.InboxID    `json:"inbox_id,omitempty" doc:"The accepted row; the message that comes from it has the same inbox_id."`
	Reply   string          `json:"reply,omitempty" doc:"Sentence for the sender at once: a pairing code, a refusal, the answer of a command. Markdown."`
	// Direct is the part of Reply that no conversation contains: the channel has to send it itself.
	Direct string `json:"-"`
	// Card is shown with the reply, where the platform has cards: the settings of the user. It is sent as Direct is.
	Card *channel.Question `json:"-"`
	// Feedback is how its sender learns at once that it was accepted: one of policy.Feedback*, or empty for no feedback.
	// Emoji is the reaction, if the policy names one.
	Feedback, Emoji string `json:"-"`
	// Lang is the language of a feedback in words.
	Lang i18n.Lang `json:"-"`
}

// inboundRequest is one envelope that is being processed.
type inboundRequest struct {
	*Gateway
	p    *policy.Policy
	c    policy.Channel
	e    chat.Envelope
	lang i18n.Lang // of the text, at the door: before it is known whose it is (spoken)
	// wrote is the text as it arrived; that of e has the English name of a command.
	wrote string

	granted, told bool
	wordless      bool // nothing was written: the text is only the context of a message
	writes        bool // it is a message that arrives, not a change of one or a press
	// sent is the notice about a consumer that the message replies to; nil: it replies to none.
	sent *servicestore.SentMessage
	destination
}

// Receive accepts a message as a platform delivered it. Access is decided before anything is stored or spent. A repeated
// delivery, at any distance in time, changes nothing. An error is the gateway's (the message should be delivered again) or
// reports a malformed envelope; a refusal of its sender is an Outcome.
func (g *Gateway) Receive(ctx context.Context, e chat.Envelope) (Outcome, error) {
	m, err := g.newRequest(ctx, e)
	if err != nil {
		return Outcome{}, err
	}
	m.writes = true
	if out, let, err := m.admit(ctx); err != nil || !let {
		out.Direct = out.Reply
		return out, err
	}
	if err := m.route(ctx); err != nil {
		return Outcome{}, err
	}
	if m.user.Disabled {
		return m.shutOut(ctx)
	}
	if err := m.dropRecalledQuote(ctx); err != nil {
		return Outcome{}, err
	}
	if !m.addressed {
		return m.overhear(ctx)
	}
	out, err := m.accept(ctx)
	if err != nil {
		return out, err
	}
	return m.withCard(ctx, out)
}

func (g *Gateway) newRequest(ctx context.Context, e chat.Envelope) (*inboundRequest, error) {
	e, err := validate(e, time.Now())
	if err != nil {
		return nil, err
	}
	wrote := e.Text
	e.Text = command.Translate(e.Text)
	p, err := g.Policies.Get(ctx)
	if err != nil {
		return nil, err
	}
	return &inboundRequest{Gateway: g, p: p, c: p.Channel(e.Channel, e.Account), e: e, wrote: wrote, lang: i18n.LanguageHints{Text: wrote, Usual: p.Language}.Lang()}, nil
}

// spoken returns the language in which the sender is addressed, once the conversation is known.
func (m *inboundRequest) spoken(ctx context.Context) (i18n.Lang, error) {
	return m.Stores.Users.Speaks(ctx, m.user.ID, m.key, m.wrote)
}

// NewLink returns a code with which a user proves their identity on another channel. The session gets a notice of who used it.
func (g *Gateway) NewLink(ctx context.Context, user chat.UserID, key chat.SessionKey) (string, error) {
	code := users.NewCode()
	return code, g.Stores.Links.NewLinkCode(ctx, user, key, secret.HashToken(code))
}
