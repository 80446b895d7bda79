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
	Status storageStatusCmd `cmd:"" default:"1" help:"Show where files of consumer conversations are, and how much."`
	Check  storageCheckCmd  `cmd:"" help:"Store, read, list and delete a file in each configured back end."`
}

type storageStatusCmd struct {
	JSON bool `help:"Print JSON."`
}

// storageStatus is how much a place has.
type storageStatus struct {
	Place         string `json:"place"` // runners, disk or s3
	Conversations int64  `json:"conversations"`
	Bytes         int64  `json:"bytes"`
}

// Run prints the places.
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
			fmt.Printf("Deletions that wait: %d\n", deletions)
		}
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
	var works []string
	for _, name := range backends.Names() {
		if err := storage.Check(ctx, backends[name]); err != nil {
			if cause := s3.Cause(err); cause != nil {
				return "", fmt.Errorf("%s: %w (%w)", name, err, cause)
			}
			return "", fmt.Errorf("%s: %w", name, err)
		}
		works = append(works, name)
	}
	if len(works) == 0 {
		return "files of consumer conversations are on runners (STORAGE_BACKEND=local)", nil
	}
	return fmt.Sprintf("a file could be stored, read, listed and deleted in: %s; new consumer conversations use %s", strings.Join(works, ", "), cfg.StorageBackend), nil
}
