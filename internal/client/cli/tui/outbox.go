package tui

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/mention"
	"xbot/internal/client/cli/story"
	"xbot/internal/fault"
)

// forgetSent drops messages from the outbox that the feed has, whether or not their receipt came.
func (m *model) forgetSent() {
	m.outbox = slices.DeleteFunc(m.outbox, func(out outgoingMessage) bool {
		return slices.ContainsFunc(m.story.Queued, func(q chat.Queued) bool { return q.ClientMessageID == out.id }) ||
			slices.ContainsFunc(m.story.Entries, func(e *story.Entry) bool { return e.ClientMessageID == out.id })
	})
}

// post puts a message into the outbox. Messages are sent one after another, so that they arrive in order.
func (m *model) post(text string) tea.Cmd {
	to := m.session.Key
	if m.opening {
		to = m.wanted // which the user chose
	}
	m.outbox = append(m.outbox, outgoingMessage{id: m.acting.client + "." + rand.Text(), session: to, text: text})
	m.follow = true
	m.redraw()
	return m.send()
}

// send sends the first message of the outbox, and makes the session first if there is none. It waits for the feed to
// be connected, or else the first words of the answer would be missed.
func (m *model) send() tea.Cmd {
	if m.sending != "" || m.opening || len(m.outbox) == 0 || m.feed != nil && !m.heard {
		return nil
	}
	key, out := m.session.Key, m.outbox[0]
	if out.session != key {
		m.takeBack() // it was typed for a session that did not open
		m.redraw()
		return nil
	}
	m.sending = out.id
	if key == "" {
		return forSending(m, func(ctx context.Context) (chat.Session, error) {
			where, err := m.o.Place.Of(ctx, chat.Session{})
			if err != nil {
				return chat.Session{}, err
			}
			return m.o.Client.CreateSession(ctx, apiclient.NewTerminalSession(where.Cwd()))
		}, m.created)
	}
	if out.ready == nil {
		return forSending(m, func(ctx context.Context) (mention.Message, error) {
			return mention.Attach(ctx, m.o.Client, key, out.text)
		}, m.ready)
	}
	return forSending(m, func(ctx context.Context) (apiclient.Accepted, error) {
		return m.o.Client.Send(ctx, key, out.id, out.ready.Text, out.ready.Files...)
	}, m.sent)
}

// forSending is requestThen for the message that is being sent. The result is dropped if the message was given back in between.
func forSending[T any](m *model, ask func(context.Context) (T, error), take func(T, error) tea.Cmd) tea.Cmd {
	id := m.sending
	return requestThen(m, ask, func(got T, err error) tea.Cmd {
		if id != m.sending {
			return nil
		}
		return take(got, err)
	})
}

// ready sends a message whose files are where the agent can read them.
func (m *model) ready(message mention.Message, err error) tea.Cmd {
	if err != nil {
		return m.notSent(err)
	}
	m.sending, m.outbox[0].ready = "", &message
	return m.send()
}

func (m *model) created(session chat.Session, err error) tea.Cmd {
	if err != nil {
		return m.notSent(err)
	}
	m.sending = ""
	m.back()
	m.session = session
	for i := range m.outbox {
		m.outbox[i].session = session.Key
	}
	return m.openSession(session.Key)
}

func (m *model) sent(accepted apiclient.Accepted, err error) tea.Cmd {
	waits := len(m.outbox) > 0 && m.outbox[0].id == m.sending // else the feed had it before its receipt came
	if err != nil && waits {
		return m.notSent(err)
	}
	id := m.sending
	m.sending = ""
	m.back()
	if waits {
		m.story.Accept(chat.Queued{Inbox: accepted.ID, ClientMessageID: id, Text: m.outbox[0].text})
		m.outbox = m.outbox[1:]
	}
	m.redraw()
	return m.send()
}

// notSent tries again what may still go well, and gives the text back otherwise.
func (m *model) notSent(err error) tea.Cmd {
	if !fault.Is(err, fault.Unavailable) && !fault.Is(err, fault.RateLimited) {
		refused := m.outbox[0]
		m.sending, m.outbox = "", m.outbox[1:]
		if m.input.Value() == "" {
			m.setInput(refused.text)
		}
		m.complain("Not sent: " + err.Error())
		m.redraw()
		return m.send()
	}
	m.outbox[0].waiting = true
	m.lost(err)
	m.redraw()
	if m.o.Server != nil && time.Since(m.away) > restart {
		return m.startServer()
	}
	return m.retry(m.sending, max(tryAgain, fault.After(err)))
}

// retry sends a message again after a pause, unless it was given back in the meantime.
func (m *model) retry(id string, pause time.Duration) tea.Cmd {
	return later(pause, func() tea.Cmd {
		if id != m.sending {
			return nil
		}
		m.sending = ""
		return m.send()
	})
}

// takeBack puts what was not sent yet where it can be edited, because the session it was for is being left.
func (m *model) takeBack() {
	var unsent []string
	for _, out := range m.outbox {
		unsent = append(unsent, out.text)
	}
	m.outbox, m.sending = nil, ""
	if len(unsent) > 0 {
		if typed := m.input.Value(); typed != "" {
			unsent = append(unsent, typed)
		}
		m.setInput(strings.Join(unsent, "\n\n"))
		m.complain("Not sent yet, and given back below.")
	}
}
