package main

import (
	"context"
	"os"

	"xbot/internal/config"
	"xbot/server"
)

type serveCmd struct{}

// Run runs everything in one process until it is told to stop.
func (serveCmd) Run(ctx context.Context) error { return run(ctx, server.Serve) }

type ingressCmd struct{}

// Run serves people until the process is told to stop.
func (ingressCmd) Run(ctx context.Context) error { return run(ctx, server.Ingress) }

type workerCmd struct{}

// Run polls for work until the process is told to stop.
func (workerCmd) Run(ctx context.Context) error { return run(ctx, server.Worker) }

// run reads the settings of a process and runs it.
func run[C any](ctx context.Context, process func(context.Context, C, string) error) error {
	cfg, err := config.Load[C](os.Environ())
	if err != nil {
		return err
	}
	return process(ctx, cfg, version)
}
