package inbox

import (
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/store/pg"
)

// OutcomeRecalled is the outcome of a row whose sender took it back.
const OutcomeRecalled = "recalled"

// EmitDropped tells the sender of a row that it gets no turn, and why, and returns what was said.
func EmitDropped(t *pg.Tx, key chat.SessionKey, id chat.InboxID, text, outcome string, say i18n.ID, args ...any) string {
	told := i18n.Say(i18n.Of(text), say, args...)
	t.Emit(key, chat.EventDropped, chat.Dropped{Inbox: id, Outcome: outcome, Text: told})
	return told
}
