// Package hooks shows the hooks of an installation, tries them, and lets administrators decide the calls that they deferred.
package hooks

import (
	"context"
	"strings"

	"xbot/ingress/intake"
	"xbot/internal/automation/hook"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/calls"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/hooks"
)

// HookFiles returns the hooks of the installation and of conversations.
type HookFiles interface {
	Home() hook.Set
	For(ctx context.Context, key chat.SessionKey) hook.Set
}

// HookDispatcher asks handlers.
type HookDispatcher interface {
	Ask(ctx context.Context, s hook.Set, p hook.Payload) (hook.Outcome, error)
}

// Admin shows the hooks that there are, tries them, and lets administrators decide what hooks have deferred.
type Admin struct {
	Conversations *conversation.Store
	Calls         *calls.Store
	Hooks         *hooks.Store
	Dispatch      *intake.Dispatcher
	Files         HookFiles
	Dispatcher    HookDispatcher
}

// For returns the hooks of a conversation.
func (a *Admin) For(ctx context.Context, key chat.SessionKey) hook.Set { return a.Files.For(ctx, key) }

// Deferred lists the calls that wait for an administrator.
func (a *Admin) Deferred(ctx context.Context) ([]hooks.DeferredCall, error) {
	return a.Hooks.DeferredCalls(ctx)
}

// Decide lets a deferred call run, or denies it, in the name of an administrator. Only the first decision counts: later it is a
// Conflict.
func (a *Admin) Decide(ctx context.Context, id chat.CallID, user chat.UserID, name string, allow bool, note string) (chat.ToolCall, error) {
	call, err := a.Calls.Call(ctx, id)
	if err == nil && call.Hook != chat.HookDeferred {
		err = fault.Errorf(fault.NotFound, "no hook has deferred a call %q", id)
	}
	if err != nil {
		return chat.ToolCall{}, err
	}
	session, _, err := a.Conversations.Session(ctx, call.Session)
	if err != nil {
		return chat.ToolCall{}, err
	}
	return a.Dispatch.Answer(ctx, calls.Answer{
		Session: call.Session, User: user, UserName: name, Call: id, Allow: allow, Note: strings.TrimSpace(note),
	}, session.Channel)
}

// Try runs the hooks of a conversation with a sample of an event. Their answers are not applied.
func (a *Admin) Try(ctx context.Context, key chat.SessionKey, event, tool, input string) (asked []hook.Handler, out hook.Outcome, err error) {
	e := hook.Event(event)
	if !e.Known() {
		names := make([]string, 0, len(hook.Events()))
		for _, known := range hook.Events() {
			names = append(names, string(known))
		}
		return nil, out, fault.Errorf(fault.Invalid, "there is no event %q; the events are %s", event, strings.Join(names, ", "))
	}
	p := hook.Sample(e, tool, input)
	if key != "" {
		p.Session = string(key)
	}
	set := a.Files.For(ctx, key)
	out, err = a.Dispatcher.Ask(ctx, set, p)
	return set.For(p), out, err
}
