// Package tui is the interactive terminal: a conversation above, a line to type at below. It draws what package story
// knows, and asks the server for everything else. The conversation lives on the server; closing the terminal loses
// nothing.
package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/graphics"
	"xbot/internal/client/cli/history"
	"xbot/internal/client/cli/local"
	"xbot/internal/client/cli/location"
	"xbot/internal/fault"
)

// Options are what the program needs to run.
type Options struct {
	Client  *apiclient.Client
	Me      apiclient.Me
	Session chat.Session    // to continue; without a key a new one is made with the first message
	Server  *local.Server   // the user's own server, started again when it is away; may be nil
	Place   location.Finder // where commands run
	History history.File    // what was typed, across sessions
	Wide    bool            // prose uses the whole width
	// Pictures is what the terminal can draw. On the whole screen they are drawn if it supports pictures in cells.
	Pictures graphics.Terminal
	In       *os.File
	Out      *os.File
	Environ  []string
	Version  string
}

// ErrInterrupted is the error of a conversation that was left with Ctrl-C. The caller prints no error.
var ErrInterrupted = errors.New("interrupted")

// Run holds the conversation until the user leaves.
func Run(ctx context.Context, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := newModel(ctx, o)
	program := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithEnvironment(o.Environ))
	m.tell = program.Send
	_, err := program.Run()
	m.close()
	if err != nil && !errors.Is(err, tea.ErrProgramKilled) && !errors.Is(err, tea.ErrInterrupted) {
		return fault.Errorf(fault.Internal, "draw on the terminal: %w", err)
	}
	if _, err := fmt.Fprint(o.Out, m.gallery.takeAll()); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	if said := farewell(o.Out, m); said != nil {
		return said
	}
	if m.interrupted || errors.Is(err, tea.ErrInterrupted) {
		return ErrInterrupted
	}
	return nil
}

// farewell prints, on the screen that the terminal returns to, how to come back and what was not sent.
func farewell(out *os.File, m *model) error {
	var text strings.Builder
	for _, unsent := range m.outbox {
		fmt.Fprintf(&text, "Not sent, because the server was away: %s\n", unsent.text)
	}
	if m.session.Key != "" {
		if m.running() {
			text.WriteString("The answer goes on being written. ")
		}
		fmt.Fprintf(&text, "Continue with: xbot-cli --session '%s'\n", m.session.Key)
	}
	if _, err := fmt.Fprint(out, text.String()); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
