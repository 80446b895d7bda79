package wake

import (
	"context"
	"log/slog"
	"sync"

	"xbot/internal/chat"
	"xbot/internal/store"
)

// TurnScheduler wakes those who were handed a free turn. One that is not woken is woken by the relay.
type TurnScheduler struct {
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
func (s *TurnScheduler) Granted(who []store.Waiting) {
	s.wakes.Go(func() {
		for _, w := range who {
			if err := s.wake(w); err != nil {
				s.Log.Warn("turn that came free not woken, the relay tries again", "session", w.Session, "error", err)
			}
		}
	})
}

func (s *TurnScheduler) wake(w store.Waiting) error {
	ctx, cancel := context.WithTimeout(context.Background(), Timeout)
	defer cancel()
	if w.Group != "" {
		if s.Groups == nil {
			return nil
		}
		return s.Groups.StartGroup(ctx, w.Group)
	}
	user, err := s.Users.UserByID(ctx, w.User)
	if err != nil {
		return err
	}
	return s.Waker.Wake(ctx, Row{Session: w.Session, Channel: w.Channel, UserName: user.Name, Text: w.Text, Agent: w.Agent})
}

// Wait waits for the wakes under way.
func (s *TurnScheduler) Wait() { s.wakes.Wait() }
