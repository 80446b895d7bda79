package sandbox

import (
	"context"
	"time"
)

// LastingWait is how long an operation waits for its runner before that is reported.
const LastingWait = 3 * time.Second

type waitingKey struct{}

// WithWaitObserver returns a context whose operations call observe(runner, true) after they have waited for their runner for LastingWait, and
// observe(runner, false) when that wait ends.
func WithWaitObserver(ctx context.Context, observe func(runner string, waits bool)) context.Context {
	return context.WithValue(ctx, waitingKey{}, observe)
}

// waiting reports a wait for a runner that begins, until the returned function is called.
func waiting(ctx context.Context, runner string) (over func()) {
	observe, ok := ctx.Value(waitingKey{}).(func(string, bool))
	if !ok {
		return func() {}
	}
	reported := make(chan struct{}) // closed after the first report
	timer := time.AfterFunc(LastingWait, func() {
		defer close(reported)
		observe(runner, true)
	})
	return func() {
		if timer.Stop() {
			return
		}
		<-reported
		observe(runner, false)
	}
}

// Unnamed returns a context whose operations report their waits without the name of the runner, for users who must not learn it.
func Unnamed(ctx context.Context) context.Context {
	observe, ok := ctx.Value(waitingKey{}).(func(string, bool))
	if !ok {
		return ctx
	}
	if named, _ := ctx.Value(unnamedKey{}).(bool); named {
		return ctx
	}
	return context.WithValue(WithWaitObserver(ctx, func(_ string, waits bool) { observe("its files", waits) }), unnamedKey{}, true)
}

type unnamedKey struct{}
