package hook

import (
	"encoding/json"
	"time"
)

// Payload is the JSON that handlers get for an event. Members that an event does not have are left out.
type Payload struct {
	Event     Event     `json:"hook_event_name"`
	ID        string    `json:"event_id"` // the same when the event is repeated after a crash
	Session   string    `json:"session_id"`
	Turn      string    `json:"turn_id,omitempty"`
	Channel   string    `json:"channel,omitempty"`
	Sender    string    `json:"sender_id,omitempty"`
	Chat      string    `json:"chat_id,omitempty"`
	Cwd       string    `json:"cwd,omitempty"`
	Timestamp time.Time `json:"timestamp"`

	Source string `json:"source,omitempty"` // SessionStart, SessionEnd
	Model  string `json:"model,omitempty"`  // SessionStart; left out: the installation's
	Memory string `json:"memory_provider,omitempty"`
	Prompt string `json:"prompt,omitempty"` // UserPromptSubmit

	ToolName  string          `json:"tool_name,omitempty"`
	ToolNames []string        `json:"-"` // other names of the tool for matchers
	ToolInput json.RawMessage `json:"tool_input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Elapsed   int64           `json:"tool_elapsed_ms,omitempty"`
	Output    string          `json:"tool_output,omitempty"`
	Failure   string          `json:"tool_error,omitempty"`
	Reason    string          `json:"reason,omitempty"` // PermissionRequest, PermissionDenied

	Count   int      `json:"tool_count,omitempty"` // PostToolBatch
	Results []Result `json:"results,omitempty"`

	Agent    string `json:"agent_type,omitempty"` // SubAgentStart, SubAgentStop: its role
	Instance string `json:"instance,omitempty"`   // its name; left out: it answers once
	Task     string `json:"task,omitempty"`
	Content  string `json:"content,omitempty"` // AgentStop, SubAgentStop

	TurnError

	Trigger  string `json:"trigger,omitempty"`       // PreCompact, PostCompact
	Messages int    `json:"message_count,omitempty"` // PreCompact: of the request that the model would get
	Before   int    `json:"estimated_tokens_before,omitempty"`
	After    int    `json:"estimated_tokens_after,omitempty"`

	Job       string `json:"job_id,omitempty"` // CronFired
	Message   string `json:"message,omitempty"`
	TriggerID string `json:"trigger_id,omitempty"` // WebhookReceived
	Body      string `json:"payload,omitempty"`
}

// TurnError is the error of a failed turn, for AgentError.
type TurnError struct {
	ErrorType string `json:"error_type,omitempty"`
	Error     string `json:"error_message,omitempty"`
}

// Result is one call of a batch.
type Result struct {
	Tool    string `json:"tool_name"`
	Success bool   `json:"success"`
	Error   string `json:"error,omitempty"`
	Elapsed int64  `json:"elapsed"` // milliseconds
}

// subject returns the text that the matchers of the event are compared with.
func (p Payload) subject() string {
	switch traits[p.Event].subject {
	case "tool_name":
		return p.ToolName
	case "source":
		return p.Source
	case "agent_type":
		return p.Agent
	case "trigger":
		return p.Trigger
	case "job_id":
		return p.Job
	case "trigger_id":
		return p.TriggerID
	case "error_type":
		return p.ErrorType
	}
	return ""
}

// Input returns the arguments of a call for a payload: unchanged where they are JSON, else as a JSON string.
func Input(arguments string) json.RawMessage {
	if json.Valid([]byte(arguments)) {
		return json.RawMessage(arguments)
	}
	text, err := json.Marshal(arguments)
	if err != nil {
		return nil
	}
	return text
}

// Sample returns a payload of an event to try handlers with.
func Sample(e Event, tool, arguments string) Payload {
	p := Payload{Event: e, ID: "sample", Session: "agent:main:web:dm:sample", Turn: "sample", Channel: "web", Sender: "admin", Timestamp: time.Unix(0, 0).UTC()}
	if e.OfTool() {
		p.ToolName, p.ToolInput, p.ToolUseID = tool, Input(arguments), "sample.0.0"
	}
	switch e {
	case SessionStart:
		p.Source, p.Model, p.Memory = "startup", "openai/gpt-5-mini", "flat"
	case SessionEnd:
		p.Source = "new"
	case UserPromptSubmit:
		p.Prompt = arguments
	case PostToolUse:
		p.Output, p.Elapsed = "sample output", 12
	case PostToolUseFailure:
		p.Failure, p.Elapsed = "sample failure", 12
	case PermissionRequest, PermissionDenied:
		p.Reason = "sample reason"
	case PostToolBatch:
		p.Count, p.Results = 2, []Result{{Tool: "Shell", Success: true, Elapsed: 12}, {Tool: "Read", Error: "sample failure", Elapsed: 3}}
	case SubAgentStart:
		p.Agent, p.Instance, p.Task = "explorer", "a", "sample task"
	case SubAgentStop:
		p.Agent, p.Instance, p.Content = "explorer", "a", "sample answer"
	case AgentStop:
		p.Content = "sample answer"
	case AgentError:
		p.ErrorType, p.Error = "failed", "sample failure"
	case PreCompact:
		p.Trigger, p.Messages, p.Before = "manual", 120, 100_000
	case PostCompact:
		p.Trigger, p.Before, p.After = "manual", 100_000, 20_000
	case CronFired:
		p.Job, p.Message = "sample", "sample message"
	case WebhookReceived:
		p.TriggerID, p.Body = "sample", `{"sample":true}`
	}
	return p
}
