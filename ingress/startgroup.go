package ingress

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/workflows"
)

// StartGroup tells the workflow of a group chat that something was said, starting it if none runs. It may be repeated at will.
func (s *Starter) StartGroup(ctx context.Context, id chat.GroupID) error {
	key, user, topic, err := s.Rows.Group(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	summary := "group chat"
	if s.Words {
		summary += " · " + chat.FirstWords(topic, commandWords)
	}
	o := s.options(workflows.GroupChatID(id), summary, key, user, workflows.KindGroupChat, s.Attributes())
	return s.signal(ctx, o, workflows.NameGroupChat, workflows.GroupChatInput{Group: id, Attributes: s.Attributes()})
}
