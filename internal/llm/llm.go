// Package llm is the port to language models. A Client makes one streamed call and never retries: retries are
// counted and scheduled by the caller, which reports each to the user. Adapters live in llm/openai, llm/anthropic
// and llm/demo.
package llm

import (
	"context"
	"encoding/json"

	"xbot/internal/chat"
)

// Client talks to one provider.
type Client interface {
	// Generate makes one call and streams it to sink, which may be nil. It returns the whole answer, or an error:
	//
	//   - fault.RateLimited with After when the provider names a time for the retry (429)
	//   - fault.Unavailable for 5xx, network errors, and no progress for the idle limit; with After when a 503 names a time.
	//     Reason distinguishes the causes.
	//   - fault.TooLarge when the input exceeds the model's context window
	//   - fault.Invalid or fault.Denied for other 4xx (bad request, bad key); repeating them cannot help
	//   - ErrTruncated (fault.Unavailable) when the stream ends without a finish reason or a mark of its end
	//   - the context's cause when it ends first
	//
	// With an error it returns what was streamed until then: text and reasoning, but no tool calls, whose arguments may be
	// cut. An answer that ends with FinishLength keeps its calls; the arguments of the last one may be cut.
	Generate(ctx context.Context, req Request, sink Sink) (Answer, error)
	// Model returns the provider-qualified id of the model in use, "provider/model".
	Model() string
}

// Sink receives a stream. Calls come from one goroutine, in order, and must return quickly.
type Sink interface {
	Text(piece string)
	Reasoning(piece string)
	// ToolCall reports that the model began to write a call of the named tool: call counts those of the answer, from 0.
	ToolCall(call int, name string)
	// Arguments reports a piece of the arguments of a call that ToolCall announced. Pieces of several calls may alternate. Those of one
	// call, put together, are how its arguments in the answer begin; only where a provider corrects what it sent, they differ.
	Arguments(call int, piece string)
	// Progress reports that bytes arrived, whether or not they carried text.
	Progress()
}

// Request is one call.
type Request struct {
	System    string    // static system prompt; adapters mark it cacheable where the provider can
	Messages  []Message // alternating as the provider needs it is the adapter's work
	Tools     []Tool    // in a stable order
	MaxTokens int       // limit of the answer, in tokens; 0 means the provider's default or the adapter's
	// Effort is how much the model is to think, one of chat.ThinkLevels; empty: the model's default. A model without
	// think levels ignores it.
	Effort string
	// Forced requires a call of one of Tools; Single limits the answer to one call. Adapters omit a field that the
	// provider has refused.
	Forced, Single bool
	// Format is the required form of the text; nil for any. An adapter whose provider has no such parameter omits it: the message
	// describes the form as well.
	Format *chat.AnswerFormat
}

// Message is one message as a model sees it. Tool results are their own messages with Role "tool".
type Message struct {
	Role       string // user, assistant, tool
	Content    string
	Reasoning  string          // reasoning_content of an earlier answer, for providers that want it back
	Opaque     json.RawMessage // what the adapter returned as Answer.Opaque for this message, e.g. signed thinking blocks
	ToolCalls  []ToolCall      // for assistant
	ToolCallID string          // for tool: ToolCall.ID of the call it answers
	IsError    bool            // for tool
	Pictures   []Picture       // for user and tool: what is shown with the content, in this order
	// Volatile marks a user message at the end that is meant for this one request and will not be sent again, such as a
	// reminder. Adapters mark the messages before it for the provider's cache, and never write it into another message
	// unless the provider wants it so.
	Volatile bool
}

// Picture is one that a model with vision is shown. Models without are never given one.
type Picture struct {
	MediaType string // image/jpeg, image/png, image/webp or image/gif
	Data      []byte
}

// ToolCall is a call that a model asked for. In requests ID is ours (chat.CallID) so that pairs are unique even if
// the provider repeats ids; adapters shorten or re-map it where a provider restricts ids.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string // JSON text, as written by the model
}

// Tool is a tool the model may call.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON Schema of an object; keys in a stable order
	Strict      bool            // the provider may hold the model to Parameters
}

// FinishReason is the reason why a model stopped.
type FinishReason string

// The finish reasons, OpenAI's names.
const (
	FinishStop          FinishReason = "stop"
	FinishToolCalls     FinishReason = "tool_calls"
	FinishLength        FinishReason = "length"
	FinishContentFilter FinishReason = "content_filter"
	// FinishWindow: the answer reached the end of the context window. Some providers report FinishLength instead.
	FinishWindow FinishReason = "context_window_exceeded"
	// FinishMalformed: the model wrote a call that its provider could not read, and the answer does not have it.
	FinishMalformed FinishReason = "malformed_function_call"
)

// Answer is the result of a model call.
type Answer struct {
	Text      string
	Reasoning string
	Opaque    json.RawMessage // adapter-private parts to be given back in later requests
	ToolCalls []ToolCall      // ID is the provider's
	Finish    FinishReason
	Usage     chat.Usage
	Model     string // as the provider reported it; empty if it did not
}
