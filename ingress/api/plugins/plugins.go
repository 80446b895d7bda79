// Package plugins has the endpoints of the plugins of the installation. They are for administrators.
package plugins

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/automation/hook"
	"xbot/internal/chat"
	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/installed"
	"xbot/internal/fault"
)

// Endpoints has the endpoints of this package and their dependencies.
type Endpoints struct {
	*endpoint.Base

	Plugins *installed.Plugins
	Widgets Widgets
}

// Plugins lists plugins.
type Plugins struct {
	Plugins []Plugin `json:"plugins"`
}

// Plugin is one of the installation.
type Plugin struct {
	PluginAbout

	Enabled     bool            `json:"enabled"`
	Problem     string          `json:"problem,omitempty" doc:"Known problem; absent: none."`
	ProblemAt   *time.Time      `json:"problem_at,omitempty"`
	Failure     string          `json:"failure,omitempty" doc:"The last failure of this version, also after it worked again; left out: there was none."`
	FailureAt   *time.Time      `json:"failure_at,omitempty"`
	Settings    []PluginSetting `json:"settings"`
	Missing     []string        `json:"missing,omitempty" doc:"Names of settings that it needs before it can work."`
	Revision    int64           `json:"revision"`
	InstalledAt time.Time       `json:"installed_at"`
	ChangedAt   time.Time       `json:"changed_at"`
	ChangedBy   string          `json:"changed_by,omitempty" doc:"Name of the administrator; left out: an operator."`
}

// PluginAbout is the description that a plugin gives.
type PluginAbout struct {
	ID          string             `json:"id" example:"feeds"`
	Name        string             `json:"name"`
	Version     string             `json:"version"`
	Description string             `json:"description,omitempty"`
	Digest      string             `json:"digest" doc:"SHA-256 of its files."`
	Program     []string           `json:"program" doc:"The program and arguments that the server starts, in the folder of the plugin's files. Empty: none for this system."`
	Permissions []PluginPermission `json:"permissions" doc:"Requested permissions, which it has once installed."`
	Tools       []PluginTool       `json:"tools"`
	Commands    []string           `json:"commands" doc:"Its slash commands."`
	Hooks       []PluginHook       `json:"hooks" doc:"When it is asked before or after something happens."`
	Enrichers   []string           `json:"enrichers" doc:"The texts that it adds to prompts."`
	Channels    []string           `json:"channels" doc:"The platforms that it adds, as channels of the policy."`
	Widgets     []string           `json:"widgets" doc:"The panels that it shows on the page."`
}

// PluginTool is a tool of a plugin.
type PluginTool struct {
	Name        string         `json:"name" example:"plugin_feeds_read" doc:"The name under which models call it."`
	Description string         `json:"description"`
	Class       chat.ToolClass `json:"class" enum:"read,idempotent,once" doc:"Declared effects: read and idempotent calls are repeated after a crash, others are not. Read-only conversations and unapproved plans have only tools of class read; once installed, these are the ones granted with read_only."`
}

// PluginHook is a hook of a plugin.
type PluginHook struct {
	Event   hook.Event    `json:"event" example:"PreToolUse"`
	Matcher string        `json:"matcher,omitempty" doc:"Which tools or others; left out: all."`
	If      string        `json:"if,omitempty" doc:"Which calls; left out: all." example:"Shell(git push*)"`
	OnError hook.Decision `json:"on_error" enum:"allow,ask,deny" doc:"Effect of a failed hook on the event."`
}

// PluginPermission is one that a plugin asks for.
type PluginPermission struct {
	Name  plugin.Permission `json:"name" enum:"network,files,storage,hooks,prompt,page,channel"`
	Means string            `json:"means" doc:"Description in English."`
}

// PluginSetting is a setting of a plugin with its value.
type PluginSetting struct {
	Name     string             `json:"name"`
	Type     plugin.SettingType `json:"type" enum:"string,number,boolean,choice,secret"`
	Title    map[string]string  `json:"title" doc:"By language: en, zh."`
	Choices  []string           `json:"choices,omitempty"`
	Required bool               `json:"required,omitempty"`
	Value    any                `json:"value,omitempty" doc:"The value in force; that of a secret is never returned."`
	Set      bool               `json:"set" doc:"It was given, and is not the default."`
}

// PluginDraft is the content of an archive.
type PluginDraft struct {
	PluginAbout

	Replaces string `json:"replaces,omitempty" doc:"The version that is installed now."`
}

// PluginChange is a change of a plugin.
type PluginChange struct {
	Enabled  *bool          `json:"enabled,omitempty"`
	Settings map[string]any `json:"settings,omitempty" doc:"Values by name; null deletes a value."`
	Revision int64          `json:"revision,omitempty" minimum:"0" doc:"Revision of the settings on which the change is based; 0: any."`
}

