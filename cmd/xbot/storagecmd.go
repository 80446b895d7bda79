package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"xbot/internal/fault"
	"xbot/internal/host/config"
	"xbot/internal/storage"
	"xbot/internal/storage/s3"
	"xbot/internal/store"
	"xbot/server"
)

type storageCmd struct {
	Status  storageStatusCmd  `cmd:"" default:"1" help:"Show how many consumer conversations and bytes each place has, and the progress of a migration."`
	Check   storageCheckCmd   `cmd:"" help:"Store, read, list and delete a file in each configured back end."`
	Migrate storageMigrateCmd `cmd:"" help:"Move the files of all consumer conversations to one place, in the background."`
	Stop    storageStopCmd    `cmd:"" help:"Stop the migration. Moved conversations stay where they are."`
}

type storageStatusCmd struct {
	JSON bool `help:"Print JSON."`
}

// storageStatus is the content of a place.
type storageStatus struct {
	Place         string `json:"place"` // runners, disk or s3
	Conversations int64  `json:"conversations"`
	Bytes         int64  `json:"bytes"`
}

// Run prints the content of each place.
func (c storageStatusCmd) Run(ctx context.Context) error {
	return withStore(ctx, func(s *store.Store, cfg config.Serve) error {
		all, deletions, err := s.Storage.Usage(ctx)
		if err != nil {
			return err
		}
		places := []storageStatus{}
		for _, u := range all {
			places = append(places, storageStatus{Place: cmp.Or(u.Storage, "runners"), Conversations: u.Conversations, Bytes: u.Bytes})
		}
		if c.JSON {
			return json.NewEncoder(os.Stdout).Encode(map[string]any{"backend": cfg.StorageBackend, "places": places, "deletions": deletions})
		}
		fmt.Printf("New consumer conversations: %s (STORAGE_BACKEND)\n", cfg.StorageBackend)
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "PLACE\tCONVERSATIONS\tBYTES")
		for _, p := range places {
			fmt.Fprintf(w, "%s\t%d\t%d\n", p.Place, p.Conversations, p.Bytes)
		}
		if err := w.Flush(); err != nil {
			return err
		}
		if deletions > 0 {
			fmt.Printf("Pending deletions: %d\n", deletions)
		}
		return migrationStatus(ctx, s)
	})
}

// migrationStatus prints the progress of the last migration.
func migrationStatus(ctx context.Context, s *store.Store) error {
	m, err := s.Storage.LastMigration(ctx)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	p, err := s.Services.MoveProgress(ctx, m.Target)
	if err != nil {
		return err
	}
	fmt.Printf("Migration %d to %s: %s; %d of %d conversations left\n", m.ID, m.Target, m.State, p.Left, p.Conversations)
	if p.Failed > 0 {
		fmt.Printf("Failed at the last attempt: %d conversations, for example: %s\n", p.Failed, p.Problem)
	}
	if p.Leftovers > 0 {
		fmt.Printf("Copies to remove from runners: %d\n", p.Leftovers)
	}
	return nil
}

type storageMigrateCmd struct {
	To string `required:"" enum:"local,disk,s3" help:"Target: local (runners) | disk | s3."`
}

// Run records the migration. The server starts it.
func (c storageMigrateCmd) Run(ctx context.Context) error {
	return withStore(ctx, func(s *store.Store, cfg config.Serve) error {
		if c.To != storage.Local {
			found, err := checkStorage(ctx, cfg)
			if err != nil {
				return err
			}
			fmt.Println(found)
		}
		if cfg.StorageBackend != c.To {
			fmt.Printf("New consumer conversations still use %s: set STORAGE_BACKEND=%s and restart the server\n", cfg.StorageBackend, c.To)
		}
		id, err := s.Storage.BeginMigration(ctx, c.To)
		if err != nil {
			return err
		}
		fmt.Printf("Migration %d to %s started. The files of a conversation are read-only for about 15 minutes before they move.\n", id, c.To)
		fmt.Println("See its progress with xbot storage, or in the Temporal UI.")
		return nil
	})
}

type storageStopCmd struct{}

// Run stops the running migration.
func (storageStopCmd) Run(ctx context.Context) error {
	return withStore(ctx, func(s *store.Store, _ config.Serve) error {
		m, err := s.Storage.LastMigration(ctx)
		if err != nil {
			return err
		}
		ok, err := s.Storage.EndMigration(ctx, m.ID, storage.MigrationStopped)
		if err != nil {
			return err
		}
		if !ok {
			return fault.Errorf(fault.Conflict, "no migration is running")
		}
		if err := s.Services.UnfreezeServiceStorage(ctx); err != nil {
			return err
		}
		fmt.Printf("Migration %d stopped\n", m.ID)
		return nil
	})
}

type storageCheckCmd struct{}

// Run checks each configured back end.
func (storageCheckCmd) Run(ctx context.Context) error {
	cfg, err := load[config.Serve]()
	if err != nil {
		return err
	}
	found, err := checkStorage(ctx, cfg)
	if err != nil {
		return err
	}
	fmt.Println(found)
	return nil
}

// lookStorage checks the back ends of object storage, and that one is configured for all files that are in one.
func lookStorage(ctx context.Context, _ *installation) (string, error) {
	return fromStore(ctx, func(s *store.Store, cfg config.Serve) (string, error) {
		found, err := checkStorage(ctx, cfg)
		if err != nil {
			return "", err
		}
		all, _, err := s.Storage.Usage(ctx)
		if err != nil {
			return "", err
		}
		for _, u := range all {
			if u.Storage == storage.S3 && cfg.S3Bucket == "" || u.Storage == storage.Disk && cfg.StorageDir == "" && cfg.StorageBackend != storage.Disk {
				return "", fault.Errorf(fault.Unavailable, "the files of %d conversations are in storage %q, which is not configured: set its settings again", u.Conversations, u.Storage)
			}
		}
		return found, nil
	})
}

// checkStorage checks each configured back end, and returns a sentence.
func checkStorage(ctx context.Context, cfg config.Serve) (string, error) {
	backends, closeAll, err := server.OpenStorage(cfg.Storage, cfg.Dir)
	if err != nil {
		return "", err
	}
	defer closeAll()
	var passed []string
	for _, name := range backends.Names() {
		if err := storage.Check(ctx, backends[name]); err != nil {
			if cause := s3.Cause(err); cause != nil {
				return "", fmt.Errorf("%s: %w (%w)", name, err, cause)
			}
			return "", fmt.Errorf("%s: %w", name, err)
		}
		passed = append(passed, name)
	}
	if len(passed) == 0 {
		return "files of consumer conversations are on runners (STORAGE_BACKEND=local)", nil
	}
	return fmt.Sprintf("a file could be stored, read, listed and deleted in: %s; new consumer conversations use %s", strings.Join(passed, ", "), cfg.StorageBackend), nil
}
