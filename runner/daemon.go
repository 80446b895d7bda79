package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"xbot/runner/confine"
	"xbot/runner/connect"
	"xbot/runner/files"
	"xbot/runner/job"
	"xbot/runner/socket"
	"xbot/runner/wire"
)

// pruneEvery is how often old jobs are looked for.
const pruneEvery = time.Hour

// daemon serves requests, over one connection after the other.
type daemon struct {
	cfg            Config
	store          *job.Store
	files          *files.Tree
	env            []string // of commands
	stdioProcesses stdioProcesses
	log            *slog.Logger

	method      confine.Method // builds the sandbox around commands
	policy      confine.Policy // what commands may see and change
	held        []*os.File     // the folders that they must not see
	servers     []string       // those of them that belong to other servers and runners
	confinement string         // the same for users
	refusal     error          // why no command starts; nil: commands start
}

// Run serves until ctx ends; running commands then continue without it. job.ErrInUse means that another daemon has the
// state folder.
func Run(ctx context.Context, cfg Config) error {
	if err := connect.CheckAddress(cfg.Server); err != nil {
		return err
	}
	d, err := openWhenFree(ctx, cfg, storeWaitRun)
	if err != nil {
		return err
	}
	var background sync.WaitGroup
	background.Go(func() { d.maintain(ctx) })
	d.log.Info("runner started",
		"workspace", d.cfg.Workspace, "state", d.cfg.State, "store", d.store.ID(), "confinement", d.confinement)
	connect.Stay(ctx, connect.Config{Server: d.cfg.Server, Token: d.cfg.Token, Log: d.log, Runner: d})
	background.Wait()
	d.log.Info("runner stopped; running commands go on")
	return d.close()
}

// Info implements connect.Runner. The server that is about to answer may have started since the last time, so its files are looked for. Between two
// connections nothing else uses the policy.
func (d *daemon) Info(context.Context) (wire.Info, error) {
	if err := d.hideServers(); err != nil {
		return wire.Info{}, err
	}
	return d.info(), nil
}

// hideServers hides the files of servers and runners of this user that are not hidden yet.
func (d *daemon) hideServers() error {
	found := unknown(serverFiles(), d.files.Denied())
	if len(found) == 0 {
		return nil
	}
	hide, held, err := confine.Hold(found)
	if err != nil {
		return err
	}
	d.held, d.servers = append(d.held, held...), append(d.servers, found...)
	d.markOptional(hide)
	if err := d.files.Deny(found); err != nil {
		return fmt.Errorf("hide the files of another server or runner of this user: %w", err)
	}
	d.policy.Hide = slices.SortedFunc(slices.Values(slices.Concat(d.policy.Hide, hide)), func(a, b confine.Hidden) int {
		return strings.Compare(a.Path, b.Path) // what holds others comes first
	})
	d.log.Info("the files of a server or runner of this user are hidden", "paths", found)
	d.warnVisible(hide)
	return nil
}

// warnVisible logs the files of other servers that commands can read, since Landlock alone hides nothing in a writable folder.
func (d *daemon) warnVisible(hide []confine.Hidden) {
	for _, h := range hide {
		inFolder := func(dir string) bool { return strings.HasPrefix(h.Path+"/", strings.TrimSuffix(dir, "/")+"/") }
		if d.method == confine.Landlock && h.Optional && slices.ContainsFunc(d.policy.Write, inFolder) {
			d.log.Warn("commands can read the files of another server or runner, which lie in a writable folder: move them, or allow user namespaces", "path", h.Path)
		}
	}
}

// markOptional marks the files of other servers and runners: commands start also where these cannot be hidden.
func (d *daemon) markOptional(hide []confine.Hidden) {
	for i := range hide {
		hide[i].Optional = slices.Contains(d.servers, hide[i].Path)
		hide[i].Foreign = hide[i].Optional
	}
}

// currentPolicy returns the policy of a command that starts now. Where another server's folder was removed, anything now under its name is hidden. One
// that was renamed has to be put back, as those of this runner.
func (d *daemon) currentPolicy() confine.Policy {
	p := d.policy
	p.Hide = slices.Clone(p.Hide)
	for i, h := range p.Hide {
		at := slices.IndexFunc(d.held, func(f *os.File) bool { return f.Name() == h.Path })
		if at < 0 || !slices.Contains(d.servers, h.Path) {
			continue
		}
		held, err := d.held[at].Stat()
		if err != nil {
			continue
		}
		now, err := os.Lstat(h.Path)
		st, ok := held.Sys().(*syscall.Stat_t)
		isThere := err == nil && os.SameFile(held, now)
		switch {
		case !isThere && ok && st.Nlink == 0:
			p.Hide[i] = confine.Hidden{Path: h.Path, Optional: true}
		case !isThere:
			p.Hide[i].Foreign = false
		}
	}
	return p
}

