package replystream

import (
	"context"
	"iter"

	"xbot/internal/chat"
	"xbot/internal/turn/conversation"
)

// Watch yields the events of a conversation after a cursor: each answer as Follow yields it, and the messages between answers. Without a cursor,
// where After and First are zero, it begins with the next event. It does not end with an answer. An error comes last, as of Follow. Watch ignores
// the message of the question.
func (s *Source) Watch(ctx context.Context, q Question) iter.Seq2[Event, error] {
	q.Message, q.Beside = 0, true
	return s.events(ctx, q, true)
}

// FromNow notes the newest event, so that Watch without a cursor yields all that comes from this moment on.
func (s *Source) FromNow(ctx context.Context, q Question) (Question, error) {
	if q.After > 0 || q.First {
		return q, nil
	}
	now, err := s.Conversations.Messages(ctx, q.Session, conversation.Page{Limit: 1})
	q.newest = &now.Seq
	return q, err
}

// open yields the events since the cursor. The turn that ran there is read from its beginning, so that its end is understood.
func (f *follower) open(ctx context.Context) error {
	now, err := f.Conversations.Messages(ctx, f.q.Session, conversation.Page{Limit: 1})
	if err != nil {
		return err
	}
	lost := f.q.After > now.Seq // the database is older than the cursor
	if f.q.After == 0 && !f.q.First || lost {
		f.q.After = now.Seq
		if f.q.newest != nil {
			f.q.After = *f.q.newest
		}
	}
	began, err := f.Answers.TurnBegan(ctx, f.q.Session, f.q.After)
	if err != nil {
		return err
	}
	if f.q.After < now.Seq { // events are pruned by age, and have no gaps otherwise
		next, err := f.Conversations.EventsAfter(ctx, f.q.Session, f.q.After, 1)
		if err != nil {
			return err
		}
		lost = len(next) == 0 || next[0].Seq > f.q.After+1
	}
	if lost {
		if err := f.emit(0, Changed{}); err != nil {
			return err
		}
	}
	if f.events.Read = f.q.After; began > 0 {
		f.events.Read = began - 1
	}
	return f.events.Rows(ctx)
}

// runs records which turn runs in the conversation.
func (f *follower) runs(seq int64, turn chat.TurnID) error {
	f.leave()
	f.turn, f.foreign, f.joins = turn, "", true
	return f.emit(seq, TurnStarted{Turn: turn, Task: turn == f.task})
}

// between yields a message that belongs to no answer. It reports whether the message was one.
func (f *follower) between(seq int64, m chat.Message) (is bool, err error) {
	switch {
	case m.Role == chat.RoleAssistant && m.Turn == "" && f.q.Beside:
		if m.Silent {
			return true, nil
		}
		return true, f.emit(seq, OutsideMessage{Message: m.ID, Text: m.Content, Person: m.Origin == chat.OriginPerson})
	case m.Role == chat.RoleUser && f.whole:
		if m.Origin == chat.OriginCron {
			f.task = m.Turn // it runs from the next event on
		}
		if m.Inbox == 0 || m.Rewound || m.Origin != "" && m.Origin != chat.OriginSuperseded {
			return true, nil // a message of the product to the model
		}
		return true, f.emit(seq, Accepted{m.Inbox})
	}
	return false, nil
}
