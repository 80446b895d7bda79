package intake_test

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/turn/slashcommand"
)

// command is a command of a test. One without run is carried out by a turn.
type command struct {
	spec slashcommand.Spec
	run  func(ctx context.Context, in slashcommand.Request, args string) (string, error)
}

func (c command) Spec() slashcommand.Spec { return c.spec }

func (c command) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	return c.run(ctx, in, args)
}

// splitting is a command behind which a message may stand.
type splitting struct {
	command

	split func(ctx context.Context, args string) (own, text string)
}

func (s splitting) Split(ctx context.Context, _ chat.UserID, args string) (own, text string) {
	return s.split(ctx, args)
}
