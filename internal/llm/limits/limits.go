// Package limits has the context and output limits of models: the makers' figures of the families, by the beginning of a
// model's name. They are the defaults where the settings have none; an unknown model gets general defaults.
package limits

import "strings"

// The defaults for models that are not known, in tokens.
const (
	DefaultContext = 200_000
	DefaultOutput  = 32_768
)

// family is models whose names begin alike, with their limits in tokens.
type family struct {
	prefix          string
	context, output int
}

// families in no order: the longest prefix counts. Where members differ, the smaller figure is used: compressing early
// costs a call, compressing late an error.
var families = []family{
	{"gpt-5", 400_000, 128_000}, {"gpt-5-chat", 128_000, 16_384}, {"gpt-4.1", 1_047_576, 32_768}, {"gpt-4.5", 128_000, 16_384},
	{"gpt-4o", 128_000, 16_384}, {"gpt-4-turbo", 128_000, 4_096}, {"gpt-4", 8_192, 4_096}, {"gpt-4-32k", 32_768, 4_096},
	{"gpt-3.5", 16_385, 4_096}, {"gpt-oss", 131_072, 32_768}, {"chatgpt-4o", 128_000, 16_384}, {"codex-mini", 200_000, 100_000},
	{"o1", 200_000, 100_000}, {"o1-mini", 128_000, 65_536}, {"o1-preview", 128_000, 32_768}, {"o3", 200_000, 100_000},
	{"o4", 200_000, 100_000},

	{"claude", 200_000, 32_768}, {"claude-2", 100_000, 4_096}, {"claude-3", 200_000, 4_096}, {"claude-3-5", 200_000, 8_192},
	{"claude-3.5", 200_000, 8_192}, {"claude-3-7", 200_000, 32_768}, {"claude-3.7", 200_000, 32_768}, {"claude-instant", 100_000, 4_096},

	{"deepseek", 128_000, 8_192}, {"deepseek-reasoner", 128_000, 65_536}, {"deepseek-r1", 128_000, 32_768}, {"deepseek-coder", 128_000, 8_192},

	{"qwen", 131_072, 8_192}, {"qwen-max", 32_768, 8_192}, {"qwen-long", 1_000_000, 8_192}, {"qwen2", 32_768, 8_192}, {"qwen2.5", 32_768, 8_192},
	{"qwen3", 131_072, 32_768}, {"qwen3-max", 262_144, 32_768}, {"qwen3-coder", 262_144, 65_536}, {"qwen3-next", 262_144, 32_768},
	{"qwq", 131_072, 32_768}, {"qvq", 131_072, 8_192},

	{"glm-4", 128_000, 4_096}, {"glm-4.5", 131_072, 98_304}, {"glm-4.5v", 65_536, 16_384}, {"glm-4.6", 200_000, 131_072},
	{"glm-4.7", 200_000, 131_072}, {"glm-5", 200_000, 131_072}, {"glm-z1", 128_000, 32_768},

	{"kimi", 131_072, 32_768}, {"kimi-k2", 131_072, 32_768}, {"kimi-k2-0905", 262_144, 32_768}, {"kimi-k2-thinking", 262_144, 32_768},
	{"kimi-k2-turbo", 262_144, 32_768}, {"kimi-k2.5", 262_144, 32_768}, {"moonshot-v1-8k", 8_192, 4_096}, {"moonshot-v1-32k", 32_768, 8_192},
	{"moonshot-v1", 131_072, 16_384},

	{"gemini", 1_048_576, 8_192}, {"gemini-1.0", 32_760, 8_192}, {"gemini-2.5", 1_048_576, 65_536}, {"gemini-3", 1_048_576, 65_536},
	{"gemma", 8_192, 4_096}, {"gemma-3", 131_072, 8_192}, {"gemma3", 131_072, 8_192},

	{"grok", 131_072, 32_768}, {"grok-4", 256_000, 32_768}, {"grok-code", 256_000, 32_768}, {"mistral", 32_768, 8_192},
	{"mistral-large", 131_072, 32_768}, {"mistral-medium", 131_072, 32_768}, {"mistral-small", 131_072, 32_768}, {"codestral", 262_144, 32_768},
	{"devstral", 131_072, 32_768}, {"llama", 8_192, 4_096}, {"llama-3.1", 131_072, 8_192}, {"llama-3.2", 131_072, 8_192},
	{"llama-3.3", 131_072, 8_192}, {"llama3.1", 131_072, 8_192}, {"llama3.2", 131_072, 8_192}, {"llama3.3", 131_072, 8_192},
	{"llama-4", 1_000_000, 8_192}, {"minimax-m", 204_800, 65_536}, {"doubao", 32_768, 4_096}, {"doubao-seed", 256_000, 16_384},
	{"doubao-1.5", 128_000, 12_288}, {"ernie-4.5", 128_000, 8_192}, {"ernie-x1", 32_768, 8_192}, {"hunyuan", 131_072, 8_192},
	{"step-3", 65_536, 8_192},

	{"demo", DefaultContext, DefaultOutput},
}

// Of returns how many tokens a model takes in all and how many of them it may write. The name may have its provider in
// front, as in openai/gpt-5.2, also that of a gateway.
func Of(model string) (context, output int) {
	name := strings.ToLower(strings.TrimSpace(model[strings.LastIndexByte(model, '/')+1:]))
	best := family{context: DefaultContext, output: DefaultOutput}
	for _, f := range families {
		if strings.HasPrefix(name, f.prefix) && len(f.prefix) > len(best.prefix) {
			best = f
		}
	}
	return best.context, best.output
}

// Others returns the limits of the models that an installation can choose among.
type Others interface {
	// Of returns how many tokens a model takes in all and how many of them it may write.
	Of(model string) (context, output int)
	// Asked returns the limit of an answer that the settings name for a model, in tokens; 0: none.
	Asked(model string) int
	// Sees reports whether a model reads pictures.
	Sees(model string) bool
}

// Table is the configured limits of the installation's models.
type Table struct {
	Model           string // whose limits the others are; empty: of every model
	Context, Output int    // tokens; 0: what is known of the model, or the default
	Vision          *bool  // whether it reads pictures; nil: what is known of the model
	Others          Others // knows all of them, this one included; nil: there is but this one
}

// Of returns the limits of a model. Configured limits count for the model they were set for.
func (t Table) Of(model string) (context, output int) {
	if t.Others != nil {
		return t.Others.Of(model)
	}
	context, output = Of(model)
	if t.Model != "" && t.Model != model {
		return context, output
	}
	if t.Context > 0 {
		context = t.Context
	}
	if t.Output > 0 {
		output = t.Output
	}
	return context, output
}

// Sees reports whether a model reads pictures. A configured value counts for the model it was set for.
func (t Table) Sees(model string) bool {
	if t.Others != nil {
		return t.Others.Sees(model)
	}
	if t.Vision != nil && (t.Model == "" || t.Model == model) {
		return *t.Vision
	}
	return Sees(model)
}

// Asked returns the limit of an answer that the settings name for a model, in tokens, or 0 if they name none.
func (t Table) Asked(model string) int {
	switch {
	case t.Others != nil:
		return t.Others.Asked(model)
	case t.Model == "" || t.Model == model:
		return t.Output
	}
	return 0
}
