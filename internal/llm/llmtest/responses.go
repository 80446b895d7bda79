package llmtest

import (
	"fmt"
	"net/http"
)

// Sealed returns the encrypted content that the server gives to reasoning of the Responses API, so that a test can check whether the
// client gave it back.
func Sealed(reasoning string) string {
	return fmt.Sprintf("sealed:%d:%s", len(reasoning), cutTail(reasoning, 8))
}

// writeResponses sends a reply as OpenAI's Responses API does.
func writeResponses(o *wire, req Request, reply Reply) {
	switch {
	case reply.Status != 0 && reply.Status != http.StatusOK:
		writeJSON(o.w, reply.Status, openAIError(reply))
	case reply.Plain || !req.Stream:
		writeJSON(o.w, http.StatusOK, responseObject(req, reply, outcomeOf(reply)))
	default:
		o.play(responsesScript(req, reply), reply.Break)
	}
}

// outputItem is an item of the output: how it begins, what it has become, and the events between.
type outputItem struct {
	begun, done object
	events      []event
}

func responsesScript(req Request, reply Reply) script {
	var s script
	for _, state := range []string{"created", "in_progress"} {
		s.head = append(s.head, named("response."+state, object{"response": responseObject(req, reply, "in_progress")}))
	}
	for i, item := range responseItems(req, reply) {
		s.body = append(s.body, named("response.output_item.added", object{"output_index": i, "item": item.begun}))
		s.body = append(s.body, item.events...)
		s.body = append(s.body, named("response.output_item.done", object{"output_index": i, "item": item.done}))
	}
	s.tail = []event{named("response."+outcomeOf(reply), object{"response": responseObject(req, reply, outcomeOf(reply))})}
	failed := responseObject(req, reply, "failed")
	s.broken = []event{named("error", openAIError(reply)), named("response.failed", object{"response": failed})}
	s.garbage = event{name: "response.output_text.delta", data: []byte(`{"type":"response.output_text.delta","delta":"`)}
	return s
}

// outcomeOf translates the finish reason, whose names are those of chat completions.
func outcomeOf(reply Reply) string {
	switch reply.finish() {
	case "length", "content_filter":
		return "incomplete"
	default:
		return "completed"
	}
}

// responseObject returns the answer object of the first and the last event.
func responseObject(req Request, reply Reply, status string) object {
	output, details, usage, failure := []object{}, any(nil), any(nil), any(nil)
	if status == "completed" || status == "incomplete" {
		for _, item := range responseItems(req, reply) {
			output = append(output, item.done)
		}
		if !reply.NoUsage {
			usage = responseUsage(reply.usage(req))
		}
	}
	switch {
	case status == "failed":
		failure = openAIError(reply)["error"]
	case status == "incomplete" && reply.finish() == "length":
		details = object{"reason": "max_output_tokens"}
	case status == "incomplete":
		details = object{"reason": reply.finish()}
	}
	return object{
		"id": fmt.Sprintf("resp_%d", req.N), "object": "response", "created_at": 0, "status": status, "model": req.Model, "output": output,
		"error": failure, "incomplete_details": details, "usage": usage, "store": false,
	}
}

func responseUsage(u Usage) object {
	return object{
		"input_tokens": u.Prompt, "input_tokens_details": object{"cached_tokens": u.Cached},
		"output_tokens": u.Completion, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": u.Prompt + u.Completion,
	}
}

func responseItems(req Request, reply Reply) []outputItem {
	var items []outputItem
	if reply.Reasoning != "" {
		items = append(items, reasoningItem(req, reply))
	}
	if reply.Text != "" {
		items = append(items, messageItem(req, reply, len(items)))
	}
	for i := range reply.Calls {
		items = append(items, callItem(req, reply, i, len(items)))
	}
	return items
}

func reasoningItem(req Request, reply Reply) outputItem {
	id := fmt.Sprintf("rs_%d", req.N)
	at := func(kind string, more object) event {
		more["item_id"], more["output_index"], more["summary_index"] = id, 0, 0
		return named("response.reasoning_summary_"+kind, more)
	}
	item := func(summary []object) object {
		made := object{"id": id, "type": "reasoning", "summary": summary}
		if req.encrypted {
			made["encrypted_content"] = Sealed(reply.Reasoning)
		}
		return made
	}
	whole := object{"type": "summary_text", "text": reply.Reasoning}
	out := outputItem{begun: item([]object{}), done: item([]object{whole})}
	out.events = []event{at("part.added", object{"part": object{"type": "summary_text", "text": ""}})}
	for _, piece := range cut(reply.Reasoning, 0) {
		out.events = append(out.events, at("text.delta", object{"delta": piece}))
	}
	out.events = append(out.events, at("text.done", object{"text": reply.Reasoning}), at("part.done", object{"part": whole}))
	return out
}

func messageItem(req Request, reply Reply, index int) outputItem {
	id := fmt.Sprintf("msg_%d", req.N)
	at := func(kind string, more object) event {
		more["item_id"], more["output_index"], more["content_index"] = id, index, 0
		return named("response."+kind, more)
	}
	part := func(text string) object { return object{"type": "output_text", "text": text, "annotations": []any{}} }
	item := func(status string, content []object) object {
		return object{"id": id, "type": "message", "role": "assistant", "status": status, "content": content}
	}
	out := outputItem{begun: item("in_progress", []object{}), done: item("completed", []object{part(reply.Text)})}
	out.events = []event{at("content_part.added", object{"part": part("")})}
	for _, piece := range cut(reply.Text, reply.Chunks) {
		out.events = append(out.events, at("output_text.delta", object{"delta": piece}))
	}
	out.events = append(out.events, at("output_text.done", object{"text": reply.Text}), at("content_part.done", object{"part": part(reply.Text)}))
	return out
}

// callItem returns a call with its arguments, 16 bytes at a time; a whole one comes without pieces.
func callItem(req Request, reply Reply, i, index int) outputItem {
	call := reply.Calls[i]
	id := fmt.Sprintf("fc_%d_%d", req.N, i)
	item := func(status, arguments string) object {
		return object{
			"id": id, "type": "function_call", "status": status, "call_id": callID(req, reply, i, call), "name": call.Name, "arguments": arguments,
		}
	}
	out := outputItem{begun: item("in_progress", ""), done: item("completed", call.Arguments)}
	if reply.Whole {
		return out
	}
	for _, piece := range cut(call.Arguments, 1+len(call.Arguments)/16) {
		out.events = append(out.events, named("response.function_call_arguments.delta", object{"item_id": id, "output_index": index, "delta": piece}))
	}
	out.events = append(out.events, named("response.function_call_arguments.done", object{"item_id": id, "output_index": index, "arguments": call.Arguments}))
	return out
}
