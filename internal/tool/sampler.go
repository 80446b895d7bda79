package tool

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/llm"
)

// MaxSamples is how many requests of an MCP server to the model are answered during one call.
const MaxSamples = 8

// Sampler answers requests of MCP servers to the model of a conversation (sampling), on the account of its user. It is safe for concurrent use.
type Sampler interface {
	// Rule returns what the permission rules say of the requests of the server that has a tool. always reports whether the user can allow
	// them by a rule.
	Rule(ctx context.Context, of *Remote) (rule chat.Rule, always bool, err error)
	// Allow adds a rule of the user that allows the requests of the server that has a tool.
	Allow(ctx context.Context, of *Remote) error
	// Generate asks the model, or returns the stored answer if the call has made this request before. The error is a sentence for the
	// server: it contains no text of a provider.
	Generate(ctx context.Context, r llm.Request) (answer llm.Answer, model string, err error)
}
