package ingress_test

import (
	"context"

	"xbot/ingress/gateway"
	"xbot/ingress/intake"
	"xbot/internal/slash"
	"xbot/slash/account"
	"xbot/slash/admin"
	"xbot/slash/conversation"
	"xbot/slash/queue"
)

// command is a command of a test. One without run is carried out by a turn.
type command struct {
	spec slash.Spec
	run  func(ctx context.Context, in slash.Request, args string) (string, error)
}

func (c command) Spec() slash.Spec { return c.spec }

func (c command) Run(ctx context.Context, in slash.Request, args string) (string, error) {
	return c.run(ctx, in, args)
}

// splitting is a command behind which a message may stand.
type splitting struct {
	command

	split func(ctx context.Context, args string) (own, text string)
}

func (s splitting) Split(ctx context.Context, args string) (own, text string) {
	return s.split(ctx, args)
}

// knowing reads texts as these commands.
func knowing(people intake.People, list ...slash.Command) *intake.Commands {
	return intake.NewCommands(people, slash.NewRegistry(intake.Standings{People: people}, list...))
}

// platformCommands are those that are about platforms.
func platformCommands(g *gateway.Gateway) []slash.Command {
	return []slash.Command{
		conversation.Session{Store: g.Store}, queue.Send{Store: g.Store}, queue.Activation{Store: g.Store},
		account.Link{Store: g.Store, Codes: g}, admin.Pair{Store: g.Store},
	}
}
