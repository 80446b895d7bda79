package wake

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/session"
	"xbot/workflows"
)

// Agents returns the subagent of a session. It returns NotFound if the session is not a subagent's.
type Agents interface {
	Subagent(ctx context.Context, key chat.SessionKey) (chat.SubagentRef, error)
}

// WorkflowOf returns the id of the workflow that runs the turns of a session, and the subagent that it is, if it is one.
func WorkflowOf(ctx context.Context, agents Agents, key chat.SessionKey) (id string, agent *chat.SubagentRef, err error) {
	parsed, err := session.Parse(key)
	if err != nil || parsed.Kind != session.KindSubagent || agents == nil {
		return workflows.TurnID(key), nil, nil // an unreadable key has turns like others
	}
	ref, err := agents.Subagent(ctx, key)
	if fault.Is(err, fault.NotFound) {
		return workflows.TurnID(key), nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	return workflows.SubagentID(ref), &ref, nil
}
