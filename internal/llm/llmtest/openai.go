package llmtest

import (
	"cmp"
	"fmt"
	"net/http"
)

type object = map[string]any

// writeOpenAI sends a reply as OpenAI's chat completions do.
func writeOpenAI(o *wire, req Request, reply Reply) {
	switch {
	case reply.Status != 0 && reply.Status != http.StatusOK:
		writeJSON(o.w, reply.Status, openAIError(reply))
	case reply.Plain || !req.Stream:
		writeJSON(o.w, http.StatusOK, openAICompletion(req, reply))
	default:
		o.play(openAIScript(req, reply), reply.Break)
	}
}

func openAIScript(req Request, reply Reply) script {
	chunk := func(delta object, finish any) event {
		return event{data: marshal(object{
			"id": fmt.Sprintf("chatcmpl-%d", req.N), "object": "chat.completion.chunk", "created": 0, "model": req.Model,
			"choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}},
		})}
	}
	var s script
	s.head = []event{chunk(object{"role": "assistant", "content": ""}, nil)}
	for _, piece := range cut(reply.Reasoning, 0) {
		s.body = append(s.body, chunk(object{"reasoning_content": piece}, nil))
	}
	for _, piece := range cut(reply.Text, reply.Chunks) {
		s.body = append(s.body, chunk(object{"content": piece}, nil))
	}
	for i, call := range reply.Calls {
		for _, part := range openAICall(req, reply, i, call) {
			s.body = append(s.body, chunk(object{"tool_calls": []any{part}}, nil))
		}
	}
	s.tail = []event{chunk(object{}, reply.finish())}
	if req.includeUsage && !reply.NoUsage {
		s.tail = append(s.tail, event{data: marshal(object{
			"id": fmt.Sprintf("chatcmpl-%d", req.N), "object": "chat.completion.chunk", "created": 0, "model": req.Model,
			"choices": []any{}, "usage": openAIUsage(reply.usage(req)),
		})})
	}
	s.tail = append(s.tail, event{data: []byte("[DONE]")})
	s.broken = []event{{data: marshal(openAIError(reply))}}
	s.garbage = event{data: []byte(`{"choices":[{"delta":{"content":"`)}
	return s
}

// openAICall returns the pieces of one tool call: the name first, then the arguments, 16 bytes at a time.
func openAICall(req Request, reply Reply, i int, call Call) []object {
	arguments := cut(call.Arguments, 1+len(call.Arguments)/16)
	if reply.Whole {
		arguments = []string{call.Arguments}
	}
	first := object{"type": "function", "function": object{"name": call.Name, "arguments": ""}}
	if id := callID(req, reply, i, call); id != "" {
		first["id"] = id
	}
	var parts []object
	if reply.Whole {
		first["function"] = object{"name": call.Name, "arguments": call.Arguments}
		arguments = nil
	}
	parts = append(parts, first)
	for _, piece := range arguments {
		parts = append(parts, object{"function": object{"arguments": piece}})
	}
	if !reply.NoIndex {
		for _, part := range parts {
			part["index"] = i
		}
	}
	return parts
}

func callID(req Request, reply Reply, i int, call Call) string {
	switch {
	case call.ID != "":
		return call.ID
	case reply.IDs == SameIDs:
		return "call_0"
	case reply.IDs == NoIDs:
		return ""
	default:
		return fmt.Sprintf("call_%d_%d", req.Step, i)
	}
}

func openAICompletion(req Request, reply Reply) object {
	message := object{"role": "assistant", "content": reply.Text}
	if reply.Reasoning != "" {
		message["reasoning_content"] = reply.Reasoning
	}
	var calls []object
	for i, call := range reply.Calls {
		calls = append(calls, object{
			"id": callID(req, reply, i, call), "type": "function",
			"function": object{"name": call.Name, "arguments": call.Arguments},
		})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	answer := object{
		"id": fmt.Sprintf("chatcmpl-%d", req.N), "object": "chat.completion", "created": 0, "model": req.Model,
		"choices": []any{object{"index": 0, "message": message, "finish_reason": reply.finish()}},
	}
	if !reply.NoUsage {
		answer["usage"] = openAIUsage(reply.usage(req))
	}
	return answer
}

func openAIUsage(u Usage) object {
	return object{
		"prompt_tokens": u.Prompt, "completion_tokens": u.Completion, "total_tokens": u.Prompt + u.Completion,
		"prompt_tokens_details": object{"cached_tokens": u.Cached},
	}
}

func openAIError(reply Reply) object {
	kind, code := "invalid_request_error", any(nil)
	switch {
	case reply.Status == http.StatusUnauthorized:
		code = "invalid_api_key"
	case reply.Status == http.StatusNotFound:
		code = "model_not_found"
	case reply.Status == http.StatusTooManyRequests:
		kind = "rate_limit_error"
	case reply.Status == 0 || reply.Status >= http.StatusInternalServerError:
		kind = "server_error"
	}
	return object{"error": object{"message": cmp.Or(reply.Error, "scripted failure"), "type": kind, "param": nil, "code": code}}
}
