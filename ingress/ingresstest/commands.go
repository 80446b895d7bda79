package ingresstest

import (
	"xbot/ingress/gateway"
	"xbot/ingress/intake"
	"xbot/internal/store"
	"xbot/internal/turn/slashcommand"
	"xbot/slash/account"
	"xbot/slash/admin"
	"xbot/slash/conversation"
	"xbot/slash/queue"
)

// Commands reads texts as these commands.
func Commands(rows *store.Store, list ...slashcommand.Command) *intake.Commands {
	return CommandsUnder(nil, rows, list...)
}

// CommandsUnder reads texts as these commands, under a policy.
func CommandsUnder(policies intake.Policies, rows *store.Store, list ...slashcommand.Command) *intake.Commands {
	callers := intake.Callers{Conversations: rows.Conversations, Inbox: rows.Inbox, Users: rows.Users, Policies: policies}
	return intake.NewCommands(callers, slashcommand.NewRegistry(callers, list...))
}

// PlatformCommands returns the commands about platforms.
func PlatformCommands(g *gateway.Gateway) []slashcommand.Command {
	return []slashcommand.Command{
		conversation.Session{
			Conversations: g.Stores.Conversations, Routing: g.Stores.Routing, Users: g.Stores.Users,
		}, queue.Send{Conversations: g.Stores.Conversations, Routing: g.Stores.Routing}, queue.Activation{Conversations: g.Stores.Conversations, Routing: g.Stores.Routing},
		account.Link{Conversations: g.Stores.Conversations, Links: g.Stores.Links, Codes: g}, account.Unlink{
			Conversations: g.Stores.Conversations, Links: g.Stores.Links, Policies: g.Policies,
		}, admin.Pair{Store: g.Stores.Users},
	}
}
