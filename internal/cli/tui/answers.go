package tui

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"xbot/internal/apiclient"
	"xbot/internal/chat"
	"xbot/internal/cli/story"
	"xbot/internal/cli/text"
	"xbot/internal/fault"
)

const (
	pageSize  = 200             // messages that are loaded at once
	pageTurns = 50              // turns whose end is looked up for them
	tryAgain  = time.Second     // between attempts to reach a server that is away
	restart   = 3 * time.Second // how long the user's own server may be away when there is something to send
)

// What requests answer.
type (
	openedMsg struct {
		key   chat.SessionKey
		story *story.Story
		feed  *feed
		err   error
	}
	createdMsg struct {
		id      string // of the message that the session is made for
		session chat.Session
		err     error
	}
	sentMsg struct {
		id       string
		accepted apiclient.Accepted
		err      error
	}
	retryMsg   struct{ id string }           // send again
	reopenMsg  struct{ key chat.SessionKey } // open again
	restopMsg  struct{ turn chat.TurnID }    // stop again
	startedMsg struct {
		id  string // of the message that is to be sent then; may be empty
		err error
	}
	progress   string
	stoppedMsg struct {
		turn chat.TurnID
		err  error
	}
	olderMsg struct {
		story      *story.Story
		transcript apiclient.Transcript
		err        error
	}
	renamedMsg struct{ err error }
	listedMsg  struct {
		sessions []chat.Session
		err      error
		resume   bool // open the newest rather than showing the list
	}
)

// answered takes in what a request or the feed brought.
func (m *model) answered(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case feedMsg:
		return m.told(msg)
	case openedMsg:
		return m.opened(msg)
	case createdMsg:
		return m.created(msg)
	case sentMsg:
		return m.sent(msg)
	case retryMsg:
		if msg.id == m.sending {
			m.sending = ""
			return m.send()
		}
	case reopenMsg:
		if msg.key == m.wanted {
			return m.openSession(msg.key)
		}
	case restopMsg:
		if m.running() && m.story.Turn.ID == msg.turn {
			return m.stop()
		}
	case startedMsg:
		return m.started(msg)
	case progress:
		m.reason = string(msg)
	case stoppedMsg:
		return m.stopHeard(msg)
	case olderMsg:
		m.prepend(msg)
	case listedMsg:
		return m.listed(msg)
	case renamedMsg:
		if msg.err != nil {
			m.complain("Not renamed: " + msg.err.Error())
		}
	default:
		return m.edit(msg) // what the input field sends itself
	}
	return nil
}

// openSession loads a session and follows it. Without a key there is nothing to load.
func (m *model) openSession(key chat.SessionKey) tea.Cmd {
	m.wanted = key
	if key == "" {
		return nil
	}
	m.opening = true
	client := m.o.Client
	return m.do(func(ctx context.Context) tea.Msg {
		session, err := client.Session(ctx, key)
		if err != nil {
			return openedMsg{key: key, err: err}
		}
		transcript, err := client.Messages(ctx, key, apiclient.Page{Limit: pageSize})
		if err != nil {
			return openedMsg{key: key, err: err}
		}
		told := story.New(session, transcript)
		if turns, err := client.Turns(ctx, key, pageTurns); err == nil { // else their last lines are missing, no more
			told.Recall(turns)
		}
		return openedMsg{key: key, story: told, feed: follow(ctx, client, key, transcript.Seq)}
	})
}

func (m *model) opened(msg openedMsg) tea.Cmd {
	if msg.key != m.wanted {
		if msg.feed != nil {
			msg.feed.close()
		}
		return nil
	}
	if msg.err != nil {
		if fault.Is(msg.err, fault.Unavailable) || fault.Is(msg.err, fault.Internal) {
			m.lost(msg.err)
			return tea.Tick(tryAgain, func(time.Time) tea.Msg { return reopenMsg{msg.key} })
		}
		m.opening = false
		m.complain(msg.err.Error())
		return nil
	}
	m.opening = false
	m.close()
	m.feed, m.story, m.session = msg.feed, msg.story, msg.story.Session
	m.follow, m.stopped, m.heard = true, "", false
	m.back()
	m.column.forget()
	m.history.reset(m.story)
	m.redraw()
	return m.feed.next()
}

// told takes in what the feed of the open session brought.
func (m *model) told(msg feedMsg) tea.Cmd {
	if msg.feed != m.feed {
		return nil // a session that was left
	}
	for _, update := range msg.updates {
		m.heard = m.heard || update.Event == nil
		switch {
		case update.Lost != nil:
			m.lost(update.Lost)
		case update.Hello != nil && update.Hello.Seq < m.story.Seq:
			return m.openSession(m.session.Key) // the data was restored from a backup
		case update.Hello != nil:
			m.back()
			m.story.Greet(*update.Hello)
		default:
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
	return tea.Batch(m.feed.next(), m.send())
}

// forgetSent drops messages from the outbox that the feed has told of, whether or not their receipt came.
func (m *model) forgetSent() {
	m.outbox = slices.DeleteFunc(m.outbox, func(out outgoing) bool {
		return slices.ContainsFunc(m.story.Queued, func(q chat.Queued) bool { return q.ClientMessageID == out.id }) ||
			slices.ContainsFunc(m.story.Entries, func(e *story.Entry) bool { return e.Client == out.id })
	})
}

// post puts a message into the outbox. Messages are sent one after another, so that they arrive in order.
func (m *model) post(text string) tea.Cmd {
	m.outbox = append(m.outbox, outgoing{id: rand.Text(), text: text})
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
	m.sending = out.id
	if key == "" {
		folder := m.session.Cwd
		return m.do(func(ctx context.Context) tea.Msg {
			session, err := client.CreateSession(ctx, apiclient.NewSession{Cwd: folder})
			return createdMsg{id: out.id, session: session, err: err}
		})
	}
	return m.do(func(ctx context.Context) tea.Msg {
		accepted, err := client.Send(ctx, key, out.id, out.text)
		return sentMsg{id: out.id, accepted: accepted, err: err}
	})
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
		m.setInput(strings.Join(unsent, "\n\n"))
		m.complain("Not sent yet, and given back below.")
	}
}

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
	m.reason = err.Error()
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
		_, err := client.Stop(ctx, key)
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

// loadOlder asks for the messages before the first one.
func (m *model) loadOlder() tea.Cmd {
	if m.older || !m.story.Earlier || m.story.First() == 0 {
		return nil
	}
	m.older = true
	client, key, s := m.o.Client, m.session.Key, m.story
	before := s.First()
	return m.do(func(ctx context.Context) tea.Msg {
		transcript, err := client.Messages(ctx, key, apiclient.Page{Before: before, Limit: pageSize})
		return olderMsg{story: s, transcript: transcript, err: err}
	})
}

func (m *model) prepend(msg olderMsg) {
	m.older = false
	if msg.story != m.story {
		return
	}
	if msg.err != nil {
		m.complain("Earlier messages: " + msg.err.Error())
		return
	}
	before := len(m.lines)
	m.story.Prepend(msg.transcript)
	m.history.reset(m.story)
	m.redraw()
	m.offset += len(m.lines) - before // what was visible stays where it is
	m.clamp()
}
