package pg

import (
	"context"

	"xbot/internal/chat"
)

type actingKey struct{}

// Acting returns a context whose transactions record a user as the author of changed settings (the table changes). Without one the author is
// the user whom the change names, else the owner of the setting.
func Acting(ctx context.Context, user chat.UserID) context.Context {
	return context.WithValue(ctx, actingKey{}, user)
}

func acting(ctx context.Context) chat.UserID {
	user, _ := ctx.Value(actingKey{}).(chat.UserID)
	return user
}

type narrowKey struct{}

// Narrowly returns a context of a request with fewer permissions than its user: its token administers nothing.
func Narrowly(ctx context.Context) context.Context { return context.WithValue(ctx, narrowKey{}, true) }

// Narrow reports whether the request of a context has fewer permissions than its user.
func Narrow(ctx context.Context) bool { return ctx.Value(narrowKey{}) != nil }
