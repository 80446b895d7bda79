// Package manage lists, creates, renews and revokes the runners of users, and authenticates connecting runners.
package manage

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/resolver"
	"xbot/internal/sandbox/runners"
	"xbot/internal/secret"
	"xbot/internal/user/settings"
	"xbot/internal/user/users"
)

// Usual returns the model that answers a user where no runner offers one: its id, provider/model.
type Usual interface {
	Of(ctx context.Context, user chat.UserID) (string, error)
}

// Runners is the operations of users on their runners, for the page, the terminal and commands.
type Runners struct {
	Settings *settings.Store
	Runners  *runners.Store
	Resolver *resolver.Resolver
	Usual    Usual
	URL      string // address of the server for runners, such as https://xbot.example.org; empty: the one a request came to
	Confine  string // the setting XBOT_CONFINE; empty: an administrator chooses
	Log      *slog.Logger
}

// List returns the runners that a user can choose from.
func (m *Runners) List(ctx context.Context, user users.User) (chat.Runners, error) {
	out := chat.Runners{Runners: []chat.Runner{}, LLMSource: chat.LLMAuto}
	var err error
	if out.Model, err = m.Usual.Of(ctx, user.ID); err != nil {
		return out, err
	}
	if out.Active, err = m.Settings.UserSetting(ctx, user.ID, settings.ActiveRunner); err != nil {
		return out, err
	}
	if out.Effective, err = m.Here(ctx, user.ID); err != nil {
		return out, err
	}
	source, err := m.Settings.UserSetting(ctx, user.ID, settings.LLMSource)
	if err != nil {
		return out, err
	}
	out.LLMSource = cmp.Or(source, chat.LLMAuto)
	all, err := m.Runners.RunnersOf(ctx, user.ID, user.Admin)
	if err != nil {
		return out, err
	}
	for _, r := range m.visible(all, user) {
		shown := m.show(r, user, out.Effective)
		if shown.Active && shown.LLM != nil && out.LLMSource == chat.LLMAuto {
			out.Model = shown.LLM.Provider + "/" + shown.LLM.Model
		}
		if r.Name == resolver.Local {
			if shown.Sandbox, err = m.sandbox(ctx); err != nil {
				return out, err
			}
		}
		out.Runners = append(out.Runners, shown)
	}
	return out, nil
}

// sandbox returns whether commands of the server's own runner run in a sandbox, and who decided.
func (m *Runners) sandbox(ctx context.Context) (*chat.RunnerSandbox, error) {
	if m.Confine != "" {
		return &chat.RunnerSandbox{Confine: m.Confine, Setting: true}, nil
	}
	chosen, err := m.Runners.LocalSandbox(ctx)
	return &chosen, err
}

// SetSandbox chooses whether commands of the server's own runner run in a sandbox: ConfineAuto or ConfineOff. It returns Denied if the user is no
// administrator. It returns Conflict if the setting decides, and NotFound if the server has no such runner.
func (m *Runners) SetSandbox(ctx context.Context, user users.User, confine string) (chat.Runners, error) {
	if !user.Admin {
		return chat.Runners{}, fault.Errorf(fault.Denied, "whether commands of the server's own runner run in a sandbox is for administrators to choose")
	}
	if confine != chat.ConfineAuto && confine != chat.ConfineOff {
		return chat.Runners{}, fault.Errorf(fault.Invalid, "confine is %s or %s, not %q", chat.ConfineAuto, chat.ConfineOff, confine)
	}
	if m.Confine != "" {
		return chat.Runners{}, fault.Errorf(fault.Conflict, "the setting XBOT_CONFINE=%s decides whether commands run in a sandbox: change it there, or remove it to choose here, and restart the server", m.Confine)
	}
	all, err := m.Runners.RunnersOf(ctx, user.ID, true)
	if err != nil {
		return chat.Runners{}, err
	}
	if !slices.ContainsFunc(all, func(r runners.Runner) bool { return r.Name == resolver.Local }) {
		return chat.Runners{}, fault.Errorf(fault.NotFound, "the server has no runner on its own machine; other runners decide it where they are started, with --confine")
	}
	if err := m.Runners.SetLocalSandbox(ctx, confine, user.ID); err != nil {
		return chat.Runners{}, err
	}
	m.Log.Warn("an administrator chose how commands of the server's own runner are confined", "confine", confine, "user", user.Name)
	return m.List(ctx, user)
}

// Here returns the runner that a user's commands go to now; empty if there is none.
func (m *Runners) Here(ctx context.Context, user chat.UserID) (string, error) {
	name, err := m.Resolver.Name(ctx, user, "")
	if fault.Is(err, fault.Denied) {
		return "", nil
	}
	return name, err
}

// visible takes out the runners that the user cannot choose and adds the container that is made when it is first asked for.
func (m *Runners) visible(all []runners.Runner, user users.User) []runners.Runner {
	seen := map[string]bool{}
	out := slices.DeleteFunc(all, func(r runners.Runner) bool {
		again := seen[r.Name] // two administrators may have made a token for the one host
		seen[r.Name] = true
		return again || (r.Name == resolver.Local && !user.Admin) || (r.Name == resolver.Container && !m.Resolver.Containers())
	})
	if m.Resolver.Containers() && !seen[resolver.Container] {
		out = append(out, runners.Runner{Name: resolver.Container, User: user.ID})
	}
	return out
}

