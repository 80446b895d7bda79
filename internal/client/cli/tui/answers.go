package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	pageSize  = 200             // messages that are loaded at once
	pageTurns = 50              // turns whose end is looked up for them
	tryAgain  = time.Second     // between attempts to reach a server that is away
	restart   = 3 * time.Second // how long the user's own server may be away when there is something to send
)

// response takes the result of a request into the model. Update calls it, in the goroutine of the program.
type response func() tea.Cmd

// requestThen returns a command that asks the server, and then has take change the model. take returns the next command.
func requestThen[T any](m *model, ask func(context.Context) (T, error), take func(T, error) tea.Cmd) tea.Cmd {
	return m.do(func(ctx context.Context) tea.Msg {
		got, err := ask(ctx)
		return response(func() tea.Cmd { return take(got, err) })
	})
}

// request is requestThen where nothing follows.
func request[T any](m *model, ask func(context.Context) (T, error), take func(T, error)) tea.Cmd {
	return requestThen(m, ask, func(got T, err error) tea.Cmd {
		take(got, err)
		return nil
	})
}

// later returns a command that changes the model after a pause.
func later(pause time.Duration, do response) tea.Cmd {
	return tea.Tick(pause, func(time.Time) tea.Msg { return do })
}

// complaining shows an error behind what was not done; without an error it shows nothing.
func (m *model) complaining(about string) func(any, error) {
	return func(_ any, err error) {
		if err != nil {
			m.complain(about + err.Error())
		}
	}
}
