package intake

import (
	"context"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/slash"
	"xbot/internal/store"
)

// Answer records what a person says to the question whether a call may run, and wakes the turn that waits for it. Like
// an accepted message it counts once it is committed; the relay repeats a wake that fails.
func (d *Dispatch) Answer(ctx context.Context, a store.Answer, channel string) (chat.ToolCall, error) {
	switch {
	case len(a.Note) > chat.MaxNote:
		return chat.ToolCall{}, fault.Errorf(fault.TooLarge, "the note has %d bytes; at most %d are accepted", len(a.Note), chat.MaxNote)
	case len(a.Answers) > 0 && !a.Allow:
		return chat.ToolCall{}, fault.Errorf(fault.Invalid, "answers go with allow; whoever declines to answer leaves them out")
	case a.Always && !a.Allow:
		return chat.ToolCall{}, fault.Errorf(fault.Invalid, "always goes with allow; to deny a tool from now on, set its rule")
	}
	call, err := d.Inbox.Answer(ctx, a)
	if err == nil {
		d.wake(Inbound{Inbound: store.Inbound{Session: a.Session, Channel: channel}, UserName: a.UserName}, false)
	}
	return call, err
}

// Answerer is the name under which people see who answered a question: the name of the user. A name made of a channel and an id
// is preceded by the name that the platform shows; the latter alone could be somebody else's.
func Answerer(user, shown string) string {
	if shown = store.CleanName(shown); shown == "" || !strings.Contains(user, ":") {
		return user
	}
	return shown + " (" + user + ")"
}

// AnswerOldest answers the open question of a conversation that has waited longest.
func (d *Dispatch) AnswerOldest(ctx context.Context, in slash.Request, allow bool, note string) (chat.ToolCall, error) {
	return d.Answer(ctx, store.Answer{
		Session: in.Session, User: in.User, UserName: Answerer(in.UserName, in.Peer.Name), Key: in.Key(), Allow: allow, Note: note,
	}, in.Channel)
}