type (
	// PluginPath names the plugin of a request.
	PluginPath struct {
		Plugin string `path:"plugin" maxLength:"24" example:"feeds"`
	}
	archive struct {
		RawBody []byte `contentType:"application/octet-stream"`
	}
	installation struct {
		Digest      string              `query:"digest" required:"true" maxLength:"64" doc:"That of the files whose permissions were shown."`
		Permissions []plugin.Permission `query:"permissions,explode" doc:"The granted permissions, one parameter each. All requested permissions are required."`
		ReadOnly    []string            `query:"read_only,explode" maxItems:"64" doc:"Names of the tools of class read, as reported by check-plugin, that the administrator trusts to change nothing, one parameter each. Others count as acting."`
		RawBody     []byte              `contentType:"application/octet-stream"`
	}
	change struct {
		Plugin string `path:"plugin" maxLength:"24" example:"feeds"`
		Body   PluginChange
	}
	pluginBody struct{ Body Plugin }
)

// Register has the endpoints that need a user.
func (a *Endpoints) Register(h huma.API) {
	const root, one = "/api/plugins", "/api/plugins/{plugin}"
	huma.Register(h, endpoint.Operation("list-plugins", http.MethodGet, root, "List plugins of the installation", "For administrators."), endpoint.Admin(a.Base, a.list))
	huma.Register(h, huma.Operation{
		OperationID: "check-plugin", Method: http.MethodPost, Path: root + "/check", Summary: "Check a plugin archive", Description: "A zip or tar archive with plugin.json. Nothing is installed: the response lists what the plugin adds and the permissions it requests. For administrators.",
		Security: endpoint.Secured, MaxBodyBytes: plugin.MaxArchive, BodyReadTimeout: uploadTime,
	}, endpoint.Admin(a.Base, a.check))
	huma.Register(h, huma.Operation{
		OperationID: "install-plugin", Method: http.MethodPost, Path: root, Summary: "Install a plugin", Description: "Installs a plugin, or another version of it, which keeps settings and values. The plugin is first started once with its settings on the server's host, then enabled. 400: it does not start; the response has the reason and the end of its output, and the installed version is unchanged. 503: it could not be tested because the runner of the server's host is not connected. 403: it requests a permission that was not granted. 409: it uses a name that is taken, or the archive does not match the digest. For administrators.",
		Security: endpoint.Secured, MaxBodyBytes: plugin.MaxArchive, BodyReadTimeout: uploadTime,
	}, endpoint.Admin(a.Base, a.install))
	huma.Register(h, endpoint.Operation("change-plugin", http.MethodPatch, one, "Switch a plugin on or off, or change its settings",
		"All servers apply the change within a second. For administrators."), endpoint.Admin(a.Base, a.change))
	huma.Register(h, endpoint.Operation("reload-plugin", http.MethodPost, one+"/reload", "Reload a plugin", "Stops its processes; the next request starts a new one. For administrators."), endpoint.Admin(a.Base, a.reload))
	huma.Register(h, endpoint.Removal("remove-plugin", one, "Remove a plugin, its settings and its data", "For administrators."), endpoint.Admin(a.Base, a.remove))
	a.registerWidgets(h)
}

// uploadTime is how long an archive may take.
const uploadTime = 5 * time.Minute

func (a *Endpoints) list(ctx context.Context, _ *struct{}) (*struct{ Body Plugins }, error) {
	all, err := a.Plugins.All(ctx)
	out := Plugins{Plugins: []Plugin{}}
	for _, one := range all {
		out.Plugins = append(out.Plugins, a.plugin(one))
	}
	return &struct{ Body Plugins }{out}, a.Problem(err)
}

func (a *Endpoints) check(ctx context.Context, in *archive) (*struct{ Body PluginDraft }, error) {
	files, err := plugin.ReadArchive(in.RawBody)
	if err != nil {
		return nil, a.Problem(err)
	}
	m, err := files.Manifest()
	if err != nil {
		return nil, a.Problem(err)
	}
	draft := PluginDraft{PluginAbout: about(m, files.Digest(), m.Asks().ReadOnly)}
	if now, err := a.Plugins.Get(ctx, m.ID); err == nil {
		draft.Replaces = now.Plugin.Version
	} else if !fault.Is(err, fault.NotFound) {
		return nil, a.Problem(err)
	}
	return &struct{ Body PluginDraft }{draft}, nil
}

func (a *Endpoints) install(ctx context.Context, in *installation) (*pluginBody, error) {
	files, err := plugin.ReadArchive(in.RawBody)
	if err == nil && files.Digest() != in.Digest {
		err = fault.Errorf(fault.Conflict, "the archive is not the one whose permissions were shown: look at it again")
	}
	if err != nil {
		return nil, a.Problem(err)
	}
	u := auth.User(ctx)
	m, err := a.Plugins.Install(ctx, files, plugin.Grant{Permissions: in.Permissions, ReadOnly: in.ReadOnly}, u.ID)
	if err != nil {
		return nil, a.Problem(err)
	}
	a.Log.Info("plugin installed", "plugin", m.ID, "version", m.Version, "by", u.Name)
	return a.one(ctx, m.ID)
}

