package installed

import (
	"context"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/pluginstore"
	"xbot/internal/fault"
)

// Install checks the files of a plugin, starts it once and stores it, enabled. It replaces another version and keeps that one's settings and values.
// granted has the permissions that the administrator has approved; the error is Denied, with those that are missing, if the plugin asks for more. by
// 0 is an operator. Errors are Conflict if another plugin or xbot has a name that it uses, and Invalid if it does not start, among others; the
// installed version remains.
func (p *Plugins) Install(ctx context.Context, files plugin.Tree, granted plugin.Grant, by chat.UserID) (plugin.Manifest, error) {
	m, err := files.Manifest()
	if err != nil {
		return m, err
	}
	for _, want := range m.Permissions {
		if !slices.Contains(granted.Permissions, want) {
			return m, fault.Errorf(fault.Denied, "the plugin %s asks for the permission %s, which was not given", m.ID, want)
		}
	}
	if m.Command.Here() == nil {
		return m, fault.Errorf(fault.Invalid, "the plugin %s has no command for this system", m.ID)
	}
	if err := p.checkCommands(m); err != nil {
		return m, err
	}
	archive, err := files.Zip()
	if err != nil {
		return m, err
	}
	row := pluginstore.Plugin{ID: m.ID, Version: m.Version, Digest: files.Digest(), Permissions: words(m.Permissions), ReadOnly: shown(m, granted.ReadOnly)}
	if row.Manifest, err = m.Canonical(); err != nil {
		return m, err
	}
	if err := p.start(ctx, Plugin{Plugin: row, Manifest: m}, files); err != nil {
		return m, err
	}
	defer p.forget()
	return m, p.Rows.InstallPlugin(ctx, row, archive, by, beside{p, m})
}

// start starts a plugin once, with the settings of the version that it replaces.
func (p *Plugins) start(ctx context.Context, one Plugin, files plugin.Tree) error {
	if p.Starter == nil {
		return fault.Errorf(fault.Internal, "the plugin %s was not installed: nothing can start it here", one.Plugin.ID)
	}
	p.forget()
	before, err := p.Get(ctx, one.Plugin.ID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	one.Secrets = before.Secrets
	values, err := p.Values(one)
	if err != nil {
		values = plugin.Values{} // sealed with a key that is lost
	}
	return p.Starter.Start(ctx, one, files, one.EffectiveValues(values))
}

// shown returns the tools that change nothing according to the plugin, and that the administrator was shown.
func shown(m plugin.Manifest, names []string) []string {
	return slices.DeleteFunc(m.Asks().ReadOnly, func(name string) bool { return !slices.Contains(names, name) })
}

func words(all []plugin.Permission) []string {
	out := make([]string, len(all))
	for i, one := range all {
		out[i] = string(one)
	}
	return out
}

// checkCommands refuses names of commands of xbot.
func (p *Plugins) checkCommands(m plugin.Manifest) error {
	for _, c := range m.Contributes.Commands {
		if p.Reserved != nil && p.Reserved.Taken(c.Name) {
			return fault.Errorf(fault.Conflict, "the plugin %s has a command /%s, and so has xbot", m.ID, c.Name)
		}
	}
	return nil
}

// beside checks a plugin against the installed ones.
type beside struct {
	*Plugins

	m plugin.Manifest
}

// Beside implements pluginstore.Checker.
func (b beside) Beside(all []pluginstore.Plugin) ([]byte, error) {
	var kept []byte
	others := 0
	for _, r := range all {
		if r.ID == b.m.ID {
			kept = r.Secrets
			continue
		}
		others++
		if other := read(r, nil); other.Fault == nil {
			if err := apart(b.m, other.Manifest); err != nil {
				return nil, err
			}
		}
	}
	if others >= pluginstore.MaxPlugins {
		return nil, fault.Errorf(fault.Invalid, "there are %d plugins already: remove one that is not needed", others)
	}
	return kept, nil
}

// apart refuses names that another plugin has, compared as they are in use.
func apart(m, other plugin.Manifest) error {
	for _, c := range m.Contributes.Commands {
		if slices.ContainsFunc(other.Contributes.Commands, func(o plugin.Slash) bool { return o.Name == c.Name }) {
			return fault.Errorf(fault.Conflict, "the plugin %s has a command /%s, and so has the plugin %s", m.ID, c.Name, other.ID)
		}
	}
	for _, t := range m.Contributes.Tools {
		name := plugin.Folded(plugin.ToolName(m.ID, t.Name))
		if slices.ContainsFunc(other.Contributes.Tools, func(o plugin.Tool) bool { return plugin.Folded(plugin.ToolName(other.ID, o.Name)) == name }) {
			return fault.Errorf(fault.Conflict, "the plugin %s has a tool %s, whose name would be that of a tool of the plugin %s", m.ID, t.Name, other.ID)
		}
	}
	return nil
}

// Switch switches a plugin on or off.
func (p *Plugins) Switch(ctx context.Context, id string, on bool, by chat.UserID) error {
	defer p.forget()
	return p.Rows.ChangePlugin(ctx, id, pluginstore.Change{Enabled: &on}, by)
}

// Reload ends the processes of a plugin, in all servers; the next request starts a new one. Its stored problem is removed.
func (p *Plugins) Reload(ctx context.Context, id string, by chat.UserID) error {
	defer p.forget()
	return p.Rows.ChangePlugin(ctx, id, pluginstore.Change{}, by)
}

// Change changes settings of a plugin, which is reloaded, and switches it on or off, both or neither. A value null removes a setting; on nil does not
// switch the plugin. revision is that on which the change is based; 0: any.
func (p *Plugins) Change(ctx context.Context, id string, on *bool, changes plugin.Values, revision int64, by chat.UserID) error {
	p.forget()
	one, err := p.Get(ctx, id)
	if err != nil {
		return err
	}
	if one.Fault != nil {
		return one.Fault
	}
	values, err := p.Values(one)
	if err != nil {
		values = plugin.Values{} // sealed with a key that is lost
	}
	if values, err = one.Change(values, changes); err != nil {
		return err
	}
	plain, err := one.StoreValues(values)
	if err != nil {
		return err
	}
	if revision == 0 {
		revision = one.Revision
	}
	defer p.forget()
	return p.Rows.ChangePlugin(ctx, id, pluginstore.Change{Enabled: on, Settings: true, Secrets: p.Key.Seal(plain), Revision: revision}, by)
}

// Remove removes a plugin with its settings and its values.
func (p *Plugins) Remove(ctx context.Context, id string) error {
	defer p.forget()
	return p.Rows.RemovePlugin(ctx, id)
}
