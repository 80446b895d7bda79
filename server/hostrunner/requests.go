package hostrunner

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/sandbox/resolver"
)

// RequestStore keeps requests for containers, and knows which process holds the connection of a runner.
type RequestStore interface {
	Holder(ctx context.Context, runner string) (holder string, epoch int64, ok bool, err error)
	WantContainer(ctx context.Context, user chat.UserID) error
}

// ContainerRequests asks for containers from a process that does not run them itself.
type ContainerRequests struct {
	Store RequestStore
	Image string // of containers; empty: there are none
}

var _ resolver.Docker = ContainerRequests{}

// Enabled reports whether the server offers containers.
func (w ContainerRequests) Enabled() bool { return w.Image != "" }

// Want records the request unless the container is connected.
func (w ContainerRequests) Want(ctx context.Context, user chat.UserID) error {
	_, _, connected, err := w.Store.Holder(ctx, string(resolver.ID(user, resolver.Container)))
	if err != nil || connected {
		return err
	}
	return w.Store.WantContainer(ctx, user)
}
