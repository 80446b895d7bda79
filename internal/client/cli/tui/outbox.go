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

// forgetSent drops messages from the outbox that the feed has told of, whether or not their receipt came.
func (m *model) forgetSent() {
	m.outbox = slices.DeleteFunc(m.outbox, func(out outgoing) bool {
		return slices.ContainsFunc(m.story.Queued, func(q chat.Queued) bool { return q.ClientMessageID == out.id }) ||
			slices.ContainsFunc(m.story.Entries, func(e *story.Entry) bool { return e.ClientMessageID == out.id })
	})
}

// post puts a message into the outbox. Messages are sent one after another, so that they arrive in order.
func (m *model) post(text string) tea.Cmd {
	to := m.session.Key
	if m.opening {
		to = m.wanted // which the person chose
	}
	m.outbox = append(m.outbox, outgoing{id: m.acting.client + "." + rand.Text(), session: to, text: text})
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
	client, key, out := m.o.Client, m.session.Key, m.outbox[0]
	if out.session != key {
		m.takeBack() // it was typed for a session that did not open
		m.redraw()
		return nil
	}
	m.sending = out.id
	if key == "" {
		finder := m.o.Place
		return m.do(func(ctx context.Context) tea.Msg {
			where, err := finder.Of(ctx, chat.Session{})
			if err != nil {
				return createdMsg{id: out.id, err: err}
			}
			session, err := client.CreateSession(ctx, apiclient.NewTerminalSession(where.Cwd()))
			return createdMsg{id: out.id, session: session, err: err}
		})
	}
	if out.ready == nil {
		return m.do(func(ctx context.Context) tea.Msg {
			message, err := mention.Attach(ctx, client, key, out.text)
			return readyMsg{id: out.id, message: message, err: err}
		})
	}
	return m.do(func(ctx context.Context) tea.Msg {
		accepted, err := client.Send(ctx, key, out.id, out.ready.Text, out.ready.Files...)
		return sentMsg{id: out.id, accepted: accepted, err: err}
	})
}

// ready sends a message whose files are where the agent can read them.
func (m *model) ready(msg readyMsg) tea.Cmd {
	if msg.id != m.sending {
		return nil // it was given back meanwhile
	}
	if msg.err != nil {
		return m.notSent(msg.err)
	}
	m.sending, m.outbox[0].ready = "", &msg.message
	return m.send()
}

func (m *model) created(msg createdMsg) tea.Cmd {
	if msg.id != m.sending {
		return nil // it was given back meanwhile
	}
	if msg.err != nil {
		return m.notSent(msg.err)
	}
	m.sending = ""
	m.back()
	m.session = msg.session
	for i := range m.outbox {
		m.outbox[i].session = msg.session.Key
	}
	return m.openSession(msg.session.Key)
}

func (m *model) sent(msg sentMsg) tea.Cmd {
	if msg.id != m.sending {
		return nil
	}
	waits := len(m.outbox) > 0 && m.outbox[0].id == msg.id // else the feed has told of it before its receipt came
	if msg.err != nil && waits {
		return m.notSent(msg.err)
	}
	m.sending = ""
	m.back()
	if waits {
		m.story.Accept(chat.Queued{Inbox: msg.accepted.ID, ClientMessageID: msg.id, Text: m.outbox[0].text})
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
	again := retryMsg{m.sending}
	return tea.Tick(max(tryAgain, fault.After(err)), func(time.Time) tea.Msg { return again })
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
