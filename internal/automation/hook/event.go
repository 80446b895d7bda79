// Package hook lets an installation and its projects observe and influence the events of a conversation: programs,
// addresses and functions that are named in hooks.json are asked at seventeen events. The package reads
// and merges the files, selects the handlers of an event, and makes one outcome of their answers. It does no I/O except in Live,
// which reads files; package xbot/internal/automation/hook/ask implements the kinds of handlers.
//
// A fault of the configuration is a Fault, with a sentence, its file and its place. Before a tool call a fault denies:
// PreToolUse refuses a call that it cannot judge. For other events the faulty part is left out, and shown.
package hook

import "slices"

// Event is a kind of event for hooks.
type Event string

// The events.
const (
	SessionStart       Event = "SessionStart"
	SessionEnd         Event = "SessionEnd"
	UserPromptSubmit   Event = "UserPromptSubmit"
	PreToolUse         Event = "PreToolUse"
	PostToolUse        Event = "PostToolUse"
	PostToolUseFailure Event = "PostToolUseFailure"
	PostToolBatch      Event = "PostToolBatch"
	PermissionRequest  Event = "PermissionRequest"
	PermissionDenied   Event = "PermissionDenied"
	SubAgentStart      Event = "SubAgentStart"
	SubAgentStop       Event = "SubAgentStop"
	AgentStop          Event = "AgentStop"
	AgentError         Event = "AgentError"
	PreCompact         Event = "PreCompact"
	PostCompact        Event = "PostCompact"
	CronFired          Event = "CronFired"
	WebhookReceived    Event = "WebhookReceived"
)

// trait describes the particularities of an event.
type trait struct {
	subject string // compared with matchers; empty: there is nothing to match
	denies  bool   // a deny counts; otherwise its reason is context
	rules   bool   // ask, defer and updatedInput count, too
	closed  bool   // a fault, or a handler that fails, is a deny
	tells   bool   // context reaches the model
}

var traits = map[Event]trait{
	SessionStart:       {subject: "source", tells: true},
	SessionEnd:         {subject: "source"},
	UserPromptSubmit:   {denies: true, tells: true},
	PreToolUse:         {subject: "tool_name", denies: true, rules: true, closed: true, tells: true},
	PostToolUse:        {subject: "tool_name", tells: true},
	PostToolUseFailure: {subject: "tool_name", tells: true},
	PostToolBatch:      {tells: true},
	PermissionRequest:  {subject: "tool_name", denies: true},
	PermissionDenied:   {subject: "tool_name"},
	SubAgentStart:      {subject: "agent_type", tells: true},
	SubAgentStop:       {subject: "agent_type"},
	AgentStop:          {},
	AgentError:         {subject: "error_type"},
	PreCompact:         {subject: "trigger"},
	PostCompact:        {subject: "trigger"},
	CronFired:          {subject: "job_id", denies: true, tells: true},
	WebhookReceived:    {subject: "trigger_id", denies: true, tells: true},
}

// Events lists all events by name.
func Events() []Event {
	all := make([]Event, 0, len(traits))
	for e := range traits {
		all = append(all, e)
	}
	slices.Sort(all)
	return all
}

// Known reports whether there is such an event.
func (e Event) Known() bool { _, ok := traits[e]; return ok }

// Closed reports whether a call that cannot be judged is refused.
func (e Event) Closed() bool { return traits[e].closed }

// Denies reports whether a deny prevents the subject of the event.
func (e Event) Denies() bool { return traits[e].denies }

// AddsContext reports whether the context of a handler's answer reaches the model.
func (e Event) AddsContext() bool { return traits[e].tells }

// OfTool reports whether the event is about one call of a tool: only these have conditions.
func (e Event) OfTool() bool { return traits[e].subject == "tool_name" }
