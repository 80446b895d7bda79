package anthropic

import (
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/llm/wire"
)

// assembly puts an answer together from its events and passes it on as it grows.
type assembly struct {
	call   *wire.Call
	model  string
	stop   string
	usage  sdk.Usage
	blocks []*block
	unsaid bool // text arrived for a block that never began
}

// toolUse is the kind of a block that is a call.
const toolUse = "tool_use"

// block is a content block in progress.
type block struct {
	index     int64
	kind      string
	call      int             // of a call: how many there are before it
	text      strings.Builder // text, thinking or the JSON of a call's input
	signature string
	data      string
	id, name  string
	input     string // what the block began with, where no piece follows
}

func (a *assembly) take(event sdk.MessageStreamEventUnion) {
	a.call.Data()
	switch event.Type {
	case "message_start":
		a.model, a.usage = event.Message.Model, event.Message.Usage
	case "content_block_start":
		a.begin(event.Index, event.ContentBlock)
	case "content_block_delta":
		a.grow(event.Index, event.Delta)
	case "message_delta":
		a.finish(event)
	}
}

func (a *assembly) begin(index int64, start sdk.ContentBlockStartEventContentBlockUnion) {
	b := &block{
		index: index, kind: start.Type, id: start.ID, name: strings.TrimSpace(start.Name), data: start.Data,
		signature: start.Signature, input: start.JSON.Input.Raw(),
	}
	for _, before := range a.blocks {
		if before.kind == toolUse {
			b.call++
		}
	}
	a.blocks = append(a.blocks, b)
	switch b.kind {
	case "text":
		a.say(b, start.Text)
	case "thinking":
		a.think(b, start.Thinking)
	case toolUse:
		if b.name != "" {
			a.call.Sink().ToolCall(b.call, b.name)
		}
	}
}

func (a *assembly) grow(index int64, delta sdk.MessageStreamEventUnionDelta) {
	b := a.find(index)
	if b == nil {
		a.unsaid = true
		return
	}
	switch delta.Type {
	case "text_delta":
		a.say(b, delta.Text)
	case "thinking_delta":
		a.think(b, delta.Thinking)
	case "signature_delta":
		b.signature += delta.Signature
	case "input_json_delta":
		a.argue(b, delta.PartialJSON)
	}
}

// find returns the newest block of an index.
func (a *assembly) find(index int64) *block {
	for _, b := range slices.Backward(a.blocks) {
		if b.index == index {
			return b
		}
	}
	return nil
}

func (a *assembly) say(b *block, piece string) {
	if piece = wire.Clean(piece); piece != "" {
		b.text.WriteString(piece)
		a.call.Sink().Text(piece)
	}
}

func (a *assembly) think(b *block, piece string) {
	if piece = wire.Clean(piece); piece != "" {
		b.text.WriteString(piece)
		a.call.Sink().Reasoning(piece)
	}
}

// argue adds a piece of the input of a call.
func (a *assembly) argue(b *block, piece string) {
	if piece = wire.Clean(piece); piece == "" {
		return
	}
	b.text.WriteString(piece)
	if b.kind == toolUse && b.name != "" {
		a.call.Sink().Arguments(b.call, piece)
	}
}

// finish takes the stop reason and the counts, which are totals. Counts that do not apply are left out.
func (a *assembly) finish(event sdk.MessageStreamEventUnion) {
	a.usage.OutputTokens = event.Usage.OutputTokens
	if event.Usage.JSON.InputTokens.Valid() {
		a.usage.InputTokens = event.Usage.InputTokens
	}
	if event.Usage.JSON.CacheReadInputTokens.Valid() {
		a.usage.CacheReadInputTokens = event.Usage.CacheReadInputTokens
	}
	if event.Usage.JSON.CacheCreationInputTokens.Valid() {
		a.usage.CacheCreationInputTokens = event.Usage.CacheCreationInputTokens
	}
	if reason := string(event.Delta.StopReason); reason != "" {
		if a.stop == "" {
			a.tellInputs()
		}
		a.stop = reason
		a.call.Closing()
	}
}

// tellInputs takes the input of calls that came without a piece as one.
func (a *assembly) tellInputs() {
	for _, b := range a.blocks {
		if b.kind == toolUse && b.name != "" && b.text.Len() == 0 {
			a.argue(b, b.arguments())
		}
	}
}

// answer returns what was put together. Its Finish is empty while the stop reason is missing.
func (a *assembly) answer(origin string) llm.Answer {
	answer := llm.Answer{Model: a.model, Usage: a.tokens()}
	var said, thought strings.Builder
	order := opaque{Origin: origin}
	for _, b := range a.blocks {
		text := b.text.String()
		switch b.kind {
		case "text":
			said.WriteString(text)
			order.Blocks = append(order.Blocks, kept{Text: len(text)})
		case "thinking":
			thought.WriteString(text)
			if b.signature != "" {
				order.Blocks = append(order.Blocks, kept{Thinking: text, Signature: b.signature})
			}
		case "redacted_thinking":
			order.Blocks = append(order.Blocks, kept{Redacted: b.data})
		case toolUse:
			answer.ToolCalls = append(answer.ToolCalls, llm.ToolCall{ID: b.id, Name: b.name, Arguments: b.arguments()})
			order.Blocks = append(order.Blocks, kept{Call: true})
		}
	}
	answer.Text, answer.Reasoning, answer.Opaque = said.String(), thought.String(), order.encode()
	answer.Finish = finishReason(a.stop, len(answer.ToolCalls) > 0)
	return answer
}

// arguments returns the input of a call as the model wrote it.
func (b *block) arguments() string {
	if text := b.text.String(); text != "" {
		return text
	}
	if json.Valid([]byte(b.input)) && b.input != "null" {
		return b.input
	}
	return "{}"
}

// tokens counts the whole input: this API reports the cached parts beside the rest.
func (a *assembly) tokens() chat.Usage {
	u := a.usage
	return chat.Usage{
		PromptTokens:     int(u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens),
		CachedTokens:     int(u.CacheReadInputTokens),
		CompletionTokens: int(u.OutputTokens),
	}
}

// check returns an error for an answer that is whole but cannot be used.
func (a *assembly) check() error {
	if a.unsaid {
		return a.call.Garbled("a piece of something that it never began")
	}
	for _, b := range a.blocks {
		if b.kind == toolUse && b.name == "" {
			return a.call.Garbled("a tool call without a name")
		}
	}
	return nil
}

// finishReason translates a stop reason. Calls decide between stop and tool_calls.
func finishReason(reason string, called bool) llm.FinishReason {
	switch reason {
	case "":
		return ""
	case "max_tokens":
		return llm.FinishLength
	case "model_context_window_exceeded":
		return llm.FinishWindow
	case "refusal":
		return llm.FinishContentFilter
	}
	if called {
		return llm.FinishToolCalls
	}
	return llm.FinishStop
}
