package realtimeproxy

import (
	"context"
	"time"

	"xbot/internal/chat"
	"xbot/internal/realtime"
	"xbot/internal/realtime/realtimestore"
	"xbot/internal/turn/conversation"
)

// recentMessages is the maximum number of messages that are read for the transcript of a session.
const recentMessages = 60

// begin configures the session after session.created: it sends the prompt, the tools and the end of the conversation, and resumes the open
// exchanges of earlier sessions.
func (s *session) begin(ctx context.Context, e realtime.Event) error {
	s.beta = e.Session == nil || e.Session.Type != "realtime"
	key := s.conversation.Key
	preview, err := s.Prompts.Preview(ctx, key, "", time.Now())
	if err != nil {
		return err
	}
	tools, err := s.Tools.Of(ctx, key)
	if err != nil {
		return err
	}
	s.setup.Instructions, s.setup.Tools = preview.System, tools.Shown()
	if err := s.toService(s.setup.Update(s.beta)); err != nil {
		return err
	}
	transcript, err := s.Conversations.Messages(ctx, key, conversation.Page{Limit: recentMessages})
	if err != nil {
		return err
	}
	for _, item := range realtime.Transcript(transcript.Messages, s.beta) {
		if err := s.toService(item); err != nil {
			return err
		}
	}
	unfinished, err := s.Store.OpenExchanges(ctx, key)
	if err != nil {
		return err
	}
	for _, x := range unfinished {
		if err := s.resume(ctx, x, transcript.Messages); err != nil {
			return err
		}
	}
	if err := s.toPage(realtime.Event{Type: realtime.TypeSessionCreated}); err != nil {
		return err
	}
	return s.requestNext()
}

// resume takes over an exchange of an earlier session, and waits for the results of its calls.
func (s *session) resume(ctx context.Context, from realtimestore.Exchange, messages []chat.Message) error {
	x := &exchange{id: from.ID, transcript: from.Transcript, known: true}
	if err := s.accept(ctx, x); err != nil { // the earlier session may have ended before it
		return err
	}
	answers, err := s.Store.Answers(ctx, x.id)
	if err != nil {
		return err
	}
	claimed := false
	for _, m := range messages {
		claimed = claimed || m.ClientMessageID == x.id
	}
	if !claimed {
		if err := s.toService(realtime.MessageItem(chat.RoleUser, x.transcript, s.beta)); err != nil {
			return err
		}
	}
	s.exchanges = append(s.exchanges, x)
	for step, a := range answers {
		x.step, x.answered = step+1, true
		if err := s.resumeCalls(ctx, x, a, step == len(answers)-1); err != nil {
			return err
		}
	}
	if len(answers) == 0 {
		s.due = append(s.due, x)
	}
	return nil
}

// resumeCalls sends the calls of an answer to the new session, with their results. Results of the last answer follow when its calls end.
func (s *session) resumeCalls(ctx context.Context, x *exchange, a realtime.Answer, last bool) error {
	for _, c := range a.Calls {
		if err := s.toService(realtime.CallItem(c)); err != nil {
			return err
		}
	}
	if last {
		x.calls = a.Calls
		return nil
	}
	done, err := s.Store.Calls(ctx, s.conversation.Key, x.id, x.step-1)
	if err != nil {
		return err
	}
	for _, c := range done {
		if err := s.toService(realtime.ResultItem(c.ProviderID, resultOf(c))); err != nil {
			return err
		}
	}
	return nil
}
