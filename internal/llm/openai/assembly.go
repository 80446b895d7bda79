package openai

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/llm/wire"
)

// assembly puts an answer together from its chunks and passes it on as it grows.
type assembly struct {
	call *wire.Call

	text, reasoning strings.Builder
	inText          thinking
	calls           calls
	finish          string
	usage           chat.Usage
	model           string
}

// read takes chunks until the stream ends; nil means in order. Once the finish reason is known, the end may come in
// any way: only the usage can be missing.
func (a *assembly) read(next func() ([]byte, error)) error {
	for {
		payload, err := next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var c chunk
		if err := json.Unmarshal(payload, &c); err != nil {
			return a.call.Garbled("a piece of an answer that is not valid JSON")
		}
		a.add(c)
	}
}

func (a *assembly) add(c chunk) {
	if c.Model != "" {
		a.model = c.Model
	}
	a.count(c.Usage)
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // one answer was asked for
		}
		a.count(choice.Usage)
		piece := choice.Delta
		if choice.Message != nil {
			piece = *choice.Message
		}
		a.take(piece, choice.Message != nil)
		if choice.Finish != "" && choice.Finish != "null" {
			a.finish = string(choice.Finish)
			a.pass(a.inText.rest())
			a.call.Closing()
		}
	}
}

func (a *assembly) count(u *usage) {
	if u != nil {
		a.usage = u.tokens() // the counts of a stream are totals, not additions
	}
}

// take adds one piece; whole says that it is a complete message.
func (a *assembly) take(p part, whole bool) {
	sink := a.call.Sink()
	thought, said := a.inText.part(p.Content.text)
	a.pass(p.thought()+p.Content.reasoning+thought, said+string(p.Refusal))
	for _, piece := range p.ToolCalls {
		call, began := a.calls.add(piece, whole)
		if began {
			sink.ToolCall(call.n, call.name)
		}
		if call != nil && call.name != "" {
			call.arguments.pass(sink, call.n)
		}
	}
}

// pass passes on what was thought and said.
func (a *assembly) pass(thought, said string) {
	if thought != "" {
		a.reasoning.WriteString(thought)
		a.call.Sink().Reasoning(thought)
	}
	if said != "" {
		a.text.WriteString(said)
		a.call.Sink().Text(said)
	}
}

// answer returns what was put together; whole is false while the finish reason is missing.
func (a *assembly) answer() (answer llm.Answer, whole bool) {
	answer = llm.Answer{
		Text: a.text.String(), Reasoning: a.reasoning.String(), ToolCalls: a.calls.all(), Usage: a.usage, Model: a.model,
	}
	answer.Finish = finishReason(a.finish, len(answer.ToolCalls) > 0)
	return answer, a.finish != ""
}

// check returns an error for an answer that is whole but cannot be used.
func (a *assembly) check() error {
	switch strings.ToLower(a.finish) {
	case "error", "network_error", "insufficient_system_resource", "abort": // OpenRouter, Zhipu, DeepSeek, vLLM
		return a.call.Garbled("an answer that it marked as failed")
	}
	for _, call := range a.calls.all() {
		if call.Name == "" {
			return a.call.Garbled("a tool call without a name")
		}
	}
	return nil
}

// finishReason translates what providers say. Calls decide between stop and tool_calls: many say stop after calls.
func finishReason(reason string, called bool) llm.FinishReason {
	switch strings.ToLower(reason) {
	case "":
		return ""
	case "length", "max_tokens":
		return llm.FinishLength
	case "model_length", "context_window_exceeded", "model_context_window_exceeded", "context_length_exceeded":
		return llm.FinishWindow
	case "content_filter", "safety", "recitation", "sensitive", "prohibited_content", "refusal":
		return llm.FinishContentFilter
	}
	if called {
		return llm.FinishToolCalls
	}
	return llm.FinishStop
}
