package model

import (
	"context"

	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
)

// Models is /models: which models there are.
type Models struct{ Known Known }

var _ slashcommand.Runner = Models{}

// Spec describes the command.
func (Models) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "models", Help: i18n.HelpModels, Group: slashcommand.GroupModel}
}

// Run lists them.
func (m Models) Run(ctx context.Context, in slashcommand.Request, _ string) (string, error) {
	return m.Known.List(ctx, in.Session, in.Lang)
}
