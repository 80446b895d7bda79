package openai

import (
	"errors"
	"io"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/llm/wire"
)

// assembly builds an answer from its chunks and streams it to the sink.
type assembly struct {
	call   *wire.Call
	origin string

	text, reasoning strings.Builder
	content         pieces // as it came, with the thoughts that are written into it
	thoughts        pieces
	refusal         wire.Seam
	inText          thinking
	calls           calls
	state           fieldCollector
	choice          *wire.Count // the one that is read
	finish          string
	marked          bool // the provider marked the end
	counted         reportedUsage
	model           string
}

// pieces are the pieces of one text.
type pieces struct {
	running

	seam wire.Seam
}

// reportedUsage is the reported usage, and the timings of llama.cpp.
type reportedUsage struct {
	usage chat.Usage
	timed timings
}

// read reads chunks until the stream ends. It returns nil for a complete stream. After the finish reason the stream may end in
// any way: only the usage can be missing.
func (a *assembly) read(events *wire.Events) error {
	for {
		event, err := events.Next()
		if errors.Is(err, io.EOF) {
			a.marked = events.Marked()
			return nil
		}
		if err != nil {
			return err
		}
		if isError(event) {
			return refuse(a.call, event.Data)
		}
		var c chunk
		if wire.Parse(event.Data, &c) != nil {
			return a.call.Garbled("a piece of an answer that is not valid JSON")
		}
		if failure := c.failure(); failure != nil {
			return refuseWith(a.call, failure)
		}
		a.add(c)
	}
}

func (a *assembly) add(c chunk) {
	if c.Model != "" {
		a.model = string(c.Model)
	}
	c.Usage.add(&a.counted.usage)
	c.Groq.Usage.add(&a.counted.usage)
	if c.Timings != nil {
		a.counted.timed = *c.Timings
	}
	for _, choice := range c.Choices {
		if a.choice == nil {
			a.choice = &choice.Index
		}
		if choice.Index != *a.choice {
			continue // one answer was asked for
		}
		choice.Usage.add(&a.counted.usage)
		last := choice.Finish != "" && choice.Finish != "null"
		a.take(choice, last)
		if last {
			a.finish = string(choice.Finish)
			a.end()
		}
		a.expect(choice, last)
	}
}

// expect sets the idle limit of the call after a choice. Some providers send a finish reason with each piece of the reasoning
// and continue (open-webui/open-webui#16377).
func (a *assembly) expect(c choice, last bool) {
	thinks := a.reasoning.Len() > 0 && a.text.Len() == 0 && len(a.calls.open) == 0
	switch {
	case last && !thinks:
		a.call.Closing()
	case a.finish != "" && c.Delta != nil && c.Delta.adds():
		a.call.Reopened()
	}
}

// take adds a choice. last marks the final one.
func (a *assembly) take(c choice, last bool) {
	if c.Delta != nil {
		if last && a.content.repeats(c.Delta.Content.text) {
			c.Delta.Content.text = ""
		}
		a.addPart(*c.Delta)
	}
	switch {
	case c.Message != nil && (c.Delta == nil || last):
		a.addMessage(*c.Message)
	case c.Delta == nil && c.Text != "":
		a.addPart(part{Content: content{text: string(c.Text)}})
	}
}

// addPart adds a piece.
func (a *assembly) addPart(p part) {
	a.think(p.thought() + p.Content.reasoning)
	a.say(p.Content.text)
	a.refuse(string(p.Refusal))
	a.state.add(p.state)
	pieces := p.ToolCalls
	if p.FunctionCall != nil {
		pieces = append(pieces, callPart{Function: *p.FunctionCall})
	}
	for _, piece := range pieces {
		a.calls.add(piece)
		a.calls.pass(a.call.Sink())
	}
}

// addMessage adds the parts of a whole message that no piece contained.
func (a *assembly) addMessage(p part) {
	if thought := p.thought() + p.Content.reasoning; a.thoughts.continues(thought) {
		a.pass(a.thoughts.seam.Join(a.thoughts.addWhole(thought)), "")
	}
	if a.content.continues(p.Content.text) {
		a.part(a.content.addWhole(p.Content.text))
	}
	if a.text.Len() == 0 {
		a.refuse(string(p.Refusal))
	}
	if a.state.bytes == 0 {
		a.state.add(p.state)
	}
	if len(a.calls.open) > 0 {
		return
	}
	if p.FunctionCall != nil {
		p.ToolCalls = append(p.ToolCalls, callPart{Function: *p.FunctionCall})
	}
	for _, piece := range p.ToolCalls[:min(len(p.ToolCalls), maxCalls+1)] {
		a.calls.addWhole(piece)
	}
}

// think adds a piece of the reasoning.
func (a *assembly) think(piece string) {
	before, fresh, again := a.thoughts.add(piece)
	if again {
		a.thoughts.seam = wire.Seam{}
		a.reasoning.Reset()
		a.reasoning.WriteString(a.thoughts.seam.Join(before))
	}
	a.pass(a.thoughts.seam.Join(fresh), "")
}

