package ingress

import (
	"context"
	"log/slog"

	"xbot/internal/chat"
)

// Teller says something to a conversation on the product's behalf: the row is committed, then the turn is woken.
type Teller struct {
	Rows interface {
		Tell(ctx context.Context, told chat.Told) (fresh bool, err error)
	}
	Waker interface {
		Wake(ctx context.Context, r Row) error
	}
	Log *slog.Logger
}

// Tell commits what is said, once for each key, and wakes the session's turn. A wake that fails is repeated by the relay.
func (t *Teller) Tell(ctx context.Context, told chat.Told) (fresh bool, err error) {
	fresh, err = t.Rows.Tell(ctx, told)
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), wakeTimeout)
	defer cancel()
	if err := t.Waker.Wake(ctx, Row{Session: told.Session, Channel: told.Origin, Text: told.Text}); err != nil {
		t.Log.Warn("a session that was told something is woken later", "session", told.Session, "error", err)
	}
	return fresh, nil
}
