package wire

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"

	"xbot/internal/llm"
)

// Texts for what providers refuse when it is missing.
const (
	noOutput = "(no output)"
	noResult = "No result was recorded for this call."
	noText   = "(empty message)"
	goOn     = "(Go on.)"
	ofTools  = "(What the tools returned as pictures.)"
)

// Tidy returns messages in an order that every provider accepts; the originals stay as they are. Each tool call is
// followed at once by exactly one result, in the order of the calls: results without a call and repeated calls are left
// out, missing results say so. User messages that follow each other become one. Assistant messages that say nothing are
// left out. Volatile messages come last, as one, so that the messages before them are the same as without them. What would
// end with an answer, or be nothing at all, gets a last word of a user.
func Tidy(messages []llm.Message) []llm.Message {
	results := map[string]llm.Message{}
	for _, m := range messages {
		if _, known := results[m.ToolCallID]; m.Role == "tool" && !m.Volatile && !known {
			results[m.ToolCallID] = m
		}
	}
	called := map[string]bool{}
	var tidy, volatile []llm.Message
	for _, m := range messages {
		m.Content, m.Reasoning = Clean(m.Content), Clean(m.Reasoning)
		switch {
		case m.Volatile && !isBlank(m.Content):
			volatile = appendUser(volatile, llm.Message{Role: "user", Content: m.Content, Volatile: true})
		case m.Volatile: // empty
		case m.Role == "user":
			tidy = appendUser(tidy, m)
		case m.Role == "assistant":
			tidy = appendAssistant(tidy, m, results, called)
		}
	}
	if last := len(tidy) - 1; len(volatile) == 0 && (last < 0 || tidy[last].Role == "assistant") {
		volatile = []llm.Message{{Role: "user", Content: goOn, Volatile: true}}
	}
	return append(tidy, volatile...)
}

// Attach returns tidy messages with the volatile one written into the message before it, for providers that want people
// and models to take turns.
func Attach(tidy []llm.Message) []llm.Message {
	last := len(tidy) - 1
	if last < 1 || !tidy[last].Volatile || tidy[last-1].Role == "assistant" {
		return tidy
	}
	out := slices.Clone(tidy[:last])
	out[last-1].Content += "\n\n" + tidy[last].Content
	return out
}

func appendUser(tidy []llm.Message, m llm.Message) []llm.Message {
	if last := len(tidy) - 1; last >= 0 && tidy[last].Role == "user" {
		if !isBlank(m.Content) {
			tidy[last].Content += "\n\n" + m.Content
		}
		tidy[last].Pictures = slices.Concat(tidy[last].Pictures, m.Pictures)
		return tidy
	}
	if isBlank(m.Content) && len(m.Pictures) == 0 {
		m.Content = noText
	}
	return append(tidy, m)
}

// LiftPictures returns tidy messages whose tool results are text alone, for providers that take nothing else there: their pictures go
// in a message of the user after the results. Without such pictures it returns the messages that it was given.
func LiftPictures(tidy []llm.Message) []llm.Message {
	if !slices.ContainsFunc(tidy, func(m llm.Message) bool { return m.Role == "tool" && len(m.Pictures) > 0 }) {
		return tidy
	}
	var out []llm.Message
	var lifted []llm.Picture
	for _, m := range tidy {
		if m.Role == "tool" {
			lifted = append(lifted, m.Pictures...)
			m.Pictures = nil
			out = append(out, m)
			continue
		}
		if len(lifted) > 0 {
			if m.Role != "user" || m.Volatile {
				out = append(out, llm.Message{Role: "user", Content: ofTools, Pictures: lifted})
			} else {
				m.Content, m.Pictures = strings.TrimSuffix(ofTools+"\n\n"+m.Content, "\n\n"), slices.Concat(lifted, m.Pictures)
			}
			lifted = nil
		}
		out = append(out, m)
	}
	if len(lifted) > 0 {
		out = append(out, llm.Message{Role: "user", Content: ofTools, Pictures: lifted})
	}
	return out
}

func appendAssistant(tidy []llm.Message, m llm.Message, results map[string]llm.Message, called map[string]bool) []llm.Message {
	m.ToolCalls = firsts(m.ToolCalls, called)
	if isBlank(m.Content) && len(m.ToolCalls) == 0 {
		return tidy
	}
	tidy = append(tidy, m)
	for _, call := range m.ToolCalls {
		result, found := results[call.ID]
		if !found {
			result = llm.Message{Role: "tool", ToolCallID: call.ID, Content: noResult, IsError: true}
		}
		delete(results, call.ID)
		if result.Content = Clean(result.Content); isBlank(result.Content) {
			result.Content = noOutput
		}
		tidy = append(tidy, result)
	}
	return tidy
}

// firsts leaves out calls whose id was used before: providers want ids to be unique, and there is one result for each.
func firsts(calls []llm.ToolCall, called map[string]bool) []llm.ToolCall {
	return slices.DeleteFunc(slices.Clone(calls), func(c llm.ToolCall) bool {
		repeated := called[c.ID]
		called[c.ID] = true
		return repeated
	})
}

// isBlank reports whether a text holds nothing that a model could read; some providers refuse such texts.
func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// ShortID returns an id of nine letters and digits for a tool call. Ours are longer and hold dots; OpenAI allows 40
// characters, Anthropic letters, digits, _ and -, Mistral exactly nine letters and digits. The same id gives the same
// result, so that a prefix of the conversation stays the same and cached.
func ShortID(id string) string {
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sum := sha256.Sum256([]byte(id))
	n := binary.BigEndian.Uint64(sum[:8])
	var short [9]byte
	for i := range short {
		short[i] = letters[n%uint64(len(letters))]
		n /= uint64(len(letters))
	}
	return string(short[:])
}

// Name returns the name of a called tool as every provider takes it back: letters, digits, _ and -, at most 64 of them.
// Models invent names, and one of those must not make the rest of the conversation impossible.
func Name(name string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		default:
			return '_'
		}
	}, name)
	if clean == "" {
		return "unknown"
	}
	return clean[:min(len(clean), 64)]
}

// Object returns the arguments of a call as a JSON object, which providers require of returned calls, also if the
// model wrote something else: one malformed call must not make the rest of the conversation impossible.
func Object(arguments string) string {
	trimmed := strings.TrimSpace(arguments)
	switch {
	case trimmed == "":
		return "{}"
	case trimmed[0] == '{' && json.Valid([]byte(trimmed)):
		return trimmed
	default:
		quoted, _ := json.Marshal(arguments) // a string always encodes
		return `{"malformed_arguments":` + string(quoted) + `}`
	}
}
