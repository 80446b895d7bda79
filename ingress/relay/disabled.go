package relay

import (
	"context"
	"crypto/rand"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/store"
)

// Disabled stops what runs and waits of people who were shut out.
type Disabled interface {
	DropDisabled(ctx context.Context) error
	DisabledWork(ctx context.Context) ([]store.DisabledWork, error)
	Speaks(ctx context.Context, user chat.UserID, key chat.SessionKey, text string) (i18n.Lang, error)
	Stop(ctx context.Context, in store.Inbound, lang i18n.Lang) (store.Stopped, error)
}

// stopDisabled stops the conversations of people who were shut out, as a press of the stop button does. Whoever shuts somebody out
// need not wait for that, and may die.
func (r *Relay) stopDisabled(ctx context.Context) error {
	if err := r.Store.DropDisabled(ctx); err != nil {
		return err
	}
	work, err := r.Store.DisabledWork(ctx)
	if err != nil {
		return err
	}
	return each(work, func(w store.DisabledWork) error {
		lang, err := r.Store.Speaks(ctx, w.User, w.Session, "")
		if err != nil {
			return err
		}
		stop := store.Inbound{Session: w.Session, User: w.User, Channel: w.Channel, PlatformID: "disabled-" + rand.Text()} // nobody used it before
		got, err := r.Store.Stop(ctx, stop, lang)
		if err != nil || got.Turn == "" {
			return err
		}
		return r.Wakes.Now(ctx, chat.Wake{Kind: chat.WakeTurn, ID: string(w.Session), Channel: w.Channel, User: w.User, Text: "stop"})
	})
}
