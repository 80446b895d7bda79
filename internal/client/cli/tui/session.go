package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/story"
	"xbot/internal/fault"
)

// openedMsg brings a session that was loaded.
type openedMsg struct {
	key     chat.SessionKey
	steered *steering // the action that wants it; nil: the user does
	story   *story.Story
	feed    *feed
	err     error
}

// openSession loads a session and follows it. Without a key there is nothing to load.
func (m *model) openSession(key chat.SessionKey) tea.Cmd {
	m.wanted = key
	if key == "" {
		return nil
	}
	m.opening = true
	return m.loadSession(key, nil)
}

// loadSession reads a session and begins to follow it; steered is the action that wants it, if one does.
func (m *model) loadSession(key chat.SessionKey, steered *steering) tea.Cmd {
	client, as := m.o.Client, m.acting.client
	return m.do(func(ctx context.Context) tea.Msg {
		session, err := client.GetSession(ctx, key)
		if err != nil {
			return openedMsg{key: key, steered: steered, err: err}
		}
		transcript, err := client.ListMessages(ctx, key, apiclient.ListMessagesParams{Limit: pageSize})
		if err != nil {
			return openedMsg{key: key, steered: steered, err: err}
		}
		told := story.New(session, transcript)
		if turns, err := client.ListTurns(ctx, key, apiclient.ListTurnsParams{Limit: pageTurns}); err == nil { // else their last lines are missing, no more
			told.Recall(turns)
		}
		if tasks, err := client.ListTasks(ctx, key, apiclient.ListTasksParams{}); err == nil { // else those are missing that began before
			for _, task := range tasks {
				told.Task(task)
			}
		}
		return openedMsg{key: key, steered: steered, story: told, feed: follow(ctx, client, as, key, transcript.Seq)}
	})
}

func (m *model) opened(msg openedMsg) tea.Cmd {
	if msg.steered != nil {
		return m.arrived(msg)
	}
	if msg.key != m.wanted {
		if msg.feed != nil {
			msg.feed.close()
		}
		return nil
	}
	if msg.err != nil {
		if fault.Is(msg.err, fault.Unavailable) || fault.Is(msg.err, fault.Internal) {
			m.lost(msg.err)
			return later(tryAgain, func() tea.Cmd {
				if msg.key != m.wanted {
					return nil
				}
				return m.openSession(msg.key)
			})
		}
		m.opening, m.wanted = false, m.session.Key
		m.complain(msg.err.Error())
		return m.send() // which gives back what was for it
	}
	return m.turnTo(msg)
}

// turnTo makes a session that was loaded the open one.
func (m *model) turnTo(msg openedMsg) tea.Cmd {
	m.opening = false
	m.close()
	m.feed, m.story, m.session = msg.feed, msg.story, msg.story.Session
	m.follow, m.stopped, m.heard = true, "", false
	m.back()
	m.column.forget()
	m.history.reset(m.story)
	m.redraw()
	return tea.Batch(m.feed.next(), m.askPlace())
}

// applyFeed takes in the updates of the open session's feed.
func (m *model) applyFeed(msg feedMsg) tea.Cmd {
	if msg.feed != m.feed {
		return nil // a session that was left
	}
	moved := false
	var acts []tea.Cmd
	for _, update := range msg.updates {
		m.heard = m.heard || update.Event == nil
		switch {
		case update.Lost != nil:
			m.lost(update.Lost)
		case update.Hello != nil && (update.Hello.Gap || update.Hello.Seq < m.story.Seq):
			return tea.Batch(append(acts, m.openSession(m.session.Key))...) // events were pruned in the meantime, or the data was restored from a backup
		case update.Hello != nil:
			m.back()
			m.story.Greet(*update.Hello)
		case update.Event.Kind == chat.EventAction:
			acts = append(acts, m.act(update.Event.Data))
		default:
			if movedBack(*update.Event) {
				return tea.Batch(append(acts, m.openSession(m.session.Key))...)
			}
			moved = moved || moves(*update.Event)
			if err := m.story.Apply(*update.Event); err != nil {
				m.complain(err.Error())
			}
		}
	}
	m.session = m.story.Session
	m.forgetSent()
	m.redraw()
	if msg.ended {
		m.complain("The session cannot be followed any more: " + m.reason)
		return nil
	}
	if moved {
		acts = append(acts, m.askPlace())
	}
	return tea.Batch(append(acts, m.feed.next(), m.send())...)
}

// loadOlder asks for the messages before the first one.
func (m *model) loadOlder() tea.Cmd {
	if m.older || !m.story.Earlier || m.story.First() == 0 {
		return nil
	}
	m.older = true
	key, s, before := m.session.Key, m.story, m.story.First()
	return request(m, func(ctx context.Context) (apiclient.Transcript, error) {
		return m.o.Client.ListMessages(ctx, key, apiclient.ListMessagesParams{Before: before, Limit: pageSize})
	}, func(older apiclient.Transcript, err error) {
		m.older = false
		if s == m.story {
			m.prepend(older, err)
		}
	})
}

func (m *model) prepend(older apiclient.Transcript, err error) {
	if err != nil {
		m.complain("Earlier messages: " + err.Error())
		return
	}
	before := len(m.lines)
	m.story.Prepend(older)
	m.history.reset(m.story)
	m.redraw()
	m.offset += len(m.lines) - before // what was visible stays where it is
	m.clamp()
}
