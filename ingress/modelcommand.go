package ingress

import (
	"context"

	"xbot/internal/i18n"
	"xbot/internal/llm/choice"
	"xbot/internal/store"
)

// Minds is how people choose which model answers them, and how it answers.
type Minds struct {
	Store *store.Store
	Desk  choice.Catalog
}

// Commands returns /model, /models, /think and /verbose. A turn carries /model out (activities.ModelOrder).
func (m *Minds) Commands() []Command {
	return []Command{
		{Name: "model", Usage: "[NAME|list|status|default]", Help: i18n.HelpModel, Group: GroupModel, Who: Owner, Queued: true},
		{Name: "models", Help: i18n.HelpModels, Group: GroupModel, Run: func(ctx context.Context, in Inbound, _ string) (string, error) {
			return m.Desk.List(ctx, in.Session, in.Lang)
		}},
		{Name: "think", Usage: "[off|minimal|low|medium|high|xhigh|default]", Help: i18n.HelpThink, Group: GroupModel, Who: Owner, Run: m.think},
		{Name: "verbose", Usage: "[off|on|full|default]", Help: i18n.HelpVerbose, Group: GroupModel, Who: Owner, Run: m.verbose},
	}
}
