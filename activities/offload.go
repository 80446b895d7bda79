package activities

import (
	"xbot/internal/chat"
	"xbot/internal/tokens"
	"xbot/internal/window"
)

// offloaded keeps a result that is too large for the conversation beside it: the model reads a summary, and the whole
// where it asks for it.
func offloaded(call chat.Call, r chat.ToolResult) chat.ToolResult {
	body := clean(r.Content) // as it will be stored, so that the summary is of just that
	size := 0
	if len(body) >= window.OffloadTokens && len(body) < window.OffloadBytes { // a token has at least a byte
		size = tokens.Count(body)
	}
	summary, ok := window.Offload(call.ToolCall, body, size)
	if !ok {
		return r
	}
	r.Offload = &chat.Offload{ID: window.OffloadID(call.ID), Summary: summary, Body: body, Tool: call.Name, File: r.File}
	r.Content = summary
	return r
}
