package runner

import (
	"context"
	"errors"
	"sync"
	"time"

	"xbot/runner/job"
	"xbot/runner/socket"
	"xbot/runner/wire"
)

// How long a daemon waits for the store to become free.
const (
	storeWaitRun   = time.Second      // a killed daemon's child may hold it between its fork and its execution
	storeWaitServe = 10 * time.Second // the one before may not have noticed yet that its output has no reader
	storeLook      = 50 * time.Millisecond
)

// Serve serves one connection that is there already, until it ends or ctx does; running commands then continue. The first frame it sends identifies it:
// a register frame without a token. Server and Token of cfg are not used.
func Serve(ctx context.Context, cfg Config, t Transport) error {
	d, err := openWhenFree(ctx, cfg, storeWaitServe)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var background sync.WaitGroup
	background.Go(func() { d.maintain(ctx) })
	stop := context.AfterFunc(ctx, func() { t.Close(socket.CodeGoingAway, "the runner is stopping") })
	err = d.serveOver(ctx, t)
	stop()
	cancel()
	background.Wait()
	return errors.Join(err, d.close())
}

func openWhenFree(ctx context.Context, cfg Config, wait time.Duration) (*daemon, error) {
	deadline := time.Now().Add(wait)
	for {
		d, err := open(cfg)
		if !errors.Is(err, job.ErrInUse) || time.Now().After(deadline) {
			return d, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(storeLook):
		}
	}
}

func (d *daemon) serveOver(ctx context.Context, t Transport) error {
	hello, err := wire.NewFrame(0, wire.TypeRegister, wire.Register{Protocol: wire.Version, Info: d.info()})
	if err != nil {
		return err
	}
	if err := t.Send(hello); err != nil {
		return err
	}
	return newSession(d, t).serve(ctx)
}
