package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"xbot/ingress/api"
	"xbot/internal/host/config"
	"xbot/internal/host/reference"
	"xbot/server"
)

// referenceCmd is for "make gen".
type referenceCmd struct {
	Root string `arg:"" help:"Folder of the sources."`
	Out  string `arg:"" help:"Folder that the pages are written to."`
	// Programs saves linking xbot-cli and xbot-runner where they are built.
	Programs string `help:"Folder of built programs; without it they are built."`
}

// Run writes the pages of docs/reference that are made from the code.
func (c referenceCmd) Run(ctx context.Context) error {
	pages := map[string]string{
		"settings.md": reference.Settings(config.Groups()),
		"tools.md":    reference.Tools(server.Tools()),
		"commands.md": reference.Commands(server.SlashCommands()),
		"api.md":      reference.API(api.Document()),
		"hooks.md":    reference.Hooks(),
	}
	schema, err := reference.PolicySchema(filepath.Join(c.Root, "internal", "turn", "policy"))
	if err != nil {
		return err
	}
	pages["policy.schema.json"] = string(schema)
	if pages["cli.md"], err = c.commandLine(ctx); err != nil {
		return err
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(c.Out, name), []byte(text), 0o644); err != nil { //nolint:gosec // pages are for everybody
			return err
		}
	}
	return nil
}

func (c referenceCmd) commandLine(ctx context.Context) (string, error) {
	parser, err := newParser()
	if err != nil {
		return "", err
	}
	var others []reference.Help
	for _, name := range []string{"xbot-cli", "xbot-runner"} { // they are separate programs
		ask := exec.CommandContext(ctx, "go", "run", "./cmd/"+name, "--help")
		if c.Programs != "" {
			ask = exec.CommandContext(ctx, filepath.Join(c.Programs, name), "--help")
		}
		ask.Dir = c.Root
		said, err := ask.Output()
		if err != nil {
			return "", fmt.Errorf("ask %s for its flags: %w", name, err)
		}
		others = append(others, reference.Help{Program: name, Text: string(said)})
	}
	// Building xbot-temporal takes minutes, so its help is kept in a file, which a test of that module compares with the program.
	kept, err := os.ReadFile(filepath.Join(c.Root, "cmd", "xbot-temporal", "testdata", "help.txt"))
	if err != nil {
		return "", fmt.Errorf("read the help of xbot-temporal: %w", err)
	}
	others = append(others, reference.Help{Program: "xbot-temporal", Text: string(kept)})
	return reference.CLI(parser.Model, others...), nil
}
