package model

import (
	"context"

	"xbot/internal/i18n"
	"xbot/internal/turn/slash"
)

// Models is /models: which models there are.
type Models struct{ Known Known }

var _ slash.Runner = Models{}

// Spec describes the command.
func (Models) Spec() slash.Spec {
	return slash.Spec{Name: "models", Help: i18n.HelpModels, Group: slash.GroupModel}
}

// Run lists them.
func (m Models) Run(ctx context.Context, in slash.Request, _ string) (string, error) {
	return m.Known.List(ctx, in.Session, in.Lang)
}
