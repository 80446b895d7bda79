package window

import "xbot/internal/chat"

// Result returns the result of a call as the conversation holds it: one that is too large becomes a summary, and the whole is stored
// separately. The content has to be storable, so that the summary matches the stored content. count counts tokens.
func Result(call chat.ToolCall, r chat.ToolResult, count func(text string) int) chat.ToolResult {
	size := 0
	if len(r.Content) >= OffloadTokens && len(r.Content) < OffloadBytes { // a token has at least a byte
		size = count(r.Content)
	}
	summary, ok := Offload(call, r.Content, size)
	if !ok {
		return r
	}
	r.Offload = &chat.Offload{ID: OffloadID(call.ID), Summary: summary, Body: r.Content, Tool: call.Name, File: r.File}
	r.Content = summary
	return r
}
