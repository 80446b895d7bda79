package replystream

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/conversation"
)

// fromRows yields an answer whose first events are not kept any more, from the transcript. Its events have no cursor.
func (f *follower) fromRows(ctx context.Context) error {
	fate, err := f.Answers.Fate(ctx, f.q.Session, f.q.Message)
	if err != nil {
		return err
	}
	if fate.Outcome == OutcomeTaken {
		return f.end(0, Failure{Kind: Dropped, Outcome: OutcomeTaken, Text: i18n.Say(f.lang(), i18n.ServiceTaken)})
	}
	now, err := f.Conversations.Messages(ctx, f.q.Session, conversation.Page{Limit: 1})
	if err != nil {
		return err
	}
	f.events.Read = now.Seq // the rows are read after it
	place, err := f.Answers.Place(ctx, f.q.Session, f.q.Message)
	switch {
	case fault.Is(err, fault.NotFound) && fate.Turn == "" && fate.Outcome == "":
		return nil // it waits
	case fault.Is(err, fault.NotFound) || err == nil && place.Origin == chat.OriginSuperseded:
		return f.end(0, Failure{Kind: Dropped, Outcome: fate.Outcome})
	case err != nil:
		return err
	}
	f.turn, f.step = place.Turn, place.Step
	if err := f.emit(0, TurnStarted{Turn: place.Turn, Task: place.Origin == chat.OriginCron}); err != nil {
		return err
	}
	if err := f.transcript(ctx, place.Message); err != nil {
		return err
	}
	said, err := f.Answers.TurnAnswer(ctx, f.q.Session, f.turn)
	if err != nil {
		return err
	}
	f.notice = said.Notice
	return f.turned(0, said.Turn)
}

// transcript yields the messages of the turn behind the one that asked.
func (f *follower) transcript(ctx context.Context, after chat.MessageID) error {
	for {
		page, err := f.Conversations.Messages(ctx, f.q.Session, conversation.Page{After: after, Limit: rowBatch, Rewound: true})
		if err != nil {
			return err
		}
		for _, m := range page.Messages {
			after = m.ID
			if m.Turn != f.turn || m.Role != chat.RoleAssistant {
				continue
			}
			if err := f.modelMessage(0, m); err != nil {
				return err
			}
			for _, c := range m.ToolCalls {
				if err := f.tool(0, chat.ToolEvent{Turn: m.Turn, Step: m.Step, ToolCall: c}); err != nil {
					return err
				}
			}
		}
		if !page.HasMore || len(page.Messages) == 0 || page.Messages[len(page.Messages)-1].Turn != f.turn {
			return nil
		}
	}
}
