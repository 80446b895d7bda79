package ingress

import "xbot/internal/i18n"

// CompactCommand is /compact. It waits for its place in the queue, since a turn that runs has begun with the conversation
// as it is.
func CompactCommand() Command {
	return Command{Name: "compact", Aliases: []string{"compress"}, Usage: "[FOCUS]", Help: i18n.HelpCompact, Group: GroupContext, Queued: true}
}
