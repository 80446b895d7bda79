package ingress

import (
	"context"
	"fmt"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/markdown"
	"xbot/internal/role"
)

// Subagents are the commands about who works for a conversation.
type Subagents struct {
	Store interface {
		SubagentsOf(ctx context.Context, key chat.SessionKey) ([]chat.Subagent, error)
		StopSubagent(ctx context.Context, key chat.SessionKey, why string) (ran bool, err error)
	}
	// Roles returns who work can be handed to in a conversation.
	Roles func(ctx context.Context, key chat.SessionKey) ([]role.Role, []role.Broken, error)
}

// Commands returns /subagents and /agents.
func (s *Subagents) Commands() []Command {
	return []Command{
		{Name: "subagents", Usage: "[stop [NAME]]", Help: i18n.HelpSubagents, Group: GroupConversation, Who: Owner, Run: s.run},
		{Name: "agents", Help: i18n.HelpAgents, Group: GroupConversation, Who: Owner, Run: s.roles},
	}
}

func (s *Subagents) run(ctx context.Context, in Inbound, args string) (string, error) {
	all, err := s.Store.SubagentsOf(ctx, in.Session)
	if err != nil {
		return "", err
	}
	word, name, _ := strings.Cut(strings.TrimSpace(args), " ")
	if word == "stop" {
		return s.stop(ctx, in, all, strings.TrimSpace(name))
	}
	if len(all) == 0 {
		return i18n.Say(in.Lang, i18n.SubagentsNone), nil
	}
	rows := make([][]string, len(all))
	for i, a := range all {
		rows[i] = []string{
			strings.Repeat("↳ ", a.Depth-1) + "`" + a.Name() + "`", string(a.State), markdown.Code(a.Tool), fmt.Sprint(a.Steps), markdown.Tokens(a.Tokens),
		}
	}
	return markdown.Table(i18n.Say(in.Lang, i18n.SubagentsHead), rows), nil
}

// stop stops those of a name that run, or all.
func (s *Subagents) stop(ctx context.Context, in Inbound, all []chat.Subagent, name string) (string, error) {
	var lines []string
	for _, a := range all {
		if name == "" && a.Turn == "" || name != "" && !strings.EqualFold(a.Name(), name) {
			continue
		}
		ran, err := s.Store.StopSubagent(ctx, a.Session, in.Channel+"/"+in.Account+"/"+in.PlatformID)
		if err != nil {
			return "", err
		}
		say := i18n.SubagentRests
		if ran {
			say = i18n.SubagentStops
		}
		lines = append(lines, i18n.Say(in.Lang, say, "`"+a.Name()+"`"))
	}
	switch {
	case len(lines) > 0:
		return strings.Join(lines, "\n"), nil
	case name == "":
		return i18n.Say(in.Lang, i18n.SubagentsNone), nil
	}
	return i18n.Say(in.Lang, i18n.SubagentNone, markdown.Code(name)), nil
}

func (s *Subagents) roles(ctx context.Context, in Inbound, _ string) (string, error) {
	roles, broken, err := s.Roles(ctx, in.Session)
	if err != nil {
		return "", err
	}
	rows := make([][]string, len(roles))
	for i, r := range roles {
		from := i18n.Say(in.Lang, i18n.AgentsOf)
		if r.From != "" {
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
