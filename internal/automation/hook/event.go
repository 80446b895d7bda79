// Package hook lets an installation and its projects look at what happens in a conversation and have a say in it: programs,
// addresses and functions that are named in hooks.json are asked at seventeen events (spec/001 §5.2). The package reads
// and merges the files, decides whom an event is for, and makes one outcome of what they answer. It is pure but for Live,
// which reads files; whoever is asked stands behind Handler kinds in package xbot/internal/automation/hook/ask.
//
// A fault of the configuration is a Fault, with a sentence, its file and its place. Before a call of a tool a fault closes:
// PreToolUse refuses what it cannot judge. Everywhere else what is faulty is left out, and shown.
package hook

import "slices"

// Event is what hooks are asked about.
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

// trait is what is particular about an event.
type trait struct {
	subject string // what a matcher is compared with; empty: there is nothing to match
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

// Closed reports whether what cannot be judged is refused.
func (e Event) Closed() bool { return traits[e].closed }

// Denies reports whether a deny ends what the event is about.
func (e Event) Denies() bool { return traits[e].denies }

// Tells reports whether context that a handler answers with reaches the model.
func (e Event) Tells() bool { return traits[e].tells }

// OfTool reports whether the event is about one call of a tool, which is what conditions are for.
func (e Event) OfTool() bool { return traits[e].subject == "tool_name" }
