package openai

import (
	"cmp"
	"encoding/json"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/llm/wire"
)

// chunk is one event of a stream, or a whole answer that was not streamed. The SDK's type has neither the reasoning fields of other
// providers nor fields of unexpected types.
type chunk struct {
	Model   wire.Word         `json:"model"`
	Choices wire.List[choice] `json:"choices"`
	Usage   *usage            `json:"usage"`
	Groq    struct {
		Usage *usage `json:"usage"`
	} `json:"x_groq"`
	Timings *timings `json:"timings"` // llama.cpp
}

type choice struct {
	Index   wire.Count      `json:"index"`
	Delta   *part           `json:"delta"`
	Message *part           `json:"message"` // the whole answer, instead of pieces or, from Perplexity and MiniMax, in addition to them
	Text    wire.Text       `json:"text"`    // of servers that answer as the older completions did
	Finish  wire.Word       `json:"finish_reason"`
	Usage   *usage          `json:"usage"` // Moonshot puts it here
	Error   json.RawMessage `json:"error"` // OpenRouter, with the finish reason error
}

// failure returns the error with which a choice ends, or nil if there is none. An error with another finish reason does not end the answer.
func (c chunk) failure() json.RawMessage {
	for _, one := range c.Choices {
		if one.Finish == "error" && isFailure(one.Error) {
			return one.Error
		}
	}
	return nil
}

// part is a piece of an answer.
type part struct {
	Content          content             `json:"content"`
	Refusal          wire.Text           `json:"refusal"`
	ReasoningContent wire.Text           `json:"reasoning_content"` // DeepSeek, Qwen, Moonshot, Zhipu
	Reasoning        wire.Text           `json:"reasoning"`         // OpenRouter, Groq, Ollama, newer vLLM
	ReasoningText    wire.Text           `json:"reasoning_text"`    // GitHub Copilot
	Details          wire.List[detail]   `json:"reasoning_details"` // OpenRouter, MiniMax
	ToolCalls        wire.List[callPart] `json:"tool_calls"`
	FunctionCall     *callText           `json:"function_call"` // before there were tool calls

	state fields
}

// partFields lists the fields that are not provider state: those that the adapter reads, and those that no provider wants back.
var partFields = []string{
	"role", "content", "refusal", "reasoning_content", "reasoning", "tool_calls", "function_call", "name", "index", "finish_reason", "stop_reason",
	"annotations", "audio", "images", "citations", "search_results", "logprobs", "token_ids", "content_filter_results", "obfuscation",
}

// UnmarshalJSON accepts any JSON. A string is the content of the piece.
func (p *part) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return p.Content.UnmarshalJSON(data)
	}
	type plain part
	_ = wire.Parse(data, (*plain)(p)) // what cannot be read stays empty
	p.state = otherFields(data, partFields)
	return nil
}

// thought returns the reasoning. Some providers repeat it under several names.
func (p part) thought() string {
	for _, name := range []wire.Text{p.ReasoningContent, p.Reasoning, p.ReasoningText} {
		if name != "" {
			return string(name)
		}
	}
	var all strings.Builder
	for _, d := range p.Details {
		all.WriteString(string(d.Text + d.Summary))
	}
	return all.String()
}

// adds reports whether the piece has more of the answer.
func (p part) adds() bool {
	return p.Content != (content{}) || p.Refusal != "" || p.thought() != "" || len(p.ToolCalls) > 0
}

// detail is a readable part of reasoning_details.
type detail struct {
	Text    wire.Text `json:"text"`
	Summary wire.Text `json:"summary"`
}

// callPart is a piece of a tool call.
type callPart struct {
	Index    *wire.Count `json:"index"`
	ID       wire.Text   `json:"id"`
	Function callText    `json:"function"`

	state fields
}

type callText struct {
	Name      wire.Text `json:"name"`
	Arguments wire.Text `json:"arguments"`
}

// UnmarshalJSON accepts any JSON.
func (p *callPart) UnmarshalJSON(data []byte) error {
	type plain callPart
	_ = wire.Parse(data, (*plain)(p)) // what cannot be read stays empty
	p.state = otherFields(data, []string{"index", "id", "type", "function"})
	return nil
}

