package tui

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"time"

	tea "charm.land/bubbletea/v2"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/fault"
)

// How updates are gathered, so that a fast answer is drawn in frames and not letter by letter.
const (
	gatherFor = 25 * time.Millisecond
	gatherMax = 512
)

// feed follows one session.
type feed struct {
	key     chat.SessionKey
	updates chan apiclient.Update // closed when the feed has ended; full: the reader of the stream waits
	cancel  context.CancelFunc
	done    chan struct{} // closed when the goroutine has returned
}

// feedMsg has the updates of a feed since the last time.
type feedMsg struct {
	feed    *feed
	updates []apiclient.Update
	ended   bool
}

func follow(ctx context.Context, client *apiclient.Client, as string, key chat.SessionKey, after int64) *feed {
	ctx, cancel := context.WithCancel(ctx)
	f := &feed{key: key, updates: make(chan apiclient.Update, gatherMax), cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(f.done)
		defer close(f.updates)
		for update := range client.WatchAs(ctx, as, key, after) {
			select {
			case f.updates <- update:
			case <-ctx.Done():
				return
			}
		}
	}()
	return f
}

func (f *feed) close() {
	f.cancel()
	<-f.done
}

// next waits for the next updates and gathers those that come right after.
func (f *feed) next() tea.Cmd {
	return func() tea.Msg {
		first, open := <-f.updates
		if !open {
			return feedMsg{feed: f, ended: true}
		}
		msg := feedMsg{feed: f, updates: []apiclient.Update{first}}
		timer := time.NewTimer(gatherFor)
		defer timer.Stop()
		for len(msg.updates) < gatherMax {
			select {
			case update, open := <-f.updates:
				if !open {
					msg.ended = true
					return msg
				}
				msg.updates = append(msg.updates, update)
			case <-timer.C:
				return msg
			}
		}
		return msg
	}
}

// acting is what the terminal needs to carry out what models ask it to show (chat.EventAction).
type acting struct {
	client string                                 // what the ids of its messages begin with
	known  map[chat.CallID]apiclient.ActionAnswer // answers sent before; no outcome: it is being carried out, here or elsewhere
}

func newActing() acting {
	return acting{client: rand.Text(), known: map[chat.CallID]apiclient.ActionAnswer{}}
}

// steering is an action that is being carried out.
type steering struct {
	chat.ClientAction

	from       chat.SessionKey // the session whose model asked
	receivedAt time.Time
}

// takenMsg reports whether the server gave an action to this terminal.
type takenMsg struct {
	steering

	err error
}

// actionLasts is how long the server waits for an answer. What comes later, since the machine slept, is not carried out.
const actionLasts = 10 * time.Second

// act takes an action, once: the server decides whether this terminal is to carry it out. An answer that got lost is given again.
func (m *model) act(data json.RawMessage) tea.Cmd {
	a := steering{from: m.session.Key, receivedAt: time.Now().Round(0)} // without the monotonic reading, which stops while the machine sleeps
	if json.Unmarshal(data, &a.ClientAction) != nil || a.Call == "" {
		return nil
	}
	if answer, known := m.acting.known[a.Call]; known {
		if answer.Outcome == "" {
			return nil
		}
		return m.tellOutcome(a, answer)
	}
	m.acting.known[a.Call] = apiclient.ActionAnswer{}
	client, take := m.o.Client, apiclient.ActionAnswer{Client: m.acting.client, Outcome: "taking"}
	return m.do(func(ctx context.Context) tea.Msg {
		return takenMsg{a, client.AnswerClientAction(ctx, a.from, a.Call, take)}
	})
}

// taken carries out an action that the server gave to this terminal.
func (m *model) taken(msg takenMsg) tea.Cmd {
	switch {
	case fault.Is(msg.err, fault.Unavailable):
		delete(m.acting.known, msg.Call) // the server sends it again, if it still wants it
		return nil
	case msg.err != nil || time.Since(msg.receivedAt) > actionLasts:
		return nil
	case msg.from != m.session.Key:
		return m.outcome(msg.steering, notNow)
	}
	does, refused, later := m.show(msg.steering)
	if later {
		return does
	}
	return tea.Batch(does, m.outcome(msg.steering, refused))
}

// outcome sends the server the outcome of an action; refused is empty where it was done.
func (m *model) outcome(a steering, refused string) tea.Cmd {
	answer := apiclient.ActionAnswer{Client: m.acting.client, Outcome: string(chat.ActionDone), Reason: refused}
	if refused != "" {
		answer.Outcome = string(chat.ActionRefused)
	}
	m.acting.known[a.Call] = answer
	return m.tellOutcome(a, answer)
}

func (m *model) tellOutcome(a steering, answer apiclient.ActionAnswer) tea.Cmd {
	client := m.o.Client
	return m.do(func(ctx context.Context) tea.Msg {
		_ = client.AnswerClientAction(ctx, a.from, a.Call, answer) // errors are ignored: the server sends the action again until the answer comes
		return nil
	})
}

// Why an action is refused.
const (
	notSupported = "not_supported"
	notFound     = "not_found"
	notNow       = "not_now"
)

// occupied reports whether another session, or what takes the keys, would come between the user and what they do here.
func (m *model) occupied() bool {
	return m.picker != nil || m.panel != nil || m.search != nil || m.opening || m.input.Value() != "" || len(m.outbox) > 0
}

// show carries out an action, or returns why it does not. Later: that is known only once its command has answered.
func (m *model) show(a steering) (does tea.Cmd, refused string, later bool) {
	switch a.Action + " " + a.What {
	case "open conversation":
		if m.occupied() {
			return nil, notNow, false // what the user types belongs here
		}
		return m.loadSession(chat.SessionKey(a.Value), &a), "", true
	case "open settings":
		switch {
		case a.Value != "":
			return nil, notSupported, false
		case m.occupied():
			return nil, notNow, false
		}
		return m.askSettings(&a), "", true
	case "open todos":
		if len(m.story.Todos) == 0 {
			return nil, notFound, false
		}
		m.allTodos = true
		m.relayout()
	case "theme ":
		does, refused = m.paint(a.Value)
		return does, refused, false
	case "layout details":
		m.column.details = a.Value == "show"
		m.column.forget()
		m.redraw()
	default:
		return nil, notSupported, false
	}
	return nil, "", false
}

// arrived opens a session because a model shows it, unless the user has begun something in the meantime. It is not tried again.
func (m *model) arrived(msg openedMsg) tea.Cmd {
	a := *msg.steered
	refused := ""
	switch {
	case fault.Is(msg.err, fault.NotFound):
		refused = notFound
	case msg.err != nil || m.session.Key != a.from || m.occupied() || time.Since(a.receivedAt) > actionLasts:
		refused = notNow
	}
	if refused != "" {
		if msg.feed != nil {
			msg.feed.close()
		}
		return m.outcome(a, refused)
	}
	m.wanted = msg.key
	return tea.Batch(m.outcome(a, ""), m.turnTo(msg))
}

// paint takes the colours for a light or a dark background, or those that fit the terminal's own.
func (m *model) paint(theme string) (does tea.Cmd, refused string) {
	switch {
	case m.plain:
		return nil, notSupported
	case theme == "system":
		return tea.RequestBackgroundColor, ""
	}
	m.dark = theme == "dark"
	m.restyle()
	return nil, ""
}
