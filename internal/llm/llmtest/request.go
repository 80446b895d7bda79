package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The dialects that the server speaks.
const (
	OpenAI    = "openai" // chat completions
	Responses = "responses"
	Anthropic = "anthropic"
)

// Reminder begins what the product adds at the end of a request with role user: no user wrote
// it, so it is no program either.
const Reminder = "<system-reminder>"

// Request is one recorded request.
type Request struct {
	N       int         `json:"n"` // from 0, in the order of arrival
	At      time.Time   `json:"at"`
	Dialect string      `json:"dialect"`
	Header  http.Header `json:"-"` // holds the key, which the control endpoint must not print
	Raw     []byte      `json:"-"`

	Model     string    `json:"model"`
	Stream    bool      `json:"stream"`
	MaxTokens int       `json:"max_tokens,omitempty"`
	System    string    `json:"system,omitempty"`
	Messages  []Message `json:"messages"` // without the system prompt; Anthropic's tool results are separate messages
	Tools     []Tool    `json:"tools,omitempty"`

	User  string `json:"user"`  // text of the last user message
	Users int    `json:"users"` // user messages in the request
	// Reminder is the text of a user message at the end that no person wrote, "" for none. It counts as no message.
	Reminder string `json:"reminder,omitempty"`
	Step     int    `json:"step"`    // assistant messages with tool calls after the last user message
	Attempt  int    `json:"attempt"` // from 1: requests so far with the same program, step and number of user messages

	// Filled in where the server counts tokens, see Server.SetWindow.
	Tokens int `json:"tokens,omitempty"`
	Shared int `json:"shared,omitempty"` // bytes in common with the request before: tools, system prompt, messages

	includeUsage bool
	encrypted    bool // Responses: encrypted reasoning was asked for
}

// Message is a message of a request.
type Message struct {
	Role       string    `json:"role"`
	Content    string    `json:"content"`
	Pictures   []Picture `json:"pictures,omitempty"`
	Reasoning  string    `json:"reasoning,omitempty"`
	Signature  string    `json:"signature,omitempty"` // Anthropic: of its thinking blocks; Responses: its encrypted reasoning
	Calls      []Call    `json:"calls,omitempty"`
	ToolCallID string    `json:"tool_call_id,omitempty"`
	IsError    bool      `json:"is_error,omitempty"`
}

// Tool is a tool offered in a request.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

// LastTool returns the content of the last tool result, "" when there is none.
func (r Request) LastTool() string {
	for _, m := range slices.Backward(r.Messages) {
		if m.Role == "tool" {
			return m.Content
		}
	}
	return ""
}

// IsReminder reports whether a message is a reminder and not a user's.
func (m Message) IsReminder() bool { return m.Role == "user" && strings.HasPrefix(m.Content, Reminder) }

// place fills what follows from the messages.
func (r *Request) place() {
	for _, m := range r.Messages {
		switch {
		case m.IsReminder():
			r.Reminder = m.Content
		case m.Role == "user":
			r.User, r.Step = m.Content, 0
			r.Users++
		case m.Role == "assistant" && len(m.Calls) > 0:
			r.Step++
		case m.Role == "tool":
			r.Step += collapsed(m.Content)
		}
	}
}

// steps matches the notice of a product that one pair replaces the calls of several steps.
var steps = regexp.MustCompile(`^\S* ?Results of \d+ earlier calls in (\d{1,6}) steps are masked:`)

// collapsed returns how many steps besides the last one a result represents.
func collapsed(content string) int {
	if found := steps.FindStringSubmatch(content); found != nil {
		return number(found[1], 1_000_000) - 1
	}
	return 0
}

func parseOpenAI(raw []byte) (Request, error) {
	var body struct {
		Model               string `json:"model"`
		Stream              bool   `json:"stream"`
		MaxTokens           int    `json:"max_tokens"`
		MaxCompletionTokens int    `json:"max_completion_tokens"`
		StreamOptions       struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
		Messages []struct {
			Role       string          `json:"role"`
			Content    json.RawMessage `json:"content"`
			Reasoning  string          `json:"reasoning_content"`
			ToolCallID string          `json:"tool_call_id"`
			ToolCalls  []struct {
				ID       string `json:"id"`
				Function Call   `json:"function"`
			} `json:"tool_calls"`
		} `json:"messages"`
		Tools []struct {
			Function Tool `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		return Request{}, fmt.Errorf("parse the request: %w", err)
	}
	req := Request{
		Dialect: OpenAI, Model: body.Model, Stream: body.Stream, MaxTokens: max(body.MaxTokens, body.MaxCompletionTokens),
		includeUsage: body.StreamOptions.IncludeUsage,
	}
	for _, tool := range body.Tools {
		req.Tools = append(req.Tools, tool.Function)
	}
	for _, m := range body.Messages {
		text, pictures, err := flatten(m.Content)
		if err != nil {
			return Request{}, err
		}
		if m.Role == "system" || m.Role == "developer" {
			req.System += text
			continue
		}
		message := Message{Role: m.Role, Content: text, Pictures: pictures, Reasoning: m.Reasoning, ToolCallID: m.ToolCallID}
		for _, call := range m.ToolCalls {
			call.Function.ID = call.ID
			message.Calls = append(message.Calls, call.Function)
		}
		req.Messages = append(req.Messages, message)
	}
	req.place()
	return req, nil
}