// say adds a piece of the text.
func (a *assembly) say(piece string) {
	before, fresh, again := a.content.add(piece)
	if again {
		a.content.seam, a.inText = wire.Seam{}, thinking{}
		a.text.Reset()
		_, said := a.inText.part(a.content.seam.Join(before))
		a.text.WriteString(said)
	}
	a.part(fresh)
}

// part parts thoughts from a piece of the text.
func (a *assembly) part(piece string) {
	if piece != "" {
		a.pass(a.inText.part(a.content.seam.Join(piece)))
	}
}

// refuse adds a piece of the refusal, which replaces the answer.
func (a *assembly) refuse(piece string) { a.pass("", a.refusal.Join(piece)) }

// pass sends thoughts and text to the sink.
func (a *assembly) pass(thought, said string) {
	if thought != "" {
		a.reasoning.WriteString(thought)
		a.call.Sink().Reasoning(thought)
	}
	if said == "" {
		return
	}
	from := a.text.Len()
	a.text.WriteString(said)
	a.call.Sink().Text(said)
	if a.inText.ended || a.inText.marks != (marks{}) || a.reasoning.Len() > 0 {
		return
	}
	if thought, said, found := unopened(a.text.String(), from); found {
		a.inText.ended = true
		a.text.Reset()
		a.text.WriteString(said)
		a.reasoning.WriteString(thought)
		a.call.Sink().Reasoning(thought)
	}
}

// end flushes the text that was held back as a possible beginning of a mark.
func (a *assembly) end() {
	a.pass(a.thoughts.seam.Rest(), "")
	a.part(a.content.seam.Rest())
	a.pass(a.inText.rest())
	a.pass("", a.refusal.Rest())
	if thought, said, found := final(a.text.String()); found {
		a.text.Reset()
		a.text.WriteString(said)
		a.reasoning.WriteString(thought)
	}
	a.calls.drop()
	a.calls.settle(a.call.Sink())
}

// answer returns the assembled answer. whole is false if the end is missing.
func (a *assembly) answer() (answer llm.Answer, whole bool) {
	if a.finish == "" {
		a.end()
		if a.marked && a.calls.whole() && (a.text.Len() > 0 || a.reasoning.Len() > 0 || len(a.calls.open) > 0) {
			a.finish = "stop" // the end is marked, only its reason is missing
		}
	}
	called, states := a.calls.all()
	answer = llm.Answer{Text: a.text.String(), Reasoning: a.reasoning.String(), ToolCalls: called, Usage: a.counted.tokens(), Model: a.model}
	answer.Finish = finishReason(a.finish, len(called) > 0)
	if a.finish != "" {
		answer.Opaque = state{a.origin, a.state.whole(), states}.opaque(answer.Reasoning != "")
	}
	return answer, a.finish != ""
}

// tokens returns the token usage.
func (c reportedUsage) tokens() chat.Usage {
	if c.usage == (chat.Usage{}) {
		return chat.Usage{
			PromptTokens: int(c.timed.Prompt + c.timed.Cached), CachedTokens: int(c.timed.Cached), CompletionTokens: int(c.timed.Predicted),
		}
	}
	return c.usage
}

// check returns an error for an answer that is whole but cannot be used.
func (a *assembly) check() error {
	switch strings.ToLower(a.finish) {
	case "error", "network_error", "insufficient_system_resource", "abort": // OpenRouter, Zhipu, DeepSeek, vLLM
		return a.call.Garbled("an answer that it marked as failed")
	}
	if len(a.calls.open) > maxCalls {
		return a.call.Garbled("more tool calls than an answer can have")
	}
	for _, call := range a.calls.open {
		if call.name == "" {
			return a.call.Garbled("a tool call without a name")
		}
	}
	return nil
}

// finishReason maps the finish reasons of providers. Calls decide between stop and tool_calls, since many providers send stop after calls.
func finishReason(reason string, called bool) llm.FinishReason {
	switch strings.ToLower(reason) {
	case "":
		return ""
	case "length", "max_tokens", "max_output_tokens", "incomplete", "token_limit":
		return llm.FinishLength
	case "model_length", "context_window_exceeded", "model_context_window_exceeded", "context_length_exceeded":
		return llm.FinishWindow
	case "content_filter", "safety", "recitation", "sensitive", "prohibited_content", "refusal", "blocklist", "spii", "image_safety", "model_armor",
		"content_filtered", "guardrail_intervened":
		return llm.FinishContentFilter
	}
	if called {
		return llm.FinishToolCalls
	}
	if name := strings.ToLower(reason); name == "malformed_function_call" || name == "unexpected_tool_call" { // Gemini
		return llm.FinishMalformed
	}
	return llm.FinishStop
}