func (a *Endpoints) change(ctx context.Context, in *change) (*pluginBody, error) {
	u := auth.User(ctx)
	var err error
	switch on := in.Body.Enabled; {
	case in.Body.Settings != nil:
		err = a.Plugins.Change(ctx, in.Plugin, on, in.Body.Settings, in.Body.Revision, u.ID)
	case on != nil:
		err = a.Plugins.Switch(ctx, in.Plugin, *on, u.ID)
	}
	if err != nil {
		return nil, a.Problem(err)
	}
	a.Log.Info("plugin changed", "plugin", in.Plugin, "by", u.Name)
	return a.one(ctx, in.Plugin)
}

func (a *Endpoints) reload(ctx context.Context, in *PluginPath) (*pluginBody, error) {
	if err := a.Plugins.Reload(ctx, in.Plugin, auth.User(ctx).ID); err != nil {
		return nil, a.Problem(err)
	}
	return a.one(ctx, in.Plugin)
}

func (a *Endpoints) remove(ctx context.Context, in *PluginPath) (*struct{}, error) {
	if err := a.Plugins.Remove(ctx, in.Plugin); err != nil {
		return nil, a.Problem(err)
	}
	a.Log.Info("plugin removed", "plugin", in.Plugin, "by", auth.User(ctx).Name)
	return nil, nil
}

func (a *Endpoints) one(ctx context.Context, id string) (*pluginBody, error) {
	one, err := a.Plugins.Get(ctx, id)
	if err != nil {
		return nil, a.Problem(err)
	}
	return &pluginBody{a.plugin(one)}, nil
}

// plugin returns one as administrators see it. One that cannot be read is shown with the reason.
func (a *Endpoints) plugin(one installed.Plugin) Plugin {
	out := Plugin{
		PluginAbout: about(one.Manifest, one.Digest, one.ReadOnly), Enabled: one.Enabled, Problem: one.Problem, ProblemAt: one.ProblemAt, Failure: one.Failure, FailureAt: one.FailureAt, Settings: []PluginSetting{}, Revision: one.Revision,
		InstalledAt: one.InstalledAt, ChangedAt: one.ChangedAt, ChangedBy: one.ChangedBy,
	}
	if one.Fault != nil {
		out.ID, out.Version, out.Problem = one.Plugin.ID, one.Plugin.Version, one.Fault.Error()
		return out
	}
	values, err := a.Plugins.Values(one)
	if err != nil {
		out.Problem = err.Error()
	}
	told := one.EffectiveValues(values)
	out.Missing = one.Missing(values)
	for _, s := range one.Contributes.Settings {
		_, set := values[s.Name]
		shown := PluginSetting{Name: s.Name, Type: s.Type, Title: map[string]string{"en": s.Title.English, "zh": s.Title.Chinese}, Choices: s.Choices, Required: s.Required, Set: set}
		if s.Type != plugin.Secret {
			shown.Value = told[s.Name]
		}
		out.Settings = append(out.Settings, shown)
	}
	return out
}

// about returns the description that a plugin gives; readOnly are the tools whose declared effects are trusted.
func about(m plugin.Manifest, digest string, readOnly []string) PluginAbout {
	out := PluginAbout{
		ID: m.ID, Name: m.Name, Version: m.Version, Description: m.Description, Digest: digest, Program: append([]string{}, m.Command.Here()...),
		Permissions: []PluginPermission{}, Tools: []PluginTool{}, Commands: []string{}, Hooks: []PluginHook{}, Enrichers: []string{}, Channels: []string{}, Widgets: []string{},
	}
	for _, p := range m.Permissions {
		out.Permissions = append(out.Permissions, PluginPermission{p, p.Means()})
	}
	for _, t := range m.Contributes.Tools {
		name := plugin.ToolName(m.ID, t.Name)
		out.Tools = append(out.Tools, PluginTool{name, t.Description, t.Class(slices.Contains(readOnly, name))})
	}
	for _, c := range m.Contributes.Commands {
		out.Commands = append(out.Commands, "/"+c.Name)
	}
	for _, h := range m.Contributes.Hooks {
		out.Hooks = append(out.Hooks, PluginHook{h.Event, h.Matcher, h.If, h.Fails()})
	}
	for _, e := range m.Contributes.Enrichers {
		out.Enrichers = append(out.Enrichers, e.Name)
	}
	for _, c := range m.Contributes.Channels {
		out.Channels = append(out.Channels, c.Name)
	}
	for _, w := range m.Contributes.Widgets {
		out.Widgets = append(out.Widgets, w.Title.English)
	}
	return out
}
