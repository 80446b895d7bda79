package hostrunner

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/sandbox/resolver"
)

// WishStore tells the other process.
type WishStore interface {
	Holder(ctx context.Context, runner string) (holder string, epoch int64, ok bool, err error)
	WantContainer(ctx context.Context, user chat.UserID) error
}

// Wishes asks the process that keeps containers, from one that does not.
type Wishes struct {
	Store WishStore
	Image string // of containers; empty: there are none
}

var _ resolver.Docker = Wishes{}

// Enabled reports whether the server offers containers.
func (w Wishes) Enabled() bool { return w.Image != "" }

// Want tells the wish unless the container is connected.
func (w Wishes) Want(ctx context.Context, user chat.UserID) error {
	_, _, connected, err := w.Store.Holder(ctx, string(resolver.ID(user, resolver.Container)))
	if err != nil || connected {
		return err
	}
	return w.Store.WantContainer(ctx, user)
}
