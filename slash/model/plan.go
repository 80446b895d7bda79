package model

import (
	"context"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/slashcommand"
)

// Conversations reads and configures sessions.
type Conversations interface {
	Override(ctx context.Context, key chat.SessionKey, o conversation.Overrides) error
	Session(ctx context.Context, key chat.SessionKey) (chat.Session, chat.UserID, error)
}

// SettingsStore reads the settings of a conversation.
type SettingsStore interface {
	// ModelWanted returns, among other things, whether the running turn has to propose a plan.
	ModelWanted(ctx context.Context, key chat.SessionKey) (chat.ModelCriteria, error)
}

// Plan is /plan: whether plans are approved before anything is changed in a conversation. The text behind it may also be a message,
// which is planned alone; that is read as a directive (internal/turn/command).
type Plan struct {
	Conversations Conversations
	Settings      SettingsStore
}

var _ slashcommand.Runner = Plan{}

// Spec describes the command.
func (Plan) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "plan", Usage: "[on|off|MESSAGE]", Help: i18n.HelpPlan, Group: slashcommand.GroupConversation, Who: slashcommand.Owner}
}

// Run switches it, or shows its state.
func (p Plan) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	switch strings.ToLower(strings.TrimSpace(args)) {
	case "":
		return p.status(ctx, in)
	case "on":
		return i18n.Say(in.Lang, i18n.PlanOn), p.Conversations.Override(ctx, in.Session, conversation.Overrides{Plan: new(true)})
	case "off":
		return i18n.Say(in.Lang, i18n.PlanOff), p.Conversations.Override(ctx, in.Session, conversation.Overrides{Plan: new(false)})
	}
	return "", i18n.Fault(fault.Invalid, i18n.PlanUsage)
}

func (p Plan) status(ctx context.Context, in slashcommand.Request) (string, error) {
	session, _, err := p.Conversations.Session(ctx, in.Session)
	if err != nil {
		return "", err
	}
	running, err := p.Settings.ModelWanted(ctx, in.Session)
	if err != nil {
		return "", err
	}
	lines := []string{i18n.Say(in.Lang, i18n.PlanIsOff)}
	if session.Plan {
		lines[0] = i18n.Say(in.Lang, i18n.PlanIsOn)
	}
	if running.Plan == chat.PlanWanted {
		lines = append(lines, i18n.Say(in.Lang, i18n.PlanNow))
	}
	return i18n.Row(in.Lang, lines...), nil
}
