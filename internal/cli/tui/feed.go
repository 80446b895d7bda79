package tui

import (
	"context"
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

func follow(ctx context.Context, client *apiclient.Client, key chat.SessionKey, after int64) *feed {
	ctx, cancel := context.WithCancel(ctx)
	f := &feed{key: key, updates: make(chan apiclient.Update, gatherMax), cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(f.done)
		defer close(f.updates)
		for update := range client.Watch(ctx, key, after) {
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
