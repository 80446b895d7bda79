package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"xbot/internal/chat"
	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/installed"
	"xbot/internal/fault"
	"xbot/internal/host/config"
	"xbot/internal/secret"
	"xbot/internal/store"
	"xbot/internal/tool"
	"xbot/server"
)

type pluginCmd struct {
	List    pluginListCmd    `cmd:"" help:"List the plugins of the installation."`
	Show    pluginShowCmd    `cmd:"" help:"Show what a plugin adds and what it may, also of one that is not installed."`
	Install pluginInstallCmd `cmd:"" help:"Install a plugin, or another version of it. What it asks for is shown before, and it is started once: the server has to run."`
	Enable  pluginEnableCmd  `cmd:"" help:"Switch a plugin on."`
	Disable pluginDisableCmd `cmd:"" help:"Switch a plugin off. Its settings and what it keeps stay."`
	Reload  pluginReloadCmd  `cmd:"" help:"End the processes of a plugin; the next request starts one anew."`
	Set     pluginSetCmd     `cmd:"" help:"Give a plugin the value of a setting; the plugin is reloaded."`
	Remove  pluginRemoveCmd  `cmd:"" help:"Remove a plugin with its settings and all that it keeps."`
}

// withPlugins opens the plugins of a running or configured server. One can be installed while the server runs.
func withPlugins(ctx context.Context, do func(known *installed.Plugins) error) error {
	return withStore(ctx, func(s *store.Store, cfg config.Serve) error {
		ring, err := secret.OpenKeyring(cfg.Dir, cfg.Key)
		if err != nil {
			return err
		}
		known := server.NewPlugins(s.Plugins, ring)
		trial, closeTrial := server.NewPluginTrial(s, ring, cfg.Dir, version)
		defer closeTrial()
		known.Starter = trial
		return do(known)
	})
}

type pluginListCmd struct{}

// Run lists plugins.
func (pluginListCmd) Run(ctx context.Context) error {
	return withPlugins(ctx, func(known *installed.Plugins) error {
		all, err := known.All(ctx)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			say(os.Stdout, "No plugins are installed.")
			return nil
		}
		return table(os.Stdout, "ID\tVERSION\tSTATE\tPERMISSIONS\tINSTALLED\tPROBLEM\tLAST FAILURE", all, func(p installed.Plugin) []any {
			return []any{p.Plugin.ID, p.Plugin.Version, pluginState(p), cmp.Or(strings.Join(p.Plugin.Permissions, " "), "-"), p.InstalledAt.Format(time.RFC3339), cmp.Or(tool.OneLine(pluginProblem(p), maxColumn), "-"), cmp.Or(tool.OneLine(lastFailure(p), maxColumn), "-")}
		})
	})
}

// maxColumn bounds a column of the list, in characters; xbot plugin show prints the whole text.
const maxColumn = 200

// pluginProblem returns why a plugin does not work; empty: no problem is known.
func pluginProblem(p installed.Plugin) string {
	if p.Fault != nil {
		return p.Fault.Error()
	}
	return p.Problem
}

// lastFailure returns the time and the text of the last failure of a plugin; empty: there was none.
func lastFailure(p installed.Plugin) string {
	if p.FailureAt == nil {
		return ""
	}
	return p.FailureAt.Format(time.RFC3339) + " " + printable(p.Failure)
}

func pluginState(p installed.Plugin) string {
	switch {
	case !p.Enabled:
		return "off"
	case p.Fault != nil || p.Problem != "":
		return "failing"
	}
	return "on"
}

// readPlugin reads the files of a plugin: a folder, or a zip or tar file.
func readPlugin(path string) (plugin.Tree, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fault.Errorf(fault.NotFound, "there is no folder or archive %s", path)
	case info.IsDir():
		return plugin.ReadFolder(path)
	case info.Size() > plugin.MaxArchive:
		return nil, fault.Errorf(fault.TooLarge, "an archive has at most %d MB", plugin.MaxArchive>>20)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return plugin.ReadArchive(data)
}

type pluginShowCmd struct {
	Plugin string `arg:"" complete:"file" help:"Id of an installed plugin, or a folder or archive."`
}

