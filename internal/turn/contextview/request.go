package contextview

import (
	"context"
	"encoding/hex"

	"xbot/internal/chat"
	"xbot/internal/turn/prompt"
)

// SentCall is a call as the model sees it.
type SentCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// SentMessage is a message as the model sees it.
type SentMessage struct {
	Role       string     `json:"role" enum:"user,assistant,tool"`
	Content    string     `json:"content"`
	Reasoning  string     `json:"reasoning,omitempty"`
	ToolCalls  []SentCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
	IsError    bool       `json:"is_error,omitempty"`
}

// SentTool is a tool as described to the model.
type SentTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Parameters  string `json:"parameters" doc:"JSON schema, as text."`
}

// SentRequest is the request of a step.
type SentRequest struct {
	Hash            string        `json:"hash" doc:"SHA-256 of what was sent, hexadecimal."`
	Exact           bool          `json:"exact" doc:"Reconstructed from the stored rows and identical byte for byte. false: sent by another version of the program, or by the conversation that this one was copied from."`
	Model           string        `json:"model"`
	System          string        `json:"system"`
	Tools           []SentTool    `json:"tools"`
	Messages        []SentMessage `json:"messages" doc:"In order, without the reminder."`
	Reminder        string        `json:"reminder" doc:"Text at the end, for this request only."`
	Pruned          bool          `json:"pruned" doc:"Old results were cut, for this request only."`
	Bytes           int           `json:"bytes"`
	EstimatedTokens int           `json:"estimated_tokens" doc:"Our estimate."`
	PromptTokens    int           `json:"prompt_tokens" doc:"What the provider counted; 0: the step had no answer."`
}

// Request rebuilds the request of a step. It returns NotFound if there is no such step in the session, or it sent nothing.
func (c *Viewer) Request(ctx context.Context, key chat.SessionKey, turn chat.TurnID, step int) (SentRequest, error) {
	sent, err := c.Conversations.StepWindow(ctx, key, turn, step)
	if err != nil {
		return SentRequest{}, err
	}
	r, exact := prompt.Rebuild(sent)
	out := SentRequest{
		Hash: hex.EncodeToString(sent.Hash), Exact: exact, Model: sent.Model, System: r.System, Tools: []SentTool{}, Messages: []SentMessage{},
		Reminder: sent.Reminder, Pruned: sent.Fill > 0, Bytes: sent.Bytes, EstimatedTokens: sent.Tokens, PromptTokens: sent.Usage.PromptTokens,
	}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, SentTool{Name: t.Name, Description: t.Description, Parameters: string(t.Parameters)})
	}
	for _, m := range r.Messages {
		if m.Volatile {
			continue
		}
		said := SentMessage{Role: m.Role, Content: m.Content, Reasoning: m.Reasoning, ToolCallID: m.ToolCallID, IsError: m.IsError}
		for _, call := range m.ToolCalls {
			said.ToolCalls = append(said.ToolCalls, SentCall{ID: call.ID, Name: call.Name, Arguments: call.Arguments})
		}
		out.Messages = append(out.Messages, said)
	}
	return out, nil
}