func (m *Runners) show(r runners.Runner, user users.User, effective string) chat.Runner {
	out := chat.Runner{
		Name: r.Name, Kind: KindOf(r), Online: r.Online, ConnectedAt: r.ConnectedAt, SeenAt: r.SeenAt,
		Active: r.Name == effective, Revocable: r.User == user.ID && resolver.CheckName(r.Name) == nil,
	}
	if r.Info == nil {
		return out
	}
	out.OS, out.Arch, out.Version, out.Workspace, out.Confinement = r.Info.OS, r.Info.Arch, r.Info.Version, r.Info.Workspace, r.Info.Confinement
	out.Refused = r.Info.Refused
	if r.Info.LLM != nil {
		out.LLM = &chat.RunnerModel{Provider: r.Info.LLM.Provider, Model: r.Info.LLM.Model}
	}
	return out
}

// KindOf returns the kind of a runner.
func KindOf(r runners.Runner) string {
	switch {
	case r.Name == resolver.Local:
		return chat.RunnerLocal
	case r.Name == resolver.Container || (r.Info != nil && r.Info.Kind == chat.RunnerDocker):
		return chat.RunnerDocker
	}
	return chat.RunnerNative
}

// Create makes a runner of a user. Invalid or Conflict describe a problem of the name.
func (m *Runners) Create(ctx context.Context, user users.User, name, base string) (chat.NewRunner, error) {
	if err := resolver.CheckName(name); err != nil {
		return chat.NewRunner{}, err
	}
	token, hash := secret.NewToken()
	if err := m.Runners.CreateRunner(ctx, user.ID, name, hash); err != nil {
		return chat.NewRunner{}, err
	}
	return m.newRunner(ctx, user, name, base, token)
}

// Renew gives a runner a new token. The old one is dead, and a connection made with it is closed.
func (m *Runners) Renew(ctx context.Context, user users.User, name, base string) (chat.NewRunner, error) {
	if err := own(name); err != nil {
		return chat.NewRunner{}, err
	}
	token, hash := secret.NewToken()
	if err := m.Runners.RenewRunner(ctx, user.ID, name, hash); err != nil {
		return chat.NewRunner{}, err
	}
	m.drop(ctx, resolver.ID(user.ID, name))
	return m.newRunner(ctx, user, name, base, token)
}

// Revoke makes a runner's token useless and closes its connection. If it was the active one, commands are refused until its
// user chooses another runner: xbot does not choose one.
func (m *Runners) Revoke(ctx context.Context, user users.User, name string) error {
	if err := own(name); err != nil {
		return err
	}
	if err := m.Runners.RevokeRunner(ctx, user.ID, name); err != nil {
		return err
	}
	m.drop(ctx, resolver.ID(user.ID, name))
	return nil
}

// drop closes the connection of a runner. The token is invalid already, and the process that holds the connection finds that
// out within 15 s: a failure here is logged and not returned.
func (m *Runners) drop(ctx context.Context, id sandbox.RunnerID) {
	if err := m.Resolver.Drop(ctx, id); err != nil {
		m.Log.Warn("the connection of a runner could not be closed at once, its holder closes it soon", "runner", string(id), "error", err)
	}
}

// own refuses the runners that the server makes for itself.
func own(name string) error {
	if name == resolver.Local || name == resolver.Container {
		return fault.Errorf(fault.Denied, "%s is the server's own runner: there is no token of yours to change", name)
	}
	return nil
}

// Use makes a runner the active one; empty means the default.
func (m *Runners) Use(ctx context.Context, user users.User, name string) (chat.Runners, error) {
	if name != "" {
		if _, err := m.Resolver.Name(ctx, user.ID, name); fault.Is(err, fault.Denied) && own(name) == nil {
			return chat.Runners{}, i18n.Fault(fault.NotFound, i18n.RunnerUnknown, name)
		} else if err != nil {
			return chat.Runners{}, err
		}
	}
	if err := m.Settings.SetUserSetting(ctx, user.ID, settings.ActiveRunner, name); err != nil {
		return chat.Runners{}, err
	}
	return m.List(ctx, user)
}

// UseModel chooses where the model comes from: LLMAuto or LLMServer.
func (m *Runners) UseModel(ctx context.Context, user users.User, source string) (chat.Runners, error) {
	switch source {
	case chat.LLMAuto:
		source = "" // the default
	case chat.LLMServer:
	default:
		return chat.Runners{}, fault.Errorf(fault.Invalid, "the source of the model is %s or %s, not %q", chat.LLMAuto, chat.LLMServer, source)
	}
	if err := m.Settings.SetUserSetting(ctx, user.ID, settings.LLMSource, source); err != nil {
		return chat.Runners{}, err
	}
	return m.List(ctx, user)
}

// newRunner returns a new runner and how to start it. base is the address that the request came to.
func (m *Runners) newRunner(ctx context.Context, user users.User, name, base, token string) (chat.NewRunner, error) {
	all, err := m.List(ctx, user)
	if err != nil {
		return chat.NewRunner{}, err
	}
	i := slices.IndexFunc(all.Runners, func(r chat.Runner) bool { return r.Name == name })
	if i < 0 {
		return chat.NewRunner{}, fault.Errorf(fault.Conflict, "the runner %q was revoked at the same moment", name)
	}
	return chat.NewRunner{Runner: all.Runners[i], Token: token, Command: m.command(name, base)}, nil
}

// command returns the command that starts a runner. It does not contain the token: every user of a machine can read arguments.
func (m *Runners) command(name, base string) string {
	address := strings.TrimRight(cmp.Or(m.URL, base), "/")
	if rest, ok := strings.CutPrefix(address, "http"); ok { // https becomes wss
		address = "ws" + rest
	}
	return "xbot-runner --server " + address + "/api/runners/connect --token-file " + name + ".token --name " + name
}
