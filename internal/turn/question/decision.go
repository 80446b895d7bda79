package question

import (
	"strings"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/i18n"
)

// Decided returns the sentence for users about the decision on a call.
func Decided(lang i18n.Lang, call chat.ToolCall, allowed bool) string {
	switch {
	case call.Plan == nil:
	case allowed:
		return i18n.Say(lang, i18n.PlanTaken)
	case call.Approval == nil || call.Approval.Note == "":
		return i18n.Say(lang, i18n.PlanBack)
	default:
		return i18n.Say(lang, i18n.PlanBackNote, chat.FirstWords(call.Approval.Note, maxShown))
	}
	say := i18n.Denied
	if allowed {
		say = i18n.Allowed
	}
	return i18n.Say(lang, say, strings.TrimSuffix(call.Name+" · "+markdown.Code(call.Summary), " · "))
}
