// Package installed reads and changes the plugins of the installation: package plugin defines plugins, package bridge runs them.
package installed

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"xbot/internal/chat"
	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/pluginstore"
	"xbot/internal/fault"
	"xbot/internal/secret"
)

// Rows is the store of installed plugins.
type Rows interface {
	Plugins(ctx context.Context) ([]pluginstore.Plugin, error)
	InstallPlugin(ctx context.Context, in pluginstore.Plugin, archive []byte, by chat.UserID, check pluginstore.Checker) error
	ChangePlugin(ctx context.Context, id string, c pluginstore.Change, by chat.UserID) error
	RemovePlugin(ctx context.Context, id string) error
}

// Plugin is a plugin of the installation.
type Plugin struct {
	pluginstore.Plugin

	plugin.Manifest // as it is in force: with the permissions that were granted

	Fault error // why the stored plugin cannot be read; nil: it can
}

const (
	// fresh is the maximum age of the cached list: a change by another process, such as xbot plugin, is in force after it.
	fresh = time.Second
	// lookTime limits the time of the database to list them. A caller may leave sooner.
	lookTime = 5 * time.Second
)

// Starter starts plugins.
type Starter interface {
	// Start starts a plugin that is not installed, and ends it. It returns Invalid if it does not start. With any other error, it was not tried.
	Start(ctx context.Context, one Plugin, files plugin.Tree, values plugin.Values) error
}

// Plugins manages the plugins of the installation. It is safe for concurrent use.
type Plugins struct {
	Rows     Rows
	Key      secret.Sealer
	Starter  Starter // starts a plugin before it is installed; nil: none can be installed
	Reserved Names   // names of slash commands that plugins cannot have; nil: all can be had

	looks singleflight.Group // by changes

	mu      sync.Mutex
	known   []Plugin
	at      time.Time // begin of the database read that found them; zero: there is none to rely on
	changes uint64    // by this process: a read that began before the last one is discarded
}

// Names reports names that are taken.
type Names interface{ Taken(command string) bool }

// All lists the plugins by their ids, at most a second old. The list is read-only. Concurrent callers share one read of the
// database, and each waits as long as its ctx lasts.
func (p *Plugins) All(ctx context.Context) ([]Plugin, error) {
	p.mu.Lock()
	known, at, changes := p.known, p.at, p.changes
	p.mu.Unlock()
	if !at.IsZero() && time.Since(at) < fresh {
		return known, nil
	}
	flight := p.looks.DoChan(strconv.FormatUint(changes, 10), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
		defer cancel()
		return p.look(ctx, changes, known)
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case done := <-flight:
		all, _ := done.Val.([]Plugin) // nil if it failed
		return all, done.Err
	}
}

// look reads the plugins from the database, and caches them unless this process has changed some since.
func (p *Plugins) look(ctx context.Context, changes uint64, before []Plugin) ([]Plugin, error) {
	at := time.Now()
	rows, err := p.Rows.Plugins(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]Plugin, len(rows))
	for i, r := range rows {
		all[i] = read(r, before)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changes == changes {
		p.known, p.at = all, at
	}
	return all, nil
}

// read parses the manifest of a row, unless it is in before.
func read(r pluginstore.Plugin, before []Plugin) Plugin {
	for _, b := range before {
		if b.Plugin.ID == r.ID && b.Plugin.Digest == r.Digest && b.Fault == nil {
			return Plugin{Plugin: r, Manifest: b.Manifest}
		}
	}
	m, err := plugin.Parse(r.Manifest)
	if err == nil && m.ID != r.ID {
		err = fault.Errorf(fault.Internal, "the manifest of plugin %s is another one's", r.ID)
	}
	for _, want := range m.Permissions {
		if err == nil && !slices.Contains(r.Permissions, string(want)) {
			err = fault.Errorf(fault.Denied, "the plugin %s was not permitted %s", r.ID, want)
		}
	}
	return Plugin{Plugin: r, Manifest: m, Fault: err}
}

// Working lists plugins that are switched on and can be read.
func (p *Plugins) Working(ctx context.Context) ([]Plugin, error) {
	all, err := p.All(ctx)
	var out []Plugin
	for _, one := range all {
		if one.Enabled && one.Fault == nil {
			out = append(out, one)
		}
	}
	return out, err
}

// Get returns a plugin. It returns NotFound if there is none.
func (p *Plugins) Get(ctx context.Context, id string) (Plugin, error) {
	all, err := p.All(ctx)
	if err != nil {
		return Plugin{}, err
	}
	for _, one := range all {
		if one.Plugin.ID == id {
			return one, nil
		}
	}
	return Plugin{}, fault.Errorf(fault.NotFound, "there is no plugin %s: xbot plugin list shows those that are installed", id)
}

// Usable returns a plugin that can be asked. Invalid has the reason if it cannot.
func (p *Plugins) Usable(ctx context.Context, id string) (Plugin, plugin.Values, error) {
	one, err := p.Get(ctx, id)
	if err != nil {
		return one, nil, err
	}
	switch {
	case one.Fault != nil:
		return one, nil, one.Fault
	case !one.Enabled:
		return one, nil, fault.Errorf(fault.Invalid, "the plugin %s is switched off", id)
	}
	values, err := p.Values(one)
	if err != nil {
		return one, nil, err
	}
	if missing := one.Missing(values); len(missing) > 0 {
		return one, nil, fault.Errorf(fault.Invalid, "the plugin %s cannot work before an administrator has set %s", id, missing[0])
	}
	return one, one.EffectiveValues(values), nil
}

// Values returns the settings of a plugin that were given.
func (p *Plugins) Values(one Plugin) (plugin.Values, error) {
	if one.Secrets == nil {
		return plugin.Values{}, nil
	}
	plain, err := p.Key.Open(one.Secrets)
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "the settings of the plugin %s are sealed with another key: set them again", one.Plugin.ID)
	}
	return one.ReadValues(plain)
}

// forget makes the next look read the rows again.
func (p *Plugins) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = time.Time{}
	p.changes++
}