// Run describes a plugin.
func (c pluginShowCmd) Run(ctx context.Context) error {
	if _, err := os.Stat(c.Plugin); err == nil {
		files, err := readPlugin(c.Plugin)
		if err != nil {
			return err
		}
		m, err := files.Manifest()
		if err != nil {
			return err
		}
		describePlugin(os.Stdout, m, m.Asks().ReadOnly)
		return nil
	}
	return withPlugins(ctx, func(known *installed.Plugins) error {
		p, err := known.Get(ctx, c.Plugin)
		if err != nil {
			return err
		}
		if p.Fault != nil {
			return p.Fault
		}
		describePlugin(os.Stdout, p.Manifest, p.ReadOnly)
		say(os.Stdout, "State: %s", pluginState(p))
		if p.Problem != "" {
			say(os.Stdout, "Problem: %s", p.Problem)
		}
		if failure := lastFailure(p); failure != "" {
			say(os.Stdout, "Last failure: %s", failure)
		}
		return nil
	})
}

// describePlugin prints what a plugin is, runs, adds and asks for. readOnly are the tools whose declared effects are trusted. Its words are
// printed without characters that could steer a terminal.
func describePlugin(w io.Writer, m plugin.Manifest, readOnly []string) {
	say(w, "%s %s (%s), %s", printable(m.Name), m.Version, m.ID, m.Runtime)
	if m.Description != "" {
		say(w, "%s", printable(m.Description))
	}
	for _, system := range slices.Sorted(maps.Keys(m.Command)) {
		say(w, "  program   %s%s", printable(quoted(m.Command[system])), on(system))
	}
	adds := m.Contributes
	for _, t := range adds.Tools {
		name := plugin.ToolName(m.ID, t.Name)
		say(w, "  tool      %s (%s): %s", name, effect(t.Class(slices.Contains(readOnly, name))), printable(t.Description))
	}
	for _, c := range adds.Commands {
		say(w, "  command   /%s: %s", c.Name, printable(c.Help.English))
	}
	for _, h := range adds.Hooks {
		say(w, "  hook      %s, where it fails: %s", printable(strings.Join(strings.Fields(string(h.Event)+" "+h.Matcher+" "+h.If), " ")), h.Fails())
	}
	for _, e := range adds.Enrichers {
		say(w, "  text      %s, in prompts", e.Name)
	}
	for _, c := range adds.Channels {
		say(w, "  channel   %s: %s", c.Name, printable(c.Label))
	}
	for _, panel := range adds.Widgets {
		say(w, "  panel     %s, on the page", printable(panel.Title.English))
	}
	for _, s := range adds.Settings {
		say(w, "  setting   %s (%s)", s.Name, s.Type)
	}
	if len(m.Permissions) == 0 {
		say(w, "It asks for no permissions.")
		return
	}
	say(w, "It asks for these permissions:")
	for _, p := range m.Permissions {
		say(w, "  %-8s  %s", p, p.Means())
	}
}

