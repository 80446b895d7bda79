package pg

import (
	"context"

	"xbot/internal/chat"
)

type actingKey struct{}

// Acting returns a context whose transactions note a user as who changed settings (the table changes). Without one it is who the
// change itself names, else whose setting it is.
func Acting(ctx context.Context, user chat.UserID) context.Context {
	return context.WithValue(ctx, actingKey{}, user)
}

func acting(ctx context.Context) chat.UserID {
	user, _ := ctx.Value(actingKey{}).(chat.UserID)
	return user
}

type narrowKey struct{}

// Narrowly returns a context of a request that may less than its person: its token administers nothing.
func Narrowly(ctx context.Context) context.Context { return context.WithValue(ctx, narrowKey{}, true) }

// Narrow reports whether the request of a context may less than its person.
func Narrow(ctx context.Context) bool { return ctx.Value(narrowKey{}) != nil }
