package conversation

import (
	"context"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/codingagent"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/llm"
	"xbot/internal/turn/slashcommand"
)

// Threads is the store of the coding agent threads that conversations continue.
type Threads interface {
	// BindCodingThread fails where the thread is another user's, or while a turn runs.
	BindCodingThread(ctx context.Context, key chat.SessionKey, b codingagent.Binding) error
	// CodingThread returns the thread that a conversation continues; nil: none.
	CodingThread(ctx context.Context, key chat.SessionKey) (*codingagent.Binding, error)
}

// Places finds the runners of users.
type Places interface {
	// Here returns the runner that a user's commands go to now; empty if there is none.
	Here(ctx context.Context, user chat.UserID) (string, error)
}

// Split takes a thread off the message behind it.
func (c Session) Split(_ context.Context, _ chat.UserID, args string) (own, text string) {
	word, rest := slashcommand.FirstWord(args)
	if c.Threads == nil || rest == "" || slices.Contains([]string{"list", "use", "new", "default"}, word) {
		return args, ""
	}
	return word, rest
}

// Prepared reports whether the conversation continues with the thread.
func (c Session) Prepared(ctx context.Context, in slashcommand.Request, thread string) (bool, error) {
	b, err := c.Threads.CodingThread(ctx, in.Session)
	return b != nil && b.Thread == thread, err
}

// resume has the coding agent that answers continue one of its threads.
func (c Session) resume(ctx context.Context, in slashcommand.Request, thread string) (string, error) {
	if c.Threads == nil || !codingagent.IsThread(thread) {
		return "", i18n.Fault(fault.Invalid, i18n.SessionUsage)
	}
	session, owner, err := c.Conversations.Session(ctx, in.Session)
	if err != nil {
		return "", err
	}
	user, err := c.Users.UserByID(ctx, in.User)
	switch {
	case err != nil:
		return "", err
	case owner != in.User && !user.Admin:
		return "", i18n.Fault(fault.Denied, i18n.ThreadOwner)
	}
	client, err := c.Answering.For(ctx, in.Session)
	if err != nil {
		return "", err
	}
	agent, ok := llm.AgentOf(client)
	if !ok {
		return "", i18n.Fault(fault.Invalid, i18n.SessionUsage)
	}
	b := codingagent.Binding{Agent: agent.Agent, Thread: thread, Runner: session.Runner}
	if b.Runner == "" {
		if b.Runner, err = c.Places.Here(ctx, owner); err != nil {
			return "", err
		}
	}
	return i18n.Say(in.Lang, i18n.ThreadUsed, b.Agent, thread), c.Threads.BindCodingThread(ctx, in.Session, b)
}
