package intake

import (
	"context"

	"xbot/ingress/wake"
	"xbot/internal/chat"
)

// fetch has the files of a message fetched, without keeping its sender waiting: the rows are committed.
func (d *Dispatch) fetch(ctx context.Context, in Inbound, id chat.InboxID) {
	ctx = context.WithoutCancel(ctx)
	d.wakes.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, wake.Timeout)
		defer cancel()
		if err := d.Starter.StartFetch(ctx, id); err != nil {
			d.Log.Warn("files not fetched, the relay tries again", "session", in.Session, "error", err)
		}
	})
}
