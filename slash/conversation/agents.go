// Package conversation has the slash commands of a conversation: begin, continue, rewind, search; its jobs, subagents and group chats.
package conversation

import (
	"context"
	"strings"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/extension/role"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
)

// Roles know who work can be handed to in a conversation.
type Roles interface {
	RolesOf(ctx context.Context, key chat.SessionKey) ([]role.Role, []role.Broken, error)
}

// Agents is /agents: who work can be handed to.
type Agents struct{ Roles Roles }

var _ slashcommand.Runner = Agents{}

// Spec describes the command.
func (Agents) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "agents", Help: i18n.HelpAgents, Group: slashcommand.GroupConversation, Who: slashcommand.Owner}
}

// Run lists the roles, and the files that are none.
func (a Agents) Run(ctx context.Context, in slashcommand.Request, _ string) (string, error) {
	roles, broken, err := a.Roles.RolesOf(ctx, in.Session)
	if err != nil {
		return "", err
	}
	rows := make([][]string, len(roles))
	for i, r := range roles {
		from := i18n.Say(in.Lang, i18n.AgentsOf)
		switch {
		case r.Own:
			from = i18n.Say(in.Lang, i18n.AgentsOwn)
		case r.From != "":
			from = markdown.Code(r.From)
		}
		rows[i] = []string{"`" + r.Name + "`", strings.ReplaceAll(chat.FirstWords(r.Description, 200), "|", "/"), from}
	}
	out := []string{markdown.Table(i18n.Say(in.Lang, i18n.AgentsHead), rows)}
	for _, b := range broken {
		out = append(out, i18n.Say(in.Lang, i18n.AgentsBroken, markdown.Code(b.File), b.Why))
	}
	return strings.Join(out, "\n\n"), nil
}
