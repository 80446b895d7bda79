package sandbox

import (
	"context"
	"time"
)

// LastingWait is how long an operation waits for its runner before that is reported.
const LastingWait = 3 * time.Second

type waitingKey struct{}

// WithWaitObserver returns a context whose operations call tell(runner, true) when they have waited for their runner for a while, and then
// tell(runner, false) when the wait ends.
func WithWaitObserver(ctx context.Context, tell func(runner string, waits bool)) context.Context {
	return context.WithValue(ctx, waitingKey{}, tell)
}

// waiting reports a wait for a runner that begins, until the returned function is called.
func waiting(ctx context.Context, runner string) (over func()) {
	tell, ok := ctx.Value(waitingKey{}).(func(string, bool))
	if !ok {
		return func() {}
	}
	told := make(chan struct{}) // closed after the first report
	timer := time.AfterFunc(LastingWait, func() {
		defer close(told)
		tell(runner, true)
	})
	return func() {
		if timer.Stop() {
			return
		}
		<-told
		tell(runner, false)
	}
}

// Unnamed returns a context whose operations report their waits without the name of the runner, for users who must not learn it.
func Unnamed(ctx context.Context) context.Context {
	tell, ok := ctx.Value(waitingKey{}).(func(string, bool))
	if !ok {
		return ctx
	}
	if named, _ := ctx.Value(unnamedKey{}).(bool); named {
		return ctx
	}
	return context.WithValue(WithWaitObserver(ctx, func(_ string, waits bool) { tell("its files", waits) }), unnamedKey{}, true)
}

type unnamedKey struct{}
