package consumer

import (
	"context"
	"encoding/json"
	"errors"
	"iter"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"xbot/ingress/replystream"
	"xbot/ingress/sse"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// event is an event of a stream. Members that a type does not have are left out.
type event struct {
	Type      string  `json:"type"`
	Message   string  `json:"message_id,omitempty"`
	Turn      string  `json:"turn_id,omitempty"`
	Origin    string  `json:"origin,omitempty"`
	ID        string  `json:"id,omitempty"`
	Name      string  `json:"name,omitempty"`
	Args      *string `json:"args,omitempty"`
	ArgsDelta string  `json:"args_delta,omitempty"`
	Content   *string `json:"content,omitempty"`
	Reasoning string  `json:"reasoning,omitempty"`
	OK        *bool   `json:"ok,omitempty"`
	By        string  `json:"by,omitempty"`
	Finish    string  `json:"finish_reason,omitempty"`
	Usage     *usage  `json:"usage,omitempty"`
	Code      string  `json:"code,omitempty"`
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

// eventWriter writes the events of the answer that q names to s, until they end.
type eventWriter func(ctx context.Context, v *visit, s *events, q replystream.Question) error

// tellAnswer writes the events of an answer. Without a message no answer is in progress, and it writes done.
func (a *API) tellAnswer(ctx context.Context, v *visit, s *events, q replystream.Question) error {
	if q.Message == 0 {
		return s.send(0, event{Type: "done", Finish: "stop"})
	}
	q.Beside = true
	return a.tellAll(v, s, a.Answers.Follow(ctx, q))
}

// stream answers with a stream of events.
func (a *API) stream(v *visit, q replystream.Question, tell eventWriter) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hctx huma.Context) {
		_, w := humago.Unwrap(hctx)
		s := &events{Writer: sse.Open(w, "no-cache"), lang: q.Lang}
		ctx := v.r.Context()
		err := s.Comment("xbot")
		if gone := tell(ctx, v, s, q); err == nil {
			err = gone
		}
		if err != nil && ctx.Err() == nil {
			a.Log.Debug("a stream of a consumer ended", "session", q.Session, "error", err)
		}
	}}
}

// tellAll writes events until they end. If they end with an error that the reader has to know, such as an invalid key, it writes that as the last
// event. After any other error the stream is only closed, and the reader may open it again.
func (a *API) tellAll(v *visit, s *events, all iter.Seq2[replystream.Event, error]) error {
	for e, err := range all {
		if err != nil {
			return errors.Join(err, s.refused(err))
		}
		if begun, ok := e.Content.(replystream.TurnStarted); ok && v.record.Turn == "" {
			v.record.Turn = begun.Turn
		}
		if err := s.write(e); err != nil {
			return err
		}
	}
	return nil
}

// events writes the events of a stream to a consumer.
type events struct {
	*sse.Writer
	lang i18n.Lang
}

// write writes an event of an answer in the form for its consumer.
func (s *events) write(e replystream.Event) error {
	switch what := e.Content.(type) {
	case replystream.Accepted:
		return s.send(e.Seq, event{Type: "accepted", Message: userID(what.Message)})
	case replystream.TurnStarted:
		return s.begun(e.Seq, what)
	case replystream.Text:
		return s.send(0, event{Type: "token", Content: &what.Piece})
	case replystream.Reasoning:
		return s.send(0, event{Type: "thinking", Content: &what.Piece})
	case replystream.Arguments:
		return s.argue(what)
	case replystream.Restart:
		return s.send(0, event{Type: "restart"})
	case replystream.Message:
		return s.send(e.Seq, event{Type: "message", Content: &what.Text, Reasoning: what.Reasoning})
	case replystream.Call:
		return s.send(e.Seq, event{Type: "tool_call", ID: string(what.ID), Name: what.Tool, Args: new(cut(what.Arguments))})
	case replystream.Result:
		return s.send(e.Seq, event{Type: "tool_result", ID: string(what.ID), Name: what.Tool, Content: new(cut(what.Text)), OK: &what.OK})
	case replystream.Waiting:
		return s.send(e.Seq, event{Type: "waiting", Content: new(i18n.Say(s.lang, waits(what.Reason)))})
	case replystream.Done:
		return s.send(e.Seq, event{Type: "done", Finish: what.Finish, Usage: counted(what.Usage)})
	case replystream.Failure:
		return s.failed(e.Seq, what)
	case replystream.OutsideMessage:
		return s.send(e.Seq, event{Type: "said", Message: answerID(what.Message), Content: &what.Text, By: by(what.Person)})
	case replystream.Handover:
		return s.send(e.Seq, event{Type: "answers", By: by(what.Person)})
	case replystream.Changed:
		return s.send(e.Seq, event{Type: "changed"})
	case replystream.Ping:
		return s.Comment("ping")
	}
	return nil
}

