package llmtest

import (
	"encoding/json"
	"fmt"
	"slices"
)

// leastOutputTokens is the smallest limit of an answer that the Responses API takes.
const leastOutputTokens = 16

// itemsFault looks for what the Responses API refuses or misreads, in addition to what transcriptFault looks for.
func itemsFault(raw []byte) string {
	var body responsesBody
	if json.Unmarshal(raw, &body) != nil {
		return "" // it was parsed before
	}
	items, err := body.items()
	if err != nil {
		return "" // the same
	}
	if body.MaxTokens != nil && *body.MaxTokens < leastOutputTokens {
		return fmt.Sprintf("Invalid 'max_output_tokens': integer below minimum value. Expected a value >= %d, but got %d instead.", leastOutputTokens, *body.MaxTokens)
	}
	for _, tool := range body.Tools {
		if tool.Strict == nil || *tool.Strict {
			return fmt.Sprintf("the tool %s does not say strict: false, so that its optional parameters become mandatory", tool.Name)
		}
	}
	stored := body.Store == nil || *body.Store
	for i, item := range items {
		if item.ID != "" && !stored {
			return fmt.Sprintf("Item with id '%s' not found. Items are not persisted when `store` is set to false.", item.ID)
		}
		if complaint := itemFault(item, items[i+1:], stored); complaint != "" {
			return fmt.Sprintf("input[%d]: %s", i, complaint)
		}
	}
	return ""
}

func itemFault(item inputItem, rest []inputItem, stored bool) string {
	switch item.kind() {
	case "reasoning":
		switch {
		case item.Summary == nil:
			return "missing required parameter: 'summary'"
		case item.Encrypted == "" && !stored:
			return "reasoning that is neither stored nor encrypted"
		case !followed(rest):
			return "item of type 'reasoning' was provided without its required following item"
		}
	case "message":
		var parts []piece
		if json.Unmarshal(item.Content, &parts) != nil {
			return "" // a plain text
		}
		allowed := []string{"input_text", "input_image", "input_file"}
		if item.Role == "assistant" {
			allowed = []string{"output_text", "refusal"}
		}
		for _, p := range parts {
			if !slices.Contains(allowed, p.Type) {
				return fmt.Sprintf("invalid value: '%s'. Supported values are: %q", p.Type, allowed)
			}
		}
	}
	return ""
}

// followed reports whether reasoning has the message or the call that it led to.
func followed(rest []inputItem) bool {
	for _, item := range rest {
		switch item.kind() {
		case "reasoning":
		case "message":
			return item.Role == "assistant"
		default:
			return item.kind() == "function_call"
		}
	}
	return false
}
