package hostrunner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/host/logs"
)

const (
	// deletedEvery is how soon the container and the folders of a deleted user go.
	deletedEvery = 30 * time.Second
	// removeWait is for the engine to remove a container.
	removeWait = time.Minute
)

// removeDeleted removes the containers and folders of users who were deleted, until ctx ends. It asks the database about the folders that
// are there, so nothing is forgotten when the server dies; a folder that the database does not know stays.
func (c *Containers) removeDeleted(ctx context.Context) error {
	ticker, failures := time.NewTicker(deletedEvery), logs.Repeats{}
	defer ticker.Stop()
	for {
		err := c.sweepDeleted(ctx)
		switch {
		case ctx.Err() != nil:
		case err == nil:
			failures.Reset()
		case failures.Changed(err.Error()):
			c.host.Log.Warn("cannot remove the files of deleted users, trying again", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

func (c *Containers) sweepDeleted(ctx context.Context) error {
	users, err := c.withFolders()
	if err != nil || len(users) == 0 {
		return err
	}
	gone, err := c.host.Users.Deleted(ctx, users)
	if err != nil {
		return err
	}
	var failed error
	for _, user := range gone {
		failed = errors.Join(failed, c.remove(ctx, user))
	}
	return failed
}

// withFolders lists the users who have folders here.
func (c *Containers) withFolders() ([]chat.UserID, error) {
	var users []chat.UserID
	for dir, prefix := range map[string]string{"workspaces": "", "runner": containerPrefix} {
		entries, err := os.ReadDir(filepath.Join(c.host.Home, dir))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("look for folders of users: %w", err)
		}
		for _, e := range entries {
			id, ours := strings.CutPrefix(e.Name(), prefix)
			if user, err := strconv.ParseInt(id, 10, 64); ours && err == nil && !slices.Contains(users, chat.UserID(user)) {
				users = append(users, chat.UserID(user))
			}
		}
	}
	return users, nil
}

// remove removes the container of a user, and then their folders: they stay as long as the container may write there.
func (c *Containers) remove(ctx context.Context, user chat.UserID) error {
	c.mu.Lock()
	delete(c.wanted, user)
	c.mu.Unlock()
	id := strconv.FormatInt(int64(user), 10)
	if c.Enabled() {
		ctx, cancel := context.WithTimeout(ctx, removeWait)
		defer cancel()
		if out, err := exec.CommandContext(ctx, c.cfg.Engine, "rm", "--force", "--volumes", c.containerName(id)).CombinedOutput(); err != nil && !strings.Contains(string(out), "No such container") {
			return fmt.Errorf("remove the container of user %s: %w: %s", id, err, strings.TrimSpace(string(out)))
		}
	}
	name := containerPrefix + id
	for _, path := range []string{filepath.Join(c.host.Home, "run", "runner-"+name+".token"), runnerLog(c.host.Home, name), filepath.Join(c.host.Home, "runner", name), filepath.Join(c.host.Home, "workspaces", id)} {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("remove what user %s left: %w", id, err)
		}
	}
	c.host.Log.Info("what a deleted user left on this machine is removed", "user", id)
	return nil
}
