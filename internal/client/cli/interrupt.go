package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"time"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

var (
	errInterrupted = errors.New("interrupted")
	errNoAnswer    = errors.New("no answer")
	errWaiting     = errors.New("a call waits for permission")
)

// interruptible returns a context that ends, with errInterrupted, at the second Ctrl-C; the first one calls stop, in a separate goroutine that ends
// with the context, and is enough where stop finds nothing to stop. The caller calls release when it has no more to interrupt.
func interruptible(ctx context.Context, stop func(context.Context) (found bool)) (inner context.Context, release func()) {
	inner, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2) // a third Ctrl-C adds nothing
	signal.Notify(signals, os.Interrupt)
	go func() {
		for pressed := 0; ; pressed++ {
			select {
			case <-inner.Done():
				return
			case <-signals:
			}
			if pressed > 0 {
				cancel(errInterrupted)
				return
			}
			go func() {
				if !stop(inner) {
					cancel(errInterrupted)
				}
			}()
		}
	}()
	return inner, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

// stopTurn asks the server to stop what runs in a session, until the server has heard it or ctx ends.
func stopTurn(ctx context.Context, client *apiclient.Client, key chat.SessionKey) error {
	for {
		_, err := client.StopTurn(ctx, key)
		if err == nil || ctx.Err() != nil {
			return err
		}
		timer := time.NewTimer(time.Second)
		select {
		case <-ctx.Done():
			timer.Stop()
			return err
		case <-timer.C:
		}
	}
}
