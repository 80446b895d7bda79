package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"xbot/runner/model"
)

// Config is what a daemon needs to know.
type Config struct {
	Server    string                 // ws:// or wss:// address of the server's connect endpoint
	Token     func() (string, error) // asked at each connection, so that a renewed token file counts
	Name      string                 // as the owner calls this runner; empty means as the token says
	State     string                 // folder of the job store; one daemon for one folder
	Workspace string                 // where relative paths start and commands run; must exist
	Deny      []string               // folders that file operations refuse and, where possible, commands cannot see
	Confine   string                 // ConfineAuto, ConfineRequire or ConfineOff
	Model     *model.Model           // that the owner offers to their own turns; nil if none
	Version   string                 // of the program
	Log       *slog.Logger
}

// What to do about hiding denied folders from commands.
const (
	ConfineAuto    = "auto"    // if the system can; if not, say so
	ConfineRequire = "require" // do not start if the system cannot
	ConfineOff     = "off"
)

// check makes folders absolute and refuses what cannot work. The state folder is always denied.
func (c *Config) check() error {
	workspace, err := filepath.Abs(c.Workspace)
	if err != nil {
		return err
	}
	info, err := os.Stat(workspace)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the workspace %s does not exist: make it or choose another with --workspace", workspace)
	case err != nil:
		return fmt.Errorf("the workspace cannot be used: %w", err)
	case !info.IsDir():
		return fmt.Errorf("the workspace %s is not a folder: choose another with --workspace", workspace)
	}
	c.Workspace = workspace
	if c.State, err = filepath.Abs(c.State); err != nil {
		return err
	}
	c.Deny = append([]string{c.State}, c.Deny...)
	for i, dir := range c.Deny {
		if c.Deny[i], err = filepath.Abs(dir); err != nil {
			return err
		}
	}
	return nil
}
