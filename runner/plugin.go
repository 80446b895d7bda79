package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"xbot/runner/confine"
	"xbot/runner/job"
	"xbot/runner/wire"
)

// startPlugin starts a process of a plugin and passes on what it writes until it ends. When ctx ends so does the process.
func (d *daemon) startPlugin(ctx context.Context, r wire.PluginStart, push func(any) error) (any, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if d.cfg.Plugins == "" {
		return nil, wire.Errorf(wire.Denied, "this runner runs no plugins")
	}
	if d.method == confine.None && d.cfg.Confine != ConfineOff {
		return nil, wire.Errorf(wire.Unavailable, "plugins cannot be confined on this system (%s), so none is started", strings.TrimPrefix(d.confinement, "none: "))
	}
	code, data, err := d.pluginFolders(r)
	if err != nil {
		return nil, err
	}
	policy, err := d.pluginPolicy(r, code, data)
	if err != nil {
		return nil, err
	}
	env := withEnv(d.env, []string{"HOME=" + data, "TMPDIR=" + filepath.Join(data, "tmp"), "XBOT_PLUGIN_DATA=" + data})
	return d.talk(ctx, r.ID, job.Spec{
		Command: "exec " + quoteAll(r.Args), Dir: code, Env: withEnv(env, r.Env), Confine: string(d.method), Policy: policy, KeepFree: d.cfg.KeepFree,
	}, push)
}

// pluginFolders finds the folder of a plugin's files, and makes that of its data.
func (d *daemon) pluginFolders(r wire.PluginStart) (code, data string, err error) {
	root, err := filepath.EvalSymlinks(d.cfg.Plugins)
	if err != nil {
		return "", "", wire.Errorf(wire.NotFound, "the folder of plugins cannot be used: %v", err)
	}
	code, data = filepath.Join(root, "code", r.Plugin, r.Digest), filepath.Join(root, "data", r.Plugin, strconv.FormatInt(r.Data, 10))
	if info, err := os.Lstat(code); err != nil || !info.IsDir() {
		return "", "", wire.Errorf(wire.NotFound, "the files of the plugin %s are not on the machine of this runner", r.Plugin)
	}
	if err := os.MkdirAll(filepath.Join(data, "tmp"), 0o700); err != nil {
		return "", "", wire.Errorf(wire.Unavailable, "the folder for the data of the plugin %s cannot be made: %v", r.Plugin, err)
	}
	return code, data, nil
}

// Limits of each process of a plugin, in bytes, where those of commands are not lower.
const (
	pluginMemory = 1 << 30
	pluginFile   = 1 << 30
)

// lower returns the lower one of two limits, of which 0 is none.
func lower(limit, most uint64) uint64 {
	if limit == 0 {
		return most
	}
	return min(limit, most)
}

// pluginPolicy returns that of commands, but narrower: nothing is writable but its data, and users' files on this machine are hidden unless it may read
// files.
func (d *daemon) pluginPolicy(r wire.PluginStart, code, data string) (confine.Policy, error) {
	p := d.currentPolicy()
	p.Write, p.Show, p.Offline = []string{data}, []string{code, data}, !r.Network
	p.Limits.Memory, p.Limits.FileSize = lower(p.Limits.Memory, pluginMemory), lower(p.Limits.FileSize, pluginFile)
	if r.Files {
		return p, nil
	}
	private, err := foldersOfPeople(d.policy.Write)
	if err != nil {
		return p, err
	}
	hide, held, err := confine.Hold(private)
	if err != nil {
		return p, wire.Errorf(wire.Unavailable, "a folder that the plugin must not see cannot be looked at: %v", err)
	}
	for _, f := range held {
		_ = f.Close() // nothing was written through it
	}
	hide = append(hide, p.Hide...)
	slices.SortFunc(hide, func(a, b confine.Hidden) int { return strings.Compare(a.Path, b.Path) }) // what holds others comes first
	p.Hide = hide
	return p, nil
}

// placesOfPeople hold, on every machine, the files of users, not of the system: homes, served files, and mounted disks.
var placesOfPeople = []string{"/home", "/root", "/srv", "/mnt", "/media"}

// foldersOfPeople returns those that a plugin must not see unless it may read files, with links followed: the writable folders of commands, the homes of
// the user who runs this runner, and placesOfPeople.
func foldersOfPeople(writable []string) ([]string, error) {
	registered, err := registeredHome()
	if err != nil {
		return nil, wire.Errorf(wire.Unavailable, "the home folder that the plugin must not see cannot be found: %v", err)
	}
	var out []string
	for _, dir := range slices.Concat(writable, []string{os.Getenv("HOME"), registered}, placesOfPeople) {
		real, err := filepath.EvalSymlinks(dir)
		switch {
		case dir == "" || os.IsNotExist(err):
			continue
		case err != nil:
			return nil, wire.Errorf(wire.Unavailable, "a folder that the plugin must not see cannot be looked at: %v", err)
		case real == "/":
			return nil, wire.Errorf(wire.Unavailable, "a plugin without the permission files must not see the files of people, and %s is all of this machine: choose another workspace or home folder", dir)
		case !slices.Contains(out, real):
			out = append(out, real)
		}
	}
	return out, nil
}

// registeredHome returns the home folder that the system has for the user of this process, which HOME need not be. Empty: it has none, or the
// whole machine for it, as for users of services: then there is no home to hide.
func registeredHome() (string, error) {
	known, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if _, unknown := errors.AsType[user.UnknownUserIdError](err); unknown || errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if filepath.Clean(known.HomeDir) == "/" {
		return "", nil
	}
	return known.HomeDir, nil
}

// pluginFolder makes the folder of plugins, which has to be there before it is hidden.
func (c *Config) pluginFolder() error {
	var err error
	if c.Plugins, err = filepath.Abs(c.Plugins); err != nil {
		return err
	}
	if err := os.MkdirAll(c.Plugins, 0o700); err != nil {
		return fmt.Errorf("make the folder of plugins: %w", err)
	}
	c.Deny = append(c.Deny, c.Plugins)
	return nil
}
