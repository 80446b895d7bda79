package conversation

import (
	"context"
	"fmt"
	"strings"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
)

// SubagentStore lists and stops the subagents of a conversation.
type SubagentStore interface {
	SubagentsOf(ctx context.Context, key chat.SessionKey) ([]chat.Subagent, error)
	StopSubagent(ctx context.Context, key chat.SessionKey, why string) (ran bool, err error)
}

// Subagents is /subagents: who works for the conversation.
type Subagents struct{ Store SubagentStore }

var _ slashcommand.Runner = Subagents{}

// Spec describes the command.
func (Subagents) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "subagents", Usage: "[stop [NAME]]", Help: i18n.HelpSubagents, Group: slashcommand.GroupConversation, Who: slashcommand.Owner}
}

// Run lists the subagents, or stops some.
func (s Subagents) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
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

// stop stops the running subagents with a name, or all.
func (s Subagents) stop(ctx context.Context, in slashcommand.Request, all []chat.Subagent, name string) (string, error) {
	var lines []string
	for _, a := range all {
		if name == "" && a.Turn == "" || name != "" && !strings.EqualFold(a.Name(), name) {
			continue
		}
		ran, err := s.Store.StopSubagent(ctx, a.Session, in.Key())
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
