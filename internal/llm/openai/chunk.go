package openai

import (
	"encoding/json"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/llm/wire"
)

// chunk is one event of a stream, or a whole answer that was not streamed. The SDK's own type knows neither the
// "reasoning" field nor arguments that are an object.
type chunk struct {
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage"`
}

type choice struct {
	Index   int    `json:"index"`
	Delta   part   `json:"delta"`
	Message *part  `json:"message"` // instead of delta where the answer is not streamed
	Finish  text   `json:"finish_reason"`
	Usage   *usage `json:"usage"` // Moonshot puts it here
}

// part is a piece of an answer.
type part struct {
	Content          content    `json:"content"`
	Refusal          text       `json:"refusal"`
	ReasoningContent text       `json:"reasoning_content"` // DeepSeek, Qwen, Moonshot, Zhipu
	Reasoning        text       `json:"reasoning"`         // OpenRouter, Groq, Ollama, newer vLLM
	ToolCalls        []callPart `json:"tool_calls"`
}

// thought returns the reasoning; some send it under both names.
func (p part) thought() string {
	if p.ReasoningContent != "" {
		return string(p.ReasoningContent)
	}
	return string(p.Reasoning)
}

// callPart is a piece of a tool call.
type callPart struct {
	Index    *int     `json:"index"`
	ID       text     `json:"id"`
	Function callText `json:"function"`
}

type callText struct {
	Name      text `json:"name"`
	Arguments text `json:"arguments"`
}

// text is a string that may be null, or JSON of another type, which then is the text.
type text string

// UnmarshalJSON accepts any JSON.
func (t *text) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) != nil {
		s = string(data)
	}
	*t = text(wire.Clean(s)) // null leaves s empty
	return nil
}

// content is text, or a list of parts as Mistral sends it, whose thinking is reasoning.
type content struct{ text, reasoning string }

// UnmarshalJSON accepts any JSON.
func (c *content) UnmarshalJSON(data []byte) error {
	var parts []struct {
		Text     text      `json:"text"`
		Thinking []thought `json:"thinking"`
	}
	if json.Unmarshal(data, &parts) != nil {
		var plain text
		err := plain.UnmarshalJSON(data)
		c.text = string(plain)
		return err
	}
	var said, thought strings.Builder
	for _, p := range parts {
		said.WriteString(string(p.Text))
		for _, t := range p.Thinking {
			thought.WriteString(string(t.Text))
		}
	}
	c.text, c.reasoning = said.String(), thought.String()
	return nil
}

type thought struct {
	Text text `json:"text"`
}

// usage counts tokens in the ways providers report the cached ones.
type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Details    struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CacheHit int `json:"prompt_cache_hit_tokens"` // DeepSeek
	Cached   int `json:"cached_tokens"`           // Moonshot
}

func (u usage) tokens() chat.Usage {
	return chat.Usage{
		PromptTokens:     u.Prompt,
		CachedTokens:     max(u.Details.Cached, u.CacheHit, u.Cached),
		CompletionTokens: u.Completion,
	}
}
