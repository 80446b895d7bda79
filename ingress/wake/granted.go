package wake

import (
	"context"
	"log/slog"
	"sync"

	"xbot/internal/chat"
	"xbot/internal/store"
)

// NextInLine wakes those who were handed a free turn. One that is not woken is woken by the relay.
type NextInLine struct {
	Waker interface {
		Wake(ctx context.Context, r Row) error
	}
	Users interface {
		UserByID(ctx context.Context, id chat.UserID) (store.User, error)
	}
	// Groups has group chats go on; nil: the relay does.
	Groups interface {
		StartGroup(ctx context.Context, id chat.GroupID) error
	}
	Log *slog.Logger

	wakes sync.WaitGroup
}

// Granted wakes without keeping the caller waiting: the turn is theirs by a committed row.
func (n *NextInLine) Granted(who []store.Waiting) {
	n.wakes.Go(func() {
		for _, w := range who {
			if err := n.wake(w); err != nil {
				n.Log.Warn("next in line not woken, the relay tries again", "session", w.Session, "error", err)
			}
		}
	})
}

func (n *NextInLine) wake(w store.Waiting) error {
	ctx, cancel := context.WithTimeout(context.Background(), Timeout)
	defer cancel()
	if w.Group != "" {
		if n.Groups == nil {
			return nil
		}
		return n.Groups.StartGroup(ctx, w.Group)
	}
	user, err := n.Users.UserByID(ctx, w.User)
	if err != nil {
		return err
	}
	return n.Waker.Wake(ctx, Row{Session: w.Session, Channel: w.Channel, UserName: user.Name, Text: w.Text, Agent: w.Agent})
}

// Wait waits for the wakes under way.
func (n *NextInLine) Wait() { n.wakes.Wait() }
