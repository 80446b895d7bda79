package main

import (
	"context"
	"os"
	"time"

	"xbot/internal/host/config"
	"xbot/internal/host/localstack"
)

type stopCmd struct {
	Wait time.Duration `default:"2m" placeholder:"DURATION" help:"How long to wait for its end; ${default} unless given."`
}

// Run ends the server of this home in an orderly way; what runs continues with the next start.
func (c stopCmd) Run(ctx context.Context) error {
	cfg, err := load[config.Serve]()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.Wait)
	defer cancel()
	if err := localstack.Stop(ctx, cfg.Dir); err != nil {
		return err
	}
	say(os.Stdout, "The server has ended. What it was doing goes on when it is started again.")
	return nil
}
