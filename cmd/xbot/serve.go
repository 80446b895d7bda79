package main

import (
	"context"
	"errors"

	"xbot/server"
)

type serveCmd struct{}

// Run runs everything in one process until ctx ends.
func (serveCmd) Run(ctx context.Context) error { return run(ctx, server.Open) }

type ingressCmd struct{}

// Run serves users until ctx ends.
func (ingressCmd) Run(ctx context.Context) error { return run(ctx, server.OpenIngress) }

type workerCmd struct{}

// Run polls for work until ctx ends.
func (workerCmd) Run(ctx context.Context) error { return run(ctx, server.OpenWorker) }

// run reads the settings of a process and runs it.
func run[C any](ctx context.Context, open func(context.Context, C, string) (*server.Server, error)) error {
	cfg, err := load[C]()
	if err != nil {
		return err
	}
	s, err := open(ctx, cfg, version)
	if err != nil {
		return unlessStopped(ctx, err)
	}
	defer s.Close()
	return unlessStopped(ctx, s.Run(ctx))
}

// unlessStopped returns an error, unless it only means that ctx has ended.
func unlessStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
