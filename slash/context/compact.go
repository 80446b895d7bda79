// Package context has the slash commands that show and compress the context of the model, and count tokens.
package context

import (
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
)

// Compact is /compact. It waits for its place in the queue, since a turn that runs has begun with the conversation as it is. The
// turn summarizes the conversation with the activity that does so when the context fills up.
type Compact struct{}

var _ slashcommand.Command = Compact{}

// Spec describes the command.
func (Compact) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "compact", Aliases: []string{"compress"}, Usage: "[FOCUS]", Help: i18n.HelpCompact, Group: slashcommand.GroupContext, When: slashcommand.InTurn}
}
