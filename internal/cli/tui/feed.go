package tui

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"time"

	tea "charm.land/bubbletea/v2"

	"xbot/internal/apiclient"
	"xbot/internal/chat"
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

// feedMsg brings what a feed has told since the last time.
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
	client   string // what the ids of its messages begin with
	answered map[chat.CallID]apiclient.ActionAnswer
}

func newActing() acting {
	return acting{client: rand.Text(), answered: map[chat.CallID]apiclient.ActionAnswer{}}
}

// act carries out an action, once, and tells the server. An answer that gets lost is asked for again with the next connection.
func (m *model) act(data json.RawMessage) tea.Cmd {
	var a chat.ClientAction
	if json.Unmarshal(data, &a) != nil || a.Call == "" {
		return nil
	}
	var does tea.Cmd
	answer, known := m.acting.answered[a.Call]
	if !known {
		answer = apiclient.ActionAnswer{Client: m.acting.client, Outcome: string(chat.ActionDone)}
		if does, answer.Reason = m.show(a); answer.Reason != "" {
			answer.Outcome = string(chat.ActionRefused)
		}
		m.acting.answered[a.Call] = answer
	}
	client, key := m.o.Client, m.session.Key
	return tea.Batch(does, m.do(func(ctx context.Context) tea.Msg {
		_ = client.AnswerClientAction(ctx, key, a.Call, answer) // nobody here waits for it, and it is sent again where it is asked for again
		return nil
	}))
}

// Why an action is refused.
const (
	notSupported = "not_supported"
	notNow       = "not_now"
)

// show does what an action says, or says why it does not.
func (m *model) show(a chat.ClientAction) (does tea.Cmd, refused string) {
	busy := m.picker != nil || m.panel != nil || m.search != nil
	switch a.Action + " " + a.What {
	case "open conversation":
		if busy || m.input.Value() != "" || len(m.outbox) > 0 {
			return nil, notNow // what the person types belongs here
		}
		return m.switchTo(chat.SessionKey(a.Value)), ""
	case "open settings":
		switch {
		case a.Value != "":
			return nil, notSupported
		case busy:
			return nil, notNow
		}
		return m.askSettings(), ""
	case "open todos":
		m.allTodos = true
		m.relayout()
	case "theme ":
		return m.paint(a.Value)
	case "layout details":
		m.column.details = a.Value == "show"
		m.column.forget()
		m.redraw()
	default:
		return nil, notSupported
	}
	return nil, ""
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
