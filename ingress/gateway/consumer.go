package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"xbot/ingress/intake"
	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
	"xbot/internal/turn/command"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/session"
)

// findSent finds the notice about a consumer of a service that a direct message of an administrator replies to, if any: then its text is for
// the consumer, and for no agent.
func (m *inboundRequest) findSent(ctx context.Context) error {
	if !m.direct() || m.e.Parent == "" || !m.known || !m.user.Admin || m.user.Disabled {
		return nil
	}
	key, ok, err := m.Stores.Routing.Alias(ctx, session.MessageAlias(m.e, m.e.Parent))
	if err != nil || !ok {
		return err
	}
	if _, admin, is := service.InboxOf(key); is && admin == m.user.ID {
		m.sent = &servicestore.SentMessage{Session: key, Channel: m.e.Channel, Account: m.e.Account, ID: m.e.Parent}
	}
	return nil
}

// isAnswer reports whether the message is for a consumer. Commands stay commands in any reply.
func (m *inboundRequest) isAnswer() bool {
	if m.sent == nil {
		return false
	}
	_, bang := command.Bang(m.text)
	return !bang && !command.Slashed(m.text)
}

// answerConsumer posts the text in the conversation of the consumer, once for a message however often it is delivered, and stores the
// reply to its sender with the message.
func (m *inboundRequest) answerConsumer(ctx context.Context, in intake.Message) (engine.Accepted, error) {
	lang, err := m.spoken(ctx)
	if err != nil {
		return engine.Accepted{}, err
	}
	said := i18n.Say(lang, i18n.InboxPlain)
	if !m.wordless {
		c, err := m.Stores.Services.AnswerSent(ctx, *m.sent, servicestore.Actor{User: m.user.ID, Name: m.user.Name, From: m.from(in.To)}, m.saidID(), m.text)
		switch {
		case refused(err):
			said = i18n.Explain(lang, err)
		case err != nil:
			return engine.Accepted{}, err
		default:
			said = i18n.Say(lang, i18n.InboxAnswered, markdown.Escaped(CalledConversation(lang, c)), markdown.Escaped(m.serviceName(ctx, c.Service)), c.ID)
		}
	}
	in.Files = nil
	got, err := m.Stores.Turns.Command(ctx, in.NewRow, func(context.Context) (string, error) { return said, nil })
	got.Answer = true
	return got, err
}

// CalledConversation returns the displayed name of a conversation of a consumer.
func CalledConversation(lang i18n.Lang, c service.Conversation) string {
	if c.Title == "" {
		return i18n.Say(lang, i18n.InboxNameless)
	}
	return chat.FirstWords(c.Title, shownTitle)
}

const shownTitle = 60

// serviceName returns the name of a service, for the eye: its id where the name cannot be read.
func (m *inboundRequest) serviceName(ctx context.Context, id string) string {
	if s, err := m.Stores.Services.Service(ctx, id); err == nil {
		return s.Name
	}
	return id
}

// from returns the chat in which the administrator writes.
func (m *inboundRequest) from(to *chat.Address) *chat.Address {
	at := *to
	at.Channel, at.Account = m.e.Channel, m.e.Account
	return &at
}

// saidID is the same for each delivery of the message.
func (m *inboundRequest) saidID() string {
	sum := sha256.Sum256([]byte(m.e.Channel + "\x00" + m.e.Account + "\x00" + platformID(m.e)))
	return "im-" + hex.EncodeToString(sum[:])
}
