package intake

import (
	"context"
	"encoding/json"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	callsrows "xbot/internal/turn/calls"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/slashcommand"
	"xbot/internal/user/users"
)

// Answer records a user's answer to the question whether a call may run, and wakes the turn that waits for it. Like an
// accepted message it counts once it is committed; the relay repeats a wake that fails.
func (d *Dispatcher) Answer(ctx context.Context, a callsrows.Answer, channel string) (chat.ToolCall, error) {
	switch {
	case len(a.Note) > chat.MaxNote:
		return chat.ToolCall{}, fault.Errorf(fault.TooLarge, "the note has %d bytes; at most %d are accepted", len(a.Note), chat.MaxNote)
	case len(a.Answers) > 0 && !a.Allow:
		return chat.ToolCall{}, fault.Errorf(fault.Invalid, "answers go with allow; whoever declines to answer leaves them out")
	case a.Always && !a.Allow:
		return chat.ToolCall{}, fault.Errorf(fault.Invalid, "always goes with allow; to deny a tool from now on, set its rule")
	}
	call, err := d.Calls.Answer(ctx, a)
	if err == nil {
		d.wake(Message{NewRow: engine.NewRow{Session: a.Session, Channel: channel}, UserName: a.UserName}, false)
	}
	return call, err
}

// AnswerChanged is Answer with arguments that the user has given the call: it runs with these and no others. They are judged again; while
// they are refused, the call continues to wait.
func (d *Dispatcher) AnswerChanged(ctx context.Context, a callsrows.Answer, arguments json.RawMessage, channel string) (chat.ToolCall, error) {
	switch {
	case !a.Allow:
		return chat.ToolCall{}, i18n.Fault(fault.Invalid, i18n.EditWithout)
	case len(a.Answers) > 0:
		return chat.ToolCall{}, i18n.Fault(fault.Invalid, i18n.EditQuestions)
	case a.Always:
		return chat.ToolCall{}, i18n.Fault(fault.Invalid, i18n.EditAlways)
	case d.Judge == nil:
		return chat.ToolCall{}, fault.Errorf(fault.Invalid, "calls cannot be changed here")
	}
	if a.Call == "" {
		call, key, answered, err := d.Calls.Waiting(ctx, a)
		if err != nil || answered {
			return call, err
		}
		a.Call, a.Session = call.ID, key
	}
	call, err := d.Calls.Call(ctx, a.Call)
	if fault.Is(err, fault.NotFound) || err == nil && (call.Session != a.Session || call.Approval == nil || call.Approval.State != chat.ApprovalOpen) {
		return d.Answer(ctx, a, channel) // which returns the reason
	}
	if err != nil {
		return chat.ToolCall{}, err
	}
	if a.Changed, err = d.Judge.Change(ctx, call, arguments); err != nil {
		return chat.ToolCall{}, err
	}
	return d.Answer(ctx, a, channel)
}

// Answerer returns the displayed name of the user who answered a question. The name that the platform shows precedes a name
// made of a channel and an id; the former alone could be another user's.
func Answerer(user, shown string) string {
	if shown = users.CleanName(shown); shown == "" || !strings.Contains(user, ":") {
		return user
	}
	return shown + " (" + user + ")"
}

// AnswerOldest answers the open question of a conversation that has waited longest.
func (d *Dispatcher) AnswerOldest(ctx context.Context, in slashcommand.Request, allow bool, note string) (chat.ToolCall, error) {
	return d.Answer(ctx, answerBy(in, allow, note), in.Channel)
}

// AllowOldestChanged lets the call of a conversation that has waited longest run, with other arguments.
func (d *Dispatcher) AllowOldestChanged(ctx context.Context, in slashcommand.Request, arguments string) (chat.ToolCall, error) {
	return d.AnswerChanged(ctx, answerBy(in, true, ""), json.RawMessage(arguments), in.Channel)
}

// AnswerAll gives all open questions of a conversation whether a call may run the same answer.
func (d *Dispatcher) AnswerAll(ctx context.Context, in slashcommand.Request, allow bool) ([]chat.ToolCall, error) {
	calls, err := d.Calls.AnswerAll(ctx, answerBy(in, allow, ""))
	if err == nil {
		d.wake(Message{NewRow: engine.NewRow{Session: in.Session, Channel: in.Channel}, UserName: in.UserName}, false)
	}
	return calls, err
}

// AllowTurn lets all calls of the running turn of a conversation run that would be asked about, or takes that back.
func (d *Dispatcher) AllowTurn(ctx context.Context, in slashcommand.Request, allow bool) error {
	_, err := d.PermitTurn(ctx, callsrows.TurnPermit{
		Session: in.Session, User: in.User, UserName: Answerer(in.UserName, in.Peer.Name), Key: in.Key(), Allow: allow,
	}, in.Channel)
	return err
}

// PermitTurn records a user's decision on all calls of a turn, and wakes it for those that wait.
func (d *Dispatcher) PermitTurn(ctx context.Context, p callsrows.TurnPermit, channel string) (chat.Turn, error) {
	turn, err := d.Calls.AllowTurn(ctx, p)
	if err == nil && p.Allow {
		d.wake(Message{NewRow: engine.NewRow{Session: p.Session, Channel: channel}, UserName: p.UserName}, false)
	}
	return turn, err
}

func answerBy(in slashcommand.Request, allow bool, note string) callsrows.Answer {
	return callsrows.Answer{Session: in.Session, User: in.User, UserName: Answerer(in.UserName, in.Peer.Name), Key: in.Key(), Allow: allow, Note: note}
}
