package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"xbot/ingress/hooks"
	"xbot/internal/automation/hook"
	"xbot/internal/automation/hook/ask"
	"xbot/internal/fault"
	"xbot/internal/host/config"
	"xbot/internal/host/safehttp"
	"xbot/server"
)

type hooksCmd struct {
	Check hooksCheckCmd `cmd:"" help:"Check a hooks file; default: hooks.json in XBOT_HOME."`
	Test  hooksTestCmd  `cmd:"" help:"Run the hooks of XBOT_HOME with a sample event, without consequences. Commands that would run in a sandbox run on this machine."`
}

type hooksCheckCmd struct {
	File    string `arg:"" optional:"" complete:"file" help:"File to check; default: hooks.json in XBOT_HOME."`
	Project bool   `help:"Check the file as one of a project (.xbot/hooks.json)."`
}

// Run checks a file without a server.
func (c hooksCheckCmd) Run() error {
	cfg, err := load[config.Serve]()
	if err != nil {
		return err
	}
	if c.File == "" {
		c.File = server.HooksFile(cfg.Dir)
	}
	set, err := readHooks(c.File, c.Project, cfg.Permissions)
	if err != nil {
		return err
	}
	for _, h := range set.Handlers() {
		fmt.Printf("%-18s %s\n", h.Event, h.Label())
	}
	for _, f := range set.Faults() {
		fmt.Printf("✗ %s\n", f)
	}
	if n := len(set.Faults()); n > 0 {
		return fault.Errorf(fault.Invalid, "%d faults; until they are mended, calls of tools may be refused", n)
	}
	fmt.Printf("%s: %d handlers, no faults\n", c.File, len(set.Handlers()))
	return nil
}

// readHooks reads one file. That of a project is checked as if the administrator allowed commands.
func readHooks(file string, project bool, cfg config.Permissions) (hook.Set, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return hook.Set{}, fault.Errorf(fault.NotFound, "there is no file %s, so there are no hooks", file)
	}
	if err != nil {
		return hook.Set{}, err
	}
	grants := server.HookGrants(cfg, ask.Standard(slog.New(slog.DiscardHandler)))
	if project {
		return hook.Merge(hook.Config{Commands: true}, hook.Parse(text, file, hook.LayerProject, grants)), nil
	}
	return hook.Merge(hook.Parse(text, file, hook.LayerHome, grants)), nil
}

type hooksTestCmd struct {
	Event string `arg:"" help:"Name of the event, for example PreToolUse."`
	Tool  string `arg:"" optional:"" default:"Shell" help:"Name of the tool, for events about a tool."`
	Input string `arg:"" optional:"" default:"{}" help:"Arguments of the tool as JSON; for UserPromptSubmit: the message."`
}

// Run asks the hooks of the administrator's file.
func (c hooksTestCmd) Run(ctx context.Context) error {
	cfg, err := load[config.Serve]()
	if err != nil {
		return err
	}
	allow, err := safehttp.ParseAllow(cfg.HTTPAllow)
	if err != nil {
		return err
	}
	env, err := config.Variables(os.Environ())
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	here := ask.Host{}
	tried := &hooks.Admin{
		Files: &hook.Live{File: server.HooksFile(cfg.Dir), Grants: server.HookGrants(cfg.Permissions, ask.Standard(log))},
		Dispatcher: &hook.Dispatcher{Log: slog.New(slog.DiscardHandler), Kinds: map[hook.Kind]hook.Asker{
			hook.KindCommand:  ask.Command{Sandbox: here, Host: here},
			hook.KindHTTP:     ask.NewHTTP(safehttp.New(allow), env, "xbot/"+version),
			hook.KindCallback: ask.Standard(log),
		}},
	}
	asked, out, err := tried.Try(ctx, "", c.Event, c.Tool, c.Input)
	if err != nil {
		return err
	}
	fmt.Println(hook.Tried(asked, out))
	return nil
}

// lookHooks checks the administrator's hooks file.
func lookHooks(_ context.Context, d *installation) (string, error) {
	set, err := readHooks(server.HooksFile(d.cfg.Dir), false, d.cfg.Permissions)
	if fault.Is(err, fault.NotFound) {
		return "none", nil
	}
	if err != nil {
		return "", err
	}
	if faults := set.Faults(); len(faults) > 0 {
		return "", fmt.Errorf("%s (%d faults in all; see xbot hooks check)", faults[0], len(faults))
	}
	return fmt.Sprintf("%d handlers", len(set.Handlers())), nil
}
