package limits

import (
	"slices"
	"strings"
)

// seeing are families of models that read pictures, by the beginning of their names, with the exceptions in blind. Models whose name has
// one of the words in seeingWords do, too.
var (
	seeing = []string{
		"gpt-4o", "chatgpt-4o", "gpt-4.1", "gpt-4.5", "gpt-4-turbo", "gpt-5", "gpt-6", "o1", "o3", "o4",
		"claude-3", "claude-4", "claude-opus", "claude-sonnet", "claude-haiku", "claude-fable", "claude-mythos",
		"gemini", "gemma-3", "gemma3", "llama-4", "llama4", "pixtral", "mistral-medium", "mistral-small-3", "mistral-small-latest", "mistral-large-3",
		"qvq", "kimi-k2.5", "kimi-latest", "glm-4v", "glm-4.5v", "glm-4.6v", "grok-4", "doubao-seed-1.6", "doubao-seed-1-6", "step-3", "minimax-vl",
	}
	blind       = []string{"gpt-5-codex-mini", "o1-mini", "o1-preview", "o3-mini", "claude-3-5-haiku-20241022", "gemma-3-1b", "gemma3:1b", "grok-4-code"}
	seeingWords = []string{"vl", "vision", "omni", "multimodal"}
)

// Sees reports whether a model reads pictures, judged by its name. The name may have its provider in front, as in Of.
func Sees(model string) bool {
	name := strings.ToLower(strings.TrimSpace(model[strings.LastIndexByte(model, '/')+1:]))
	begins := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	if slices.ContainsFunc(blind, begins) {
		return false
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("-_.: ", r) })
	return slices.ContainsFunc(seeing, begins) ||
		slices.ContainsFunc(words, func(w string) bool { return slices.Contains(seeingWords, w) })
}
