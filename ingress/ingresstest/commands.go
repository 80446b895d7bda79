package ingresstest

import (
	"xbot/ingress/gateway"
	"xbot/ingress/intake"
	"xbot/internal/turn/slash"
	"xbot/slash/account"
	"xbot/slash/admin"
	"xbot/slash/conversation"
	"xbot/slash/queue"
)

// Commands reads texts as these commands.
func Commands(people intake.People, list ...slash.Command) *intake.Commands {
	return CommandsUnder(nil, people, list...)
}

// CommandsUnder reads texts as these commands, under a policy.
func CommandsUnder(policies intake.Policies, people intake.People, list ...slash.Command) *intake.Commands {
	callers := intake.Callers{People: people, Policies: policies}
	return intake.NewCommands(callers, slash.NewRegistry(callers, list...))
}

// PlatformCommands are those that are about platforms.
func PlatformCommands(g *gateway.Gateway) []slash.Command {
	return []slash.Command{
		conversation.Session{Store: g.Store}, queue.Send{Store: g.Store}, queue.Activation{Store: g.Store},
		account.Link{Store: g.Store, Codes: g}, account.Unlink{Store: g.Store, Policies: g.Policies}, admin.Pair{Store: g.Store},
	}
}
