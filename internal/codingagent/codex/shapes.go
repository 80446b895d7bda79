package codex

import (
	"cmp"
	"encoding/json"
	"strings"

	"xbot/internal/codingagent"
)

type initializeParams struct {
	ClientInfo   clientInfo   `json:"clientInfo"`
	Capabilities capabilities `json:"capabilities"`
}

type clientInfo struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
}

type capabilities struct {
	ExperimentalAPI bool `json:"experimentalApi"`
}

type threadParams struct {
	ThreadID       string                `json:"threadId,omitempty"`
	Model          string                `json:"model,omitempty"`
	Cwd            string                `json:"cwd,omitempty"`
	ApprovalPolicy codingagent.Approvals `json:"approvalPolicy"`
	Sandbox        codingagent.Sandbox   `json:"sandbox"`
	Personality    string                `json:"personality,omitempty"`
	Config         map[string]any        `json:"config,omitempty"`
}

type turnParams struct {
	ThreadID       string                `json:"threadId"`
	Input          []userInput           `json:"input"`
	Cwd            string                `json:"cwd,omitempty"`
	ApprovalPolicy codingagent.Approvals `json:"approvalPolicy"`
	SandboxPolicy  *sandboxPolicy        `json:"sandboxPolicy,omitempty"`
	Model          string                `json:"model,omitempty"`
	Effort         string                `json:"effort,omitempty"`
	Personality    string                `json:"personality,omitempty"`
}

// sandboxPolicy replaces the sandbox that the thread was opened with.
type sandboxPolicy struct {
	Type          string `json:"type"`
	NetworkAccess string `json:"networkAccess"`
}

type steerParams struct {
	ThreadID       string      `json:"threadId"`
	ExpectedTurnID string      `json:"expectedTurnId"`
	Input          []userInput `json:"input"`
}

type interruptParams struct {
	ThreadID string `json:"threadId"`
	TurnID   string `json:"turnId"`
}

// userInput is a text or an image.
type userInput struct {
	Type         string  `json:"type"`
	Text         *string `json:"text,omitempty"`
	TextElements []any   `json:"text_elements,omitzero"`
	URL          string  `json:"url,omitempty"`
}

func input(m codingagent.Message) []userInput {
	list := []userInput{{Type: "text", Text: &m.Text, TextElements: []any{}}}
	for _, p := range m.Shown() {
		list = append(list, userInput{Type: "image", URL: p.URL()})
	}
	return list
}

type turnState struct {
	ID     string     `json:"id"`
	Status string     `json:"status"` // completed, interrupted, failed, inProgress
	Error  *turnError `json:"error"`
}

// turnError explains why a turn failed. The kind is a word, or an object with one key.
type turnError struct {
	Message string          `json:"message"`
	Details string          `json:"additionalDetails"`
	Kind    json.RawMessage `json:"codexErrorInfo"`
}

func (e *turnError) text() string {
	if e == nil {
		return "codex gave no reason"
	}
	return codingagent.Paragraph(cmp.Or(strings.TrimSpace(e.Message+" "+e.Details), "codex gave no reason"))
}

func (e *turnError) unauthorized() bool {
	if e == nil {
		return false
	}
	kind, text := strings.ToLower(string(e.Kind)), strings.ToLower(e.Message)
	return strings.Contains(kind, "unauthorized") || strings.Contains(text, "401 unauthorized") || strings.Contains(text, "not logged in")
}

type item struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Text    string `json:"text"`
	Command string `json:"command"`
	Output  string `json:"aggregatedOutput"`
	Status  string `json:"status"`
	Server  string `json:"server"`
	Tool    string `json:"tool"`
	Query   string `json:"query"`
	Changes []struct {
		Path string `json:"path"`
	} `json:"changes"`
	ExitCode *int `json:"exitCode"`
}

func (i item) paths() []string {
	var names []string
	for _, change := range i.Changes {
		names = append(names, change.Path)
	}
	return codingagent.Files(names...)
}

// work describes the work of an item. False: it is no work.
func (i item) work(done bool) (codingagent.Work, bool) {
	w := codingagent.Work{ID: i.ID, Done: done, Output: codingagent.Output(i.Output)}
	w.Failed = done && (i.Status == "failed" || i.Status == "declined" || i.ExitCode != nil && *i.ExitCode != 0)
	switch i.Type {
	case "commandExecution":
		w.Kind, w.Title = codingagent.CommandRun, i.Command
	case "fileChange":
		w.Kind, w.Files = codingagent.FileChange, i.paths()
		w.Title = strings.Join(w.Files, ", ")
	case "mcpToolCall", "dynamicToolCall", "collabToolCall", "collabAgentToolCall":
		w.Kind, w.Title = codingagent.ToolCall, strings.TrimPrefix(i.Server+"."+i.Tool, ".")
	case "webSearch":
		w.Kind, w.Title = codingagent.WebSearch, i.Query
	default:
		return w, false
	}
	w.Title = codingagent.Title(w.Title)
	return w, true
}

type tokens struct {
	Input  int64 `json:"inputTokens"`
	Cached int64 `json:"cachedInputTokens"`
	Output int64 `json:"outputTokens"`
}

// usage computes the tokens of the turn from those of the thread: the first update shows the thread's earlier ones.
type usage struct {
	known  bool
	before tokens
}

func (u *usage) of(total, last tokens) codingagent.Usage {
	if !u.known {
		u.known = true
		u.before = tokens{total.Input - last.Input, total.Cached - last.Cached, total.Output - last.Output}
	}
	return codingagent.Usage{
		Input: max(0, total.Input-u.before.Input), CachedInput: max(0, total.Cached-u.before.Cached),
		Output: max(0, total.Output-u.before.Output),
	}
}
