package container

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// The labels of our containers.
const (
	LabelState  = "xbot.state"  // folder of the job store: a container belongs to one
	LabelConfig = "xbot.config" // hash of everything that the container was made with
)

// cpuPeriod is the period in microseconds of which a container gets its share. A share over what the machine has is no
// error this way.
const cpuPeriod = 100_000

// createArgs returns the arguments that make a container, without its labels and name.
func (c *Config) createArgs(program string) []string {
	l := c.Limits
	args := []string{
		"--hostname", "xbot", "--user", c.User, "--workdir", InsideWorkspace, "--entrypoint", insideProgram,
		"--env", "HOME=" + InsideWorkspace, "--env", "LANG=C.UTF-8",
		"--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--ipc", "private",
		"--network", l.Network, "--memory", l.Memory, "--memory-swap", l.Memory, "--pids-limit", fmt.Sprint(l.PIDs),
		"--cpu-period", fmt.Sprint(cpuPeriod), "--cpu-quota", fmt.Sprint(int(l.CPUs * cpuPeriod)), "--ulimit", "core=0",
	}
	for _, dir := range []string{"/tmp", "/var/tmp"} { // programs are built and tried in them
		args = append(args, "--tmpfs", dir+":rw,exec,nosuid,nodev,mode=1777,size="+l.Temp)
	}
	return append(args,
		"--mount", mount(c.onHost(program), insideProgram, true),
		"--mount", mount(c.onHost(c.storeDir()), InsideState, false),
		"--mount", mount(c.onHost(c.Workspace), InsideWorkspace, false),
		c.Image, pauseVerb,
	)
}

// mount describes a bind mount, in the engine's comma-separated way.
func mount(from, to string, readOnly bool) string {
	fields := []string{"type=bind", "source=" + from, "target=" + to}
	if readOnly {
		fields = append(fields, "readonly")
	}
	var line strings.Builder
	w := csv.NewWriter(&line)
	_ = w.Write(fields) // a builder takes everything
	w.Flush()
	return strings.TrimSuffix(line.String(), "\n")
}

// storeDir returns the folder of this machine that is the job store inside. It outlives the container, so that the commands
// of a removed one are known to be lost.
func (c *Config) storeDir() string { return filepath.Join(c.State, "store") }

// prepare makes the folders that the container needs and returns its arguments with their hash.
func (c *Config) prepare() (args []string, hash string, err error) {
	program, err := c.installProgram()
	if err != nil {
		return nil, "", err
	}
	args = c.createArgs(program)
	hashed := append([]string{}, args...)
	for _, dir := range []string{c.storeDir(), c.Workspace} {
		node, err := c.own(dir)
		if err != nil {
			return nil, "", err
		}
		hashed = append(hashed, fmt.Sprint(node)) // a folder that was deleted and created is another one, although its name is the same
	}
	return args, hashOf(hashed...), nil
}

// own makes a folder for the container's user and returns which file it is. A folder that is there stays whose it is.
func (c *Config) own(dir string) (node uint64, err error) {
	var uid, gid int
	if _, err := fmt.Sscanf(c.User, "%d:%d", &uid, &gid); err != nil {
		return 0, err
	}
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return 0, fmt.Errorf("make a folder for the container: %w", err)
		}
		if os.Getuid() == 0 {
			if err := os.Chown(dir, uid, gid); err != nil {
				return 0, fmt.Errorf("give %s to the container's user: %w", dir, err)
			}
		}
		info, err = os.Stat(dir)
	}
	if err != nil {
		return 0, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, fmt.Errorf("the owner of %s cannot be told on this system", dir)
	}
	if int(stat.Uid) != uid && info.Mode().Perm()&0o002 == 0 {
		return 0, fmt.Errorf("the folder %s belongs to uid %d, but the container's user is %s and could not write there: chown it, or choose the user with --user", dir, stat.Uid, c.User)
	}
	return stat.Ino, nil
}

// ensure makes the container as configured and starts it. busy reports whether commands run in it: a container made with another configuration is
// replaced only when none does.
func (c *Config) ensure(ctx context.Context, e engine, busy func(context.Context) (bool, error)) (stale bool, err error) {
	args, hash, err := c.prepare()
	if err != nil {
		return false, err
	}
	is, err := e.inspect(ctx, c.Name)
	if err != nil {
		return false, err
	}
	if is.Created && is.Labels[LabelState] != c.State {
		return false, fmt.Errorf("there is a container %s that does not belong to this runner (its state folder is %q): remove it, or choose another --name", c.Name, is.Labels[LabelState])
	}
	if is.Created && is.Labels[LabelConfig] != hash {
		if is.State.Running {
			if stale, err = busy(ctx); err != nil || stale {
				return stale, err
			}
		}
		if err := e.remove(ctx, c.Name); err != nil {
			return false, err
		}
		is = engineContainer{}
	}
	if !is.Created {
		labels := []string{"create", "--name", c.Name, "--label", LabelState + "=" + c.State, "--label", LabelConfig + "=" + hash}
		if _, err := e.run(ctx, pullWait, append(labels, args...)...); err != nil {
			return false, err
		}
		c.removeOldPrograms()
	}
	if is.State.Running {
		return false, nil
	}
	return false, e.start(ctx, c.Name)
}
