package sandbox

import (
	"context"
	"time"
)

// LastingWait is how long an operation waits for its runner before that is told.
const LastingWait = 3 * time.Second

type waitingKey struct{}

// TellWaits returns a context whose operations tell that they wait for their runner, once that lasts, and then that the wait is over.
// The two are told one after the other.
func TellWaits(ctx context.Context, tell func(runner string, waits bool)) context.Context {
	return context.WithValue(ctx, waitingKey{}, tell)
}

// waiting tells of a wait for a runner that begins, until the returned function is called.
func waiting(ctx context.Context, runner string) (over func()) {
	tell, ok := ctx.Value(waitingKey{}).(func(string, bool))
	if !ok {
		return func() {}
	}
	told := make(chan struct{}) // closed once it was told
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

// Unnamed returns a context whose operations tell of their waits without the name of the runner, for those who are not to know it.
func Unnamed(ctx context.Context) context.Context {
	tell, ok := ctx.Value(waitingKey{}).(func(string, bool))
	if !ok {
		return ctx
	}
	if named, _ := ctx.Value(unnamedKey{}).(bool); named {
		return ctx
	}
	return context.WithValue(TellWaits(ctx, func(_ string, waits bool) { tell("its files", waits) }), unnamedKey{}, true)
}

type unnamedKey struct{}