// quoted returns a command line as it could be typed.
func quoted(args []string) string {
	out := make([]string, len(args))
	for i, arg := range args {
		if out[i] = arg; arg == "" || strings.ContainsFunc(arg, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune(`"'\`, r) }) {
			out[i] = strconv.Quote(arg)
		}
	}
	return strings.Join(out, " ")
}

func on(system string) string {
	if system == "" {
		return ""
	}
	return " on " + system
}

// effect describes the effect of a tool's calls that its plugin declares.
func effect(class chat.ToolClass) string {
	switch class {
	case chat.ClassRead:
		return "says that it changes nothing: conversations that only read have it, too"
	case chat.ClassIdempotent:
		return "acts, and may be called again after a crash"
	}
	return "acts"
}

// printable makes one line of an untrusted text.
func printable(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text))
}

type pluginInstallCmd struct {
	Path string `arg:"" complete:"file" help:"Folder, zip or tar file with plugin.json."`
	Yes  bool   `short:"y" help:"Give it the permissions that it asks for, without a question."`
}

// Run shows a plugin, asks, and installs it.
func (c pluginInstallCmd) Run(ctx context.Context) error {
	files, err := readPlugin(c.Path)
	if err != nil {
		return err
	}
	m, err := files.Manifest()
	if err != nil {
		return err
	}
	describePlugin(os.Stdout, m, m.Asks().ReadOnly)
	if !c.Yes {
		answer, err := newDialog(os.Stdin, os.Stdout).line("Install it, with these permissions? (y/N)")
		if err != nil {
			return err
		}
		if answer = strings.ToLower(answer); answer != "y" && answer != "yes" {
			return fault.Errorf(fault.Denied, "nothing was installed")
		}
	}
	return withPlugins(ctx, func(known *installed.Plugins) error {
		if _, err := known.Install(ctx, files, m.Asks(), 0); err != nil {
			return err
		}
		say(os.Stdout, "Installed. The server uses it within a second.")
		return nil
	})
}

// ofPlugin names an installed plugin.
type ofPlugin struct {
	ID string `arg:"" help:"Id of the plugin."`
}

type pluginEnableCmd struct{ ofPlugin }

// Run switches a plugin on.
func (c pluginEnableCmd) Run(ctx context.Context) error {
	return withPlugins(ctx, func(known *installed.Plugins) error { return known.Switch(ctx, c.ID, true, 0) })
}

type pluginDisableCmd struct{ ofPlugin }

// Run switches a plugin off.
func (c pluginDisableCmd) Run(ctx context.Context) error {
	return withPlugins(ctx, func(known *installed.Plugins) error { return known.Switch(ctx, c.ID, false, 0) })
}

type pluginReloadCmd struct{ ofPlugin }

// Run reloads a plugin.
func (c pluginReloadCmd) Run(ctx context.Context) error {
	return withPlugins(ctx, func(known *installed.Plugins) error { return known.Reload(ctx, c.ID, 0) })
}

type pluginRemoveCmd struct{ ofPlugin }

// Run removes a plugin.
func (c pluginRemoveCmd) Run(ctx context.Context) error {
	return withPlugins(ctx, func(known *installed.Plugins) error { return known.Remove(ctx, c.ID) })
}

type pluginSetCmd struct {
	ofPlugin

	Name  string `arg:"" help:"Name of the setting."`
	Value string `arg:"" optional:"" help:"Its value; left out: it is asked for. A secret is always asked for."`
	Unset bool   `help:"Forget the value."`
}

// Run gives a setting a value.
func (c pluginSetCmd) Run(ctx context.Context) error {
	return withPlugins(ctx, func(known *installed.Plugins) error {
		p, err := known.Get(ctx, c.ID)
		if err != nil {
			return err
		}
		var value any
		if !c.Unset {
			if value, err = c.value(p); err != nil {
				return err
			}
		}
		return known.Change(ctx, c.ID, nil, plugin.Values{c.Name: value}, 0, 0)
	})
}

// value reads the value that was written.
func (c pluginSetCmd) value(p installed.Plugin) (any, error) {
	i := slices.IndexFunc(p.Contributes.Settings, func(s plugin.Setting) bool { return s.Name == c.Name })
	if i < 0 {
		return nil, fault.Errorf(fault.Invalid, "the plugin %s has no setting %s", c.ID, c.Name)
	}
	of := p.Contributes.Settings[i]
	text := c.Value
	var err error
	switch d := newDialog(os.Stdin, os.Stderr); {
	case of.Type == plugin.Secret && text != "":
		return nil, fault.Errorf(fault.Invalid, "others on this machine see arguments of programs: leave the value of %s out, and it is asked for", c.Name)
	case of.Type == plugin.Secret:
		text, err = d.needSecret(c.Name)
	case text == "":
		text, err = d.need(c.Name)
	}
	if err != nil || of.Type != plugin.Number && of.Type != plugin.Boolean {
		return text, err
	}
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return text, nil // which is then refused by its type
	}
	return value, nil
}

// lookPlugins finds plugins that do not work, and reports when others failed last.
func lookPlugins(ctx context.Context, _ *installation) (string, error) {
	var found, failing []string
	err := withPlugins(ctx, func(known *installed.Plugins) error {
		all, err := known.All(ctx)
		for _, p := range all {
			line := fmt.Sprintf("\n    %s %s, %s", p.Plugin.ID, p.Plugin.Version, pluginState(p))
			if problem := pluginProblem(p); problem != "" {
				line += "\n      " + printable(problem)
			}
			if failure := lastFailure(p); failure != "" {
				line += "\n      last failure " + failure
			}
			if found = append(found, line); pluginState(p) == "failing" {
				failing = append(failing, p.Plugin.ID)
			}
		}
		return err
	})
	switch {
	case err != nil:
		return "", err
	case len(failing) > 0:
		return "", fmt.Errorf("failing: %s. Mend and install it again, xbot plugin reload it, or xbot plugin disable it%s", strings.Join(failing, ", "), strings.Join(found, ""))
	case len(found) == 0:
		return "none", nil
	}
	return fmt.Sprintf("%d installed, none is failing%s", len(found), strings.Join(found, "")), nil
}
