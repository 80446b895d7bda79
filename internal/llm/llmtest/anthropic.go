package llmtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
)

// Signature returns the signature that the server gives to a thinking block, so that a test can check whether the
// client gave the block back unchanged.
func Signature(thinking string) string {
	return fmt.Sprintf("signed:%d:%s", len(thinking), cutTail(thinking, 8))
}

func cutTail(text string, n int) string { return text[max(0, len(text)-n):] }

// writeAnthropic sends a reply as Anthropic's messages do.
func writeAnthropic(o *wire, req Request, reply Reply) {
	switch {
	case reply.Status != 0 && reply.Status != http.StatusOK:
		writeJSON(o.w, reply.Status, anthropicError(reply))
	case !req.Stream:
		writeJSON(o.w, http.StatusOK, anthropicMessage(req, reply))
	default:
		o.play(anthropicScript(req, reply), reply.Break)
	}
}

func anthropicScript(req Request, reply Reply) script {
	var s script
	usage := reply.usage(req)
	if reply.NoUsage {
		usage = Usage{}
	}
	start := object{
		"id": fmt.Sprintf("msg_%d", req.N), "type": "message", "role": "assistant", "model": req.Model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": anthropicUsage(usage, 1),
	}
	s.head = []event{named("message_start", object{"message": start}), named("ping", object{})}
	for i, b := range anthropicBlocks(req, reply) {
		s.body = append(s.body, named("content_block_start", object{"index": i, "content_block": b.start}))
		for _, delta := range b.deltas {
			s.body = append(s.body, named("content_block_delta", object{"index": i, "delta": delta}))
		}
		s.body = append(s.body, named("content_block_stop", object{"index": i}))
	}
	s.tail = []event{
		named("message_delta", object{
			"delta": object{"stop_reason": stopReason(reply), "stop_sequence": nil},
			"usage": object{"output_tokens": usage.Completion},
		}),
		named("message_stop", object{}),
	}
	s.broken = []event{{name: "error", data: marshal(anthropicError(reply))}}
	s.garbage = event{name: "content_block_delta", data: []byte(`{"type":"content_block_delta","delta":{"text":"`)}
	return s
}

func named(kind string, payload object) event {
	payload["type"] = kind
	return event{name: kind, data: marshal(payload)}
}

// part is a content block: how it starts, and the deltas that fill it.
type part struct {
	start  object
	deltas []object
}

func anthropicBlocks(req Request, reply Reply) []part {
	var parts []part
	if reply.Reasoning != "" {
		thinking := part{start: object{"type": "thinking", "thinking": "", "signature": ""}}
		for _, piece := range cut(reply.Reasoning, 0) {
			thinking.deltas = append(thinking.deltas, object{"type": "thinking_delta", "thinking": piece})
		}
		thinking.deltas = append(thinking.deltas, object{"type": "signature_delta", "signature": Signature(reply.Reasoning)})
		parts = append(parts, thinking)
	}
	if reply.Text != "" {
		text := part{start: object{"type": "text", "text": ""}}
		for _, piece := range cut(reply.Text, reply.Chunks) {
			text.deltas = append(text.deltas, object{"type": "text_delta", "text": piece})
		}
		parts = append(parts, text)
	}
	for i, call := range reply.Calls {
		use := part{start: object{"type": "tool_use", "id": callID(req, reply, i, call), "name": call.Name, "input": object{}}}
		for _, piece := range cut(call.Arguments, 1+len(call.Arguments)/16) {
			use.deltas = append(use.deltas, object{"type": "input_json_delta", "partial_json": piece})
		}
		parts = append(parts, use)
	}
	return parts
}

func anthropicMessage(req Request, reply Reply) object {
	content := []object{}
	for _, b := range anthropicBlocks(req, reply) {
		switch b.start["type"] {
		case "thinking":
			b.start["thinking"], b.start["signature"] = reply.Reasoning, Signature(reply.Reasoning)
		case "text":
			b.start["text"] = reply.Text
		}
		content = append(content, b.start)
	}
	next := 0
	for _, b := range content {
		if b["type"] == "tool_use" {
			b["input"] = json.RawMessage(reply.Calls[next].Arguments)
			next++
		}
	}
	usage := reply.usage(req)
	return object{
		"id": fmt.Sprintf("msg_%d", req.N), "type": "message", "role": "assistant", "model": req.Model, "content": content,
		"stop_reason": stopReason(reply), "stop_sequence": nil, "usage": anthropicUsage(usage, usage.Completion),
	}
}

// anthropicUsage counts the cached part separately from the rest of the input, as that API does.
func anthropicUsage(u Usage, output int) object {
	return object{
		"input_tokens": u.Prompt - u.Cached, "cache_read_input_tokens": u.Cached, "cache_creation_input_tokens": 0,
		"output_tokens": output,
	}
}

// stopReason translates the finish reason, whose names are OpenAI's; unknown ones are sent as they are.
func stopReason(reply Reply) string {
	switch reason := reply.finish(); reason {
	case "stop":
		return "end_turn"
	case "tool_calls":
		return "tool_use"
	case "length":
		return "max_tokens"
	case "content_filter":
		return "refusal"
	default:
		return reason
	}
}

func anthropicError(reply Reply) object {
	kind := map[int]string{
		0:                                "overloaded_error", // inside a stream
		http.StatusBadRequest:            "invalid_request_error",
		http.StatusUnauthorized:          "authentication_error",
		http.StatusForbidden:             "permission_error",
		http.StatusNotFound:              "not_found_error",
		http.StatusRequestEntityTooLarge: "request_too_large",
		http.StatusTooManyRequests:       "rate_limit_error",
		529:                              "overloaded_error",
	}[reply.Status]
	if kind == "" {
		kind = "api_error"
	}
	return object{"type": "error", "error": object{"type": kind, "message": cmp.Or(reply.Error, "scripted failure")}}
}