// begun writes the event begun for an answer that a scheduled task or job started. Answers to messages have none.
func (s *events) begun(seq int64, b replystream.TurnStarted) error {
	if !b.Task {
		return nil
	}
	return s.send(seq, event{Type: "begun", Turn: string(b.Turn), Origin: originTask})
}

// argue writes a piece of the arguments of a call, without what exceeds maxShown.
func (s *events) argue(a replystream.Arguments) error {
	shown := head(a.Piece, maxShown-a.Offset)
	if shown == "" {
		return nil
	}
	return s.send(0, event{Type: "tool_call_chunk", ID: string(a.ID), Name: a.Tool, ArgsDelta: shown})
}

// The authors of messages that the consumer did not write.
const (
	byAgent  = "agent"
	byPerson = "person"
)

// originTask is the origin of an answer that a scheduled task or job has begun.
const originTask = "task"

func by(person bool) string {
	if person {
		return byPerson
	}
	return byAgent
}

// failed writes why there is no answer. For an answer that was stopped before it began it writes done.
func (s *events) failed(seq int64, f replystream.Failure) error {
	switch {
	case f.Kind == replystream.Dropped && f.Outcome == "stopped":
		return s.send(seq, event{Type: "done", Finish: chat.FinishStopped, Usage: counted(f.Usage)})
	case f.Kind == replystream.Dropped && f.Outcome == replystream.OutcomeTaken:
		if err := s.send(0, event{Type: "waiting", Content: new(i18n.Say(s.lang, i18n.ServiceTaken))}); err != nil {
			return err
		}
		return s.send(seq, event{Type: "done", Finish: "stop", Usage: counted(f.Usage)})
	case f.Kind == replystream.Dropped:
		return s.send(seq, event{Type: "error", Code: "dropped", Content: new(i18n.Say(s.lang, i18n.ConsumerDropped))})
	}
	return s.send(seq, event{Type: "error", Code: string(f.Kind), Content: new(sentence(s.lang, f.Text))})
}

// refused writes why the reader has no more access. It writes nothing for other errors.
func (s *events) refused(err error) error {
	_, noKey := errors.AsType[*keyError](err)
	switch {
	case noKey:
		return s.send(0, event{Type: "error", Code: "unauthorized", Content: new(err.Error())})
	case fault.Is(err, fault.Denied):
		return s.send(0, event{Type: "error", Code: string(fault.Denied), Content: new(err.Error())})
	case fault.Is(err, fault.NotFound):
		return s.send(0, event{Type: "error", Code: string(fault.NotFound), Content: new(errNoConversation.Error())})
	}
	return nil
}

func waits(why replystream.Reason) i18n.ID {
	switch why {
	case replystream.WaitsForSlot:
		return i18n.ConsumerWaitsSlot
	case replystream.WaitsForPerson:
		return i18n.ConsumerWaitsPerson
	}
	return i18n.ConsumerWaitsModel
}

func counted(u chat.Usage) *usage {
	return &usage{Prompt: u.PromptTokens, Completion: u.CompletionTokens, Total: u.PromptTokens + u.CompletionTokens}
}

func (s *events) send(seq int64, e event) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return s.Event(seq, "", data)
}
