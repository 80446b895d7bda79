package tui

import (
	"context"
	"encoding/json"
	"time"

	tea "charm.land/bubbletea/v2"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/location"
	"xbot/internal/client/cli/text"
	"xbot/internal/fault"
)

// startServer starts the user's own server again.
func (m *model) startServer() tea.Cmd {
	m.starting, m.reason = true, "starting the server again"
	tell, id := m.tell, m.sending
	return requestThen(m, func(ctx context.Context) (any, error) {
		return nil, m.o.Server.Ensure(ctx, func(text string) {
			tell(response(func() tea.Cmd {
				m.reason = text
				return nil
			}))
		})
	}, func(_ any, err error) tea.Cmd {
		m.starting = false
		if err != nil {
			m.complain(err.Error())
		}
		return m.retry(id, tryAgain)
	})
}

// lost records that the server is away.
func (m *model) lost(err error) {
	if m.away.IsZero() {
		m.away = time.Now()
	}
	if !m.starting { // the reason on show is about the start
		m.reason = err.Error()
	}
}

// back records that the server is there.
func (m *model) back() {
	if m.away.IsZero() {
		return
	}
	if gone := time.Since(m.away); gone > time.Second {
		m.say("Connected again after " + text.Lasted(gone) + ".")
	}
	m.away, m.reason = time.Time{}, ""
}

// stop asks the server to stop the running turn.
func (m *model) stop() tea.Cmd {
	if !m.running() {
		m.say("Nothing is running.")
		return nil
	}
	m.stopped = m.story.Turn.ID
	key, turn := m.session.Key, m.story.Turn.ID
	return requestThen(m, func(ctx context.Context) (apiclient.Stopped, error) {
		return m.o.Client.StopTurn(ctx, key)
	}, func(_ apiclient.Stopped, err error) tea.Cmd { return m.retryStop(turn, err) })
}

// retryStop sends a stop again that the server could not hear, as long as its turn runs.
func (m *model) retryStop(turn chat.TurnID, err error) tea.Cmd {
	runs := func() bool { return m.running() && m.story.Turn.ID == turn }
	switch {
	case err == nil || !runs():
		return nil
	case fault.Is(err, fault.Unavailable):
		m.lost(err)
		return later(tryAgain, func() tea.Cmd {
			if !runs() {
				return nil
			}
			return m.stop()
		})
	default:
		m.stopped = ""
		m.complain("Not stopped: " + err.Error())
		return nil
	}
}

// askPlace asks where the commands of the open session run, or would run. While the server is away, it is what it was.
func (m *model) askPlace() tea.Cmd {
	s := m.session
	return request(m, func(ctx context.Context) (location.Place, error) {
		return m.o.Place.Of(ctx, s)
	}, func(where location.Place, err error) {
		if err == nil && s.Key == m.session.Key {
			m.place = where
			m.redraw()
		}
	})
}

// movedBack reports whether an event means that older messages are in the conversation again: it is read again.
func movedBack(event chat.Event) bool {
	if event.Kind != chat.EventRewind {
		return false
	}
	var r chat.Rewound
	return json.Unmarshal(event.Data, &r) == nil && r.Again
}

// moves reports whether an event may have moved the commands elsewhere: a command was answered, or a turn has ended.
func moves(event chat.Event) bool {
	if event.Kind == chat.EventSession {
		return true
	}
	if event.Kind != chat.EventMessage {
		return false
	}
	var m chat.Message
	return json.Unmarshal(event.Data, &m) == nil && m.Origin == chat.OriginCommand
}
