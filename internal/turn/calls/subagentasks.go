package calls

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/user/users"
)

// maxAbout limits the summary of a call in the notice that a subagent asks about it, in characters.
const maxAbout = 200

// askParent notifies the user's conversation that a subagent below it asks for permission: users do not read the
// conversation of a subagent without a notice.
func askParent(ctx context.Context, t *pg.Tx, call dbsqlc.ToolCall) error {
	agent, err := dbsqlc.Q.SubagentGet(ctx, t, call.SessionKey)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read subagent %s: %w", call.SessionKey, err)
	}
	lang, err := users.LanguageOf(ctx, t, 0, agent.Root, "")
	if err != nil {
		return err
	}
	about := chat.FirstWords(call.Summary, maxAbout)
	return conversation.AppendNotice(ctx, t, agent.Root, "", i18n.Say(lang, i18n.SubagentAsks, conversation.RefOf(agent).Name(), call.Name, about))
}
