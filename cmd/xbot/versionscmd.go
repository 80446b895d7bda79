package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"go.temporal.io/sdk/client"

	"xbot/internal/fault"
	"xbot/internal/host/config"
	"xbot/internal/host/localstack"
	"xbot/internal/host/temporalclient"
	"xbot/server"
	"xbot/worker"
)

type versionsCmd struct {
	List    versionsListCmd    `cmd:"" default:"1" help:"List the versions of workers."`
	Promote versionsPromoteCmd `cmd:"" help:"Route new workflows to a version."`
}

// promotion is how long one change of the current version may take.
const promotion = 30 * time.Second

// deployment opens our workers as Temporal knows them.
func deployment(ctx context.Context, do func(context.Context, client.WorkerDeploymentHandle) error) error {
	cfg, err := load[config.Serve]()
	if err != nil {
		return err
	}
	to := temporalclient.Config{Address: cfg.Address, Namespace: cfg.Namespace}
	if cfg.Address == "" {
		e, err := localstack.Read(cfg.Dir)
		if err != nil {
			return fault.Errorf(fault.Unavailable, "there is no local Temporal in %s; set TEMPORAL_ADDRESS, or start \"xbot serve\" first", cfg.Dir)
		}
		to = server.LocalTemporal(e)
	}
	to.Log = slog.New(slog.DiscardHandler)
	c, err := temporalclient.New(to)
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, promotion)
	defer cancel()
	return do(ctx, c.WorkerDeploymentClient().GetHandle(worker.Deployment))
}

type versionsListCmd struct{}

// Run prints what Temporal knows of our workers.
func (versionsListCmd) Run(ctx context.Context) error {
	return deployment(ctx, func(ctx context.Context, d client.WorkerDeploymentHandle) error {
		known, err := d.Describe(ctx, client.WorkerDeploymentDescribeOptions{})
		if err != nil {
			return fmt.Errorf("no worker had a version here yet (XBOT_WORKER_VERSIONING=on gives it one): %w", err)
		}
		return printVersions(os.Stdout, known.Info)
	})
}

func printVersions(to io.Writer, d client.WorkerDeploymentInfo) error {
	return table(to, "VERSION\tSINCE\tSTATE", d.VersionSummaries, func(v client.WorkerDeploymentVersionSummary) []any {
		return []any{v.Version.BuildID, v.CreateTime.Local().Format(time.DateTime), stateOfVersion(d, v)}
	})
}

// stateOfVersion describes whether workers of a version are still needed.
func stateOfVersion(d client.WorkerDeploymentInfo, v client.WorkerDeploymentVersionSummary) string {
	if current := d.RoutingConfig.CurrentVersion; current != nil && *current == v.Version {
		return "current: takes what is new"
	}
	switch v.DrainageStatus {
	case client.WorkerDeploymentVersionDrainageStatusDraining:
		return "draining: keep its workers, what it began is not over"
	case client.WorkerDeploymentVersionDrainageStatusDrained:
		return "drained: its workers can be stopped"
	}
	return "never current: xbot versions promote " + v.Version.BuildID
}

type versionsPromoteCmd struct {
	Build string `arg:"" help:"Version, as xbot versions prints it; a worker of this version must be running."`
}

// Run makes a version the current one.
func (c versionsPromoteCmd) Run(ctx context.Context) error {
	return deployment(ctx, func(ctx context.Context, d client.WorkerDeploymentHandle) error {
		if _, err := d.SetCurrentVersion(ctx, client.WorkerDeploymentSetCurrentVersionOptions{BuildID: c.Build}); err != nil {
			return fmt.Errorf("version %s does not take over (is a worker of it running with XBOT_WORKER_VERSIONING=on?): %w", c.Build, err)
		}
		fmt.Printf("Version %s takes what is new. What was begun before stays with its workers: see xbot versions.\n", c.Build)
		return nil
	})
}
