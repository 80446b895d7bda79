package relay

import (
	"context"
	"crypto/rand"

	"xbot/internal/chat"
	"xbot/internal/turn/engine"
	"xbot/internal/user/users"
)

// stopDisabled stops the conversations of disabled users, as a press of the stop button does. The process that disables a user
// need not wait for that, and may die.
func (r *Relay) stopDisabled(ctx context.Context) error {
	if err := r.Inbox.DropDisabled(ctx); err != nil {
		return err
	}
	work, err := r.Users.DisabledWork(ctx)
	if err != nil {
		return err
	}
	return each(work, func(w users.DisabledWork) error {
		lang, err := r.Users.Speaks(ctx, w.User, w.Session, "")
		if err != nil {
			return err
		}
		stop := engine.NewRow{Session: w.Session, User: w.User, Channel: w.Channel, PlatformID: "disabled-" + rand.Text()} // a new id
		got, err := r.Turns.Stop(ctx, stop, lang)
		if err != nil || got.Turn == "" {
			return err
		}
		return r.Wakes.Now(ctx, chat.Wake{Kind: chat.WakeTurn, ID: string(w.Session), Channel: w.Channel, User: w.User, Text: "stop"})
	})
}
