package turn

import (
	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/turn/tokens"
	"xbot/internal/turn/window"
)

// offloaded stores a result that is too large for the conversation separately: the model reads a summary, and the whole on request.
func offloaded(call chat.Call, r chat.ToolResult) chat.ToolResult {
	kept := r
	kept.Content = activities.Clean(r.Content) // as it will be stored
	if kept = window.Result(call.ToolCall, kept, tokens.Count); kept.Offload == nil {
		return r
	}
	return kept
}