// unknown returns the paths, with links followed, that neither are nor lie in folders that are known, or in each other.
func unknown(paths, known []string) []string {
	var out []string
	for _, path := range paths {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		out = append(out, path)
	}
	slices.Sort(out)
	isIn := func(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }
	var outer []string
	for _, path := range out {
		holds := func(dir string) bool { return isIn(path, dir) }
		if !slices.ContainsFunc(known, holds) && !slices.ContainsFunc(outer, holds) {
			outer = append(outer, path)
		}
	}
	return outer
}

// Serve implements connect.Runner.
func (d *daemon) Serve(ctx context.Context, sock *socket.Socket) error {
	return newSession(d, sock).serve(ctx)
}

func open(cfg Config) (*daemon, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	store, err := job.Open(cfg.State)
	if err != nil {
		return nil, fmt.Errorf("open the job store %s: %w", cfg.State, err)
	}
	found := unknown(serverFiles(), cfg.Deny)
	tree, err := files.Open(cfg.Workspace, slices.Concat(cfg.Deny, found), cfg.State)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	if cfg.Confine != ConfineOff {
		home := os.Getenv("HOME")
		hidden := func() (hide, keep []string, err error) { return confine.HiddenPlaces(home) }
		err = errors.Join(tree.Hide(hidden), tree.Restrict(cfg.Write))
	}
	if err != nil {
		return nil, errors.Join(err, tree.Close(), store.Close())
	}
	d := &daemon{cfg: cfg, store: store, files: tree, env: commandEnv(), log: cfg.Log, servers: found}
	// In this order: trying confinement needs what closing the memory takes away.
	if err := errors.Join(d.confine(), closeMemory()); err != nil {
		return nil, errors.Join(err, tree.Close(), store.Close())
	}
	return d, nil
}

// confine finds out how commands are sandboxed here. The store's own id is what it tries to hide.
func (d *daemon) confine() error {
	hide, held, err := confine.Hold(d.files.Denied())
	if err != nil {
		return err
	}
	d.held = held
	d.markOptional(hide)
	d.policy = confine.Policy{Hide: hide, Sockets: agentSockets(os.Getenv), Write: d.cfg.Write, Limits: d.cfg.Limits, IPC: d.cfg.OwnIPC}
	if d.cfg.Confine == ConfineOff {
		d.confinement = "none: switched off"
		d.log.Warn("COMMANDS CAN READ THE DENIED FOLDERS and write everywhere: confining them was switched off", "folders", d.files.Denied())
		return nil
	}
	method, err := confine.Find(d.policy, filepath.Join(d.store.Dir(), "store"))
	switch {
	case err == nil:
		d.method, d.confinement = method, confine.Describe(method, d.policy)
		d.warnVisible(hide)
		d.env = withEnv(d.env, caches(d.cfg.Workspace, os.Getenv("HOME"), d.cfg.Write))
		return nil
	case d.cfg.Confine == ConfineRequire:
		return fmt.Errorf("commands cannot be confined on this system (%w): allow user namespaces or Landlock, or start without --confine=require", err)
	}
	d.confinement = "none: " + err.Error()
	if d.cfg.OwnIPC {
		return nil // the container confines them
	}
	d.refusal = wire.Errorf(wire.Denied, "commands are refused: this machine cannot confine them (%v). Allow user namespaces or Landlock to xbot-runner, or %s", err, d.cfg.unconfinedBy())
	d.log.Warn("COMMANDS ARE REFUSED: this machine cannot confine them. Allow user namespaces or Landlock to xbot-runner, or "+d.cfg.unconfinedBy(), "reason", err)
	return nil
}

func (d *daemon) close() error {
	d.stdioProcesses.ends.Wait()
	for _, f := range d.held {
		_ = f.Close() // nothing was written through it
	}
	return errors.Join(d.files.Close(), d.store.Close())
}

// maintain settles what happened while no daemon was there, then prunes old jobs until ctx ends.
func (d *daemon) maintain(ctx context.Context) {
	lost, err := d.store.Settle()
	if err != nil {
		d.log.Warn("some jobs could not be looked at", "error", err)
	}
	if err := d.files.SettleEdits(); err != nil {
		d.log.Warn("some edits that were interrupted could not be looked at", "error", err)
	}
	if lost > 0 {
		d.log.Warn("commands were lost: their shim died while no runner watched", "count", lost)
	}
	tick := time.NewTicker(pruneEvery)
	defer tick.Stop()
	for {
		if err := d.store.Prune(time.Now()); err != nil {
			d.log.Warn("old jobs could not be removed", "error", err)
		}
		if err := d.files.PruneEdits(time.Now()); err != nil {
			d.log.Warn("old edits could not be forgotten", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// info describes this runner.
func (d *daemon) info() wire.Info {
	info := wire.Info{
		Name:        d.cfg.Name,
		Workspace:   d.cfg.Workspace,
		Version:     d.cfg.Version,
		OS:          runtime.GOOS,
		Arch:        runtime.GOARCH,
		Boot:        d.store.Boot(),
		Store:       d.store.ID(),
		Confinement: d.confinement,
		Refused:     d.refusal != nil,
		Kind:        "native",
	}
	if d.cfg.Model != nil {
		info.LLM = d.cfg.Model.Info()
	}
	return info
}