// name returns the name of the tool.
func (p callPart) name() string { return strings.TrimSpace(p.Function.Name.String()) }

// content is text, or a list of parts as Mistral sends it, whose thinking is reasoning.
type content struct{ text, reasoning string }

// UnmarshalJSON accepts any JSON.
func (c *content) UnmarshalJSON(data []byte) error {
	var parts []json.RawMessage
	switch {
	case data[0] == '{':
		parts = []json.RawMessage{data}
	case data[0] != '[' || json.Unmarshal(data, &parts) != nil:
		var plain wire.Text
		err := plain.UnmarshalJSON(data)
		c.text = string(plain)
		return err
	}
	var said, thoughts strings.Builder
	for _, raw := range parts {
		if raw[0] == '"' {
			var plain wire.Text
			_ = plain.UnmarshalJSON(raw) // accepts any
			said.WriteString(string(plain))
			continue
		}
		var one struct {
			Text     wire.Text `json:"text"`
			Refusal  wire.Text `json:"refusal"`
			Thinking thought   `json:"thinking"`
		}
		_ = wire.Parse(raw, &one) // what cannot be read stays empty
		said.WriteString(string(one.Text + one.Refusal))
		thoughts.WriteString(string(one.Thinking))
	}
	c.text, c.reasoning = said.String(), thoughts.String()
	return nil
}

// thought is text, or a list of text parts.
type thought wire.Text

// UnmarshalJSON accepts any JSON.
func (t *thought) UnmarshalJSON(data []byte) error {
	var parts wire.List[detail]
	if data[0] == '"' {
		return (*wire.Text)(t).UnmarshalJSON(data)
	}
	_ = parts.UnmarshalJSON(data) // accepts any
	var all strings.Builder
	for _, one := range parts {
		all.WriteString(string(one.Text))
	}
	*t = thought(all.String())
	return nil
}

// usage counts tokens in the ways providers report them.
type usage struct {
	Prompt     wire.Count `json:"prompt_tokens"`
	Completion wire.Count `json:"completion_tokens"`
	Total      wire.Count `json:"total_tokens"`
	Details    struct {
		Cached wire.Count `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	Written  outputDetails `json:"completion_tokens_details"`
	CacheHit wire.Count    `json:"prompt_cache_hit_tokens"` // DeepSeek
	Cached   wire.Count    `json:"cached_tokens"`           // Moonshot
	Input    wire.Count    `json:"input_tokens"`            // the Responses API, and gateways to others
	Output   wire.Count    `json:"output_tokens"`
	Inner    struct {
		Cached wire.Count `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	Answer outputDetails `json:"output_tokens_details"`
}

// outputDetails splits up the tokens of an answer.
type outputDetails struct {
	Reasoning wire.Count `json:"reasoning_tokens"`
}

// add stores the counts of an event. Counts of a stream are totals; a missing count or 0 is ignored.
func (u *usage) add(to *chat.Usage) {
	if u == nil {
		return
	}
	take := func(to *int, count wire.Count) {
		if count > 0 {
			*to = int(count)
		}
	}
	prompt, answer := cmp.Or(u.Prompt, u.Input), cmp.Or(u.Completion, u.Output)
	// xAI, and gateways to Gemini, count the reasoning separately (Wei-Shaw/sub2api#5771, router-for-me/CLIProxyAPI#5744). The total shows it.
	if reasoning := max(u.Written.Reasoning, u.Answer.Reasoning); prompt+answer+reasoning == u.Total {
		answer += reasoning
	}
	take(&to.PromptTokens, prompt)
	take(&to.CompletionTokens, answer)
	take(&to.CachedTokens, max(u.Details.Cached, u.Inner.Cached, u.CacheHit, u.Cached))
}

// timings are the counts in each chunk of llama.cpp, which it sends without a request for usage.
type timings struct {
	Cached    wire.Count `json:"cache_n"`
	Prompt    wire.Count `json:"prompt_n"`
	Predicted wire.Count `json:"predicted_n"`
}
