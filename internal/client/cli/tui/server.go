package tui

import (
	"context"
	"encoding/json"
	"time"

	tea "charm.land/bubbletea/v2"

	"xbot/internal/chat"
	"xbot/internal/client/cli/place"
	"xbot/internal/client/cli/text"
	"xbot/internal/fault"
)

// startServer starts the user's own server again.
func (m *model) startServer() tea.Cmd {
	m.starting, m.reason = true, "starting the server again"
	server, tell, id := m.o.Server, m.tell, m.sending
	return m.do(func(ctx context.Context) tea.Msg {
		return startedMsg{id: id, err: server.Ensure(ctx, func(text string) { tell(progress(text)) })}
	})
}

func (m *model) started(msg startedMsg) tea.Cmd {
	m.starting = false
	if msg.err != nil {
		m.complain(msg.err.Error())
	}
	again := retryMsg{msg.id}
	return tea.Tick(tryAgain, func(time.Time) tea.Msg { return again })
}

// lost notes that the server is away.
func (m *model) lost(err error) {
	if m.away.IsZero() {
		m.away = time.Now()
	}
	if !m.starting { // what is done about it says more
		m.reason = err.Error()
	}
}

// back notes that the server is there.
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
	client, key, turn := m.o.Client, m.session.Key, m.story.Turn.ID
	return m.do(func(ctx context.Context) tea.Msg {
		_, err := client.StopTurn(ctx, key)
		return stoppedMsg{turn: turn, err: err}
	})
}

// stopHeard sends a stop again that the server could not hear, as long as its turn runs.
func (m *model) stopHeard(msg stoppedMsg) tea.Cmd {
	switch {
	case msg.err == nil || !m.running() || m.story.Turn.ID != msg.turn:
		return nil
	case fault.Is(msg.err, fault.Unavailable):
		m.lost(msg.err)
		return tea.Tick(tryAgain, func(time.Time) tea.Msg { return restopMsg{msg.turn} })
	default:
		m.stopped = ""
		m.complain("Not stopped: " + msg.err.Error())
		return nil
	}
}

// placeMsg says where the commands of a session run now.
type placeMsg struct {
	key   chat.SessionKey
	place place.Place
	err   error
}

// askPlace asks where the commands of the open session run, or would run.
func (m *model) askPlace() tea.Cmd {
	finder, s := m.o.Place, m.session
	return m.do(func(ctx context.Context) tea.Msg {
		where, err := finder.Of(ctx, s)
		return placeMsg{s.Key, where, err}
	})
}

// placed takes it in. While the server is away, it is what it was.
func (m *model) placed(msg placeMsg) {
	if msg.err == nil && msg.key == m.session.Key {
		m.place = msg.place
		m.redraw()
	}
}

// movedBack reports whether an event says that older messages are in the conversation again: it is read anew.
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
