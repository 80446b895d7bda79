// Package callreview validates the changes of a user to a call that waits for permission, as the call was validated when the model wrote it.
package callreview

import (
	"bytes"
	"context"
	"encoding/json"

	"xbot/internal/automation/hook"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/tool/toolset"
	"xbot/internal/turn/permission"
)

// Judge decides whether a call may become what a user has made of it. It is safe for concurrent use.
type Judge struct {
	Tools interface {
		Of(ctx context.Context, key chat.SessionKey) (*toolset.Set, error)
	}
	Authorizers permission.Authorizers
	Hooks       interface {
		For(ctx context.Context, key chat.SessionKey) hook.Set
	}
}

// Change returns what a user has made of a call; nil: nothing else than it was. The name of the tool and its class stay. Arguments that
// are no JSON object are Invalid, and so are those of a call that asks questions; more than chat.MaxArguments bytes are TooLarge. A call
// that a rule denies now is Denied. Where hooks would be asked about the call it is Denied, too: they have judged the call as it was. A
// tool that is gone, or is run in another way than when it was called, is a Conflict.
func (j *Judge) Change(ctx context.Context, call chat.Call, arguments json.RawMessage) (*chat.Change, error) {
	if len(call.Questions) > 0 {
		return nil, i18n.Fault(fault.Invalid, i18n.EditQuestions)
	}
	wanted, err := object(arguments)
	if err != nil {
		return nil, err
	}
	if before, err := object(json.RawMessage(call.Arguments)); err == nil && before == wanted {
		return nil, nil
	}
	tools, err := j.Tools.Of(ctx, call.Session)
	if err != nil {
		return nil, err
	}
	found, ok := tools.Get(call.Name)
	switch {
	case !ok || found.Spec().Class != call.Class:
		return nil, i18n.Fault(fault.Conflict, i18n.EditGone, call.Name)
	case len(tools.Questions(ctx, call.Session, call.Name, wanted)) > 0:
		return nil, i18n.Fault(fault.Invalid, i18n.EditQuestions)
	case call.Hook == chat.HookDeferred || j.hooked(ctx, call, found.Spec().Names(), wanted):
		return nil, i18n.Fault(fault.Denied, i18n.EditHooked, call.Name)
	}
	authorizer, err := j.Authorizers.Of(ctx, call.Session, tools)
	if err != nil {
		return nil, err
	}
	decision := authorizer.Call(call.Name, wanted)
	if decision.Rule != chat.RuleAllow && decision.Rule != chat.RuleAsk {
		return nil, i18n.Fault(fault.Denied, i18n.EditDenied, call.Name)
	}
	plan, err := tools.Plan(call.Name, wanted)
	if err != nil {
		return nil, i18n.Fault(fault.Invalid, i18n.PlanWrong, err.Error())
	}
	return &chat.Change{Arguments: wanted, Summary: tools.Summary(call.Name, wanted), Plan: plan, Digest: decision.Digest}, nil
}

// hooked reports whether hooks are to be asked before the changed call runs, or before a user is asked about it.
func (j *Judge) hooked(ctx context.Context, call chat.Call, names []string, arguments string) bool {
	if j.Hooks == nil {
		return false
	}
	set := j.Hooks.For(ctx, call.Session)
	p := hook.Payload{Event: hook.PreToolUse, ToolName: call.Name, ToolNames: names, ToolInput: hook.Input(arguments)}
	if set.Matches(p) {
		return true
	}
	p.Event = hook.PermissionRequest
	return set.Matches(p)
}

// object returns arguments as they are kept: one JSON object without space around its parts.
func object(arguments json.RawMessage) (string, error) {
	if len(arguments) > chat.MaxArguments {
		return "", i18n.Fault(fault.TooLarge, i18n.EditTooLong, chat.MaxArguments)
	}
	var members map[string]json.RawMessage
	var out bytes.Buffer
	if json.Unmarshal(arguments, &members) != nil || members == nil || json.Compact(&out, arguments) != nil {
		return "", i18n.Fault(fault.Invalid, i18n.EditNoObject)
	}
	return out.String(), nil
}
