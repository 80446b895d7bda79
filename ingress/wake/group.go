package wake

import (
	"context"
	"errors"

	"go.temporal.io/api/serviceerror"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/workflows"
)

// StartGroup signals the workflow of a group chat that a message came, starting it if none runs; that of one that was deleted ends.
// It may be repeated at will.
func (s *Starter) StartGroup(ctx context.Context, id chat.GroupID) error {
	key, user, topic, err := s.Agents.Group(ctx, id)
	if fault.Is(err, fault.NotFound) {
		err = s.Client.SignalWorkflow(ctx, workflows.GroupChatID(id), "", workflows.SignalWake, nil)
		if _, ended := errors.AsType[*serviceerror.NotFound](err); ended {
			return nil
		}
		return err
	}
	if err != nil {
		return err
	}
	summary := "group chat"
	if s.Words {
		summary += " · " + chat.FirstWords(topic, commandWords)
	}
	o := s.options(workflows.GroupChatID(id), summary, key, user, workflows.KindGroupChat, s.Attributes.Known())
	return s.signal(ctx, o, workflows.NameGroupChat, workflows.GroupChatInput{Group: id, Attributes: s.Attributes.Known(), Waits: s.Attributes.Waits(), User: user})
}
