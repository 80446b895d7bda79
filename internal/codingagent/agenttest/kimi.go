package agenttest

import (
	"encoding/json"
)

// kimi implements `kimi --wire` (MoonshotAI/kimi-cli, docs/en/customization/wire-mode.md at 4a550eff).
type kimi struct {
	*stage
	prompt json.RawMessage
}

func (k *kimi) answer(id json.RawMessage, result any) {
	k.write(object{"jsonrpc": "2.0", "id": id, "result": result})
}

func (k *kimi) refuse(id json.RawMessage, code int, text string) {
	k.write(object{"jsonrpc": "2.0", "id": id, "error": object{"code": code, "message": text}})
}

func (k *kimi) take(line []byte) {
	var r rpc
	if json.Unmarshal(line, &r) != nil {
		return
	}
	parts := partsOf(r.Params.UserInput) // of prompt and steer
	text, seen := said(parts)
	switch r.Method {
	case "":
		k.answered(r)
	case "initialize":
		k.answer(r.ID, object{"protocol_version": "1.10", "server": object{"name": "fake", "version": "1"}, "slash_commands": []any{}})
	case "prompt":
		if k.runs() {
			k.refuse(r.ID, -32000, "An agent turn is already in progress")
			return
		}
		hears()
		k.prompt = r.ID
		k.event("TurnBegin", object{"user_input": r.Params.UserInput})
		if blind() && len(seen) > 0 { // as soul/kimisoul.py of kimi-cli does at 4a550eff
			k.refuse(r.ID, -32002, "LLM model 'fake' does not support required capability: image_in.")
			return
		}
		k.event("StepBegin", object{"n": 1})
		k.begin(parts)
	case "steer":
		if !k.runs() {
			k.refuse(r.ID, -32000, "No agent turn is in progress")
			return
		}
		k.answer(r.ID, object{"status": "steered"})
		k.signals <- signal{kind: "steer", text: text, seen: seen}
	case "cancel":
		k.answer(r.ID, object{})
		k.signals <- signal{kind: "interrupt"}
	default:
		k.refuse(r.ID, -32601, "Method not found")
	}
}

func (k *kimi) answered(r rpc) {
	sig := signal{kind: "answer", yes: r.Result.Response == "approve" || r.Result.Response == "approve_for_session"}
	_ = json.Unmarshal(r.ID, &sig.id) // ids of this package are strings
	for _, raw := range r.Result.Answers {
		var text string
		_ = json.Unmarshal(raw, &text) // of another form: no answer
		sig.replies = append(sig.replies, text)
	}
	k.signals <- sig
}

func (k *kimi) event(kind string, payload any) {
	k.write(object{"jsonrpc": "2.0", "method": "event", "params": object{"type": kind, "payload": payload}})
}

func (k *kimi) text(_ string, pieces []string, _ string) {
	k.event("StepBegin", object{"n": 1})
	for _, piece := range pieces {
		k.event("ContentPart", object{"type": "text", "text": piece})
	}
}

func (k *kimi) thought(text string) { k.event("ContentPart", object{"type": "think", "think": text}) }

func (k *kimi) work(w work) {
	if w.done {
		k.event("ToolResult", object{"tool_call_id": w.id, "return_value": object{
			"is_error": w.failed, "output": w.output, "message": "", "display": []any{},
		}})
		return
	}
	name, arguments := "Shell", object{"command": w.title}
	if w.kind == "file" {
		name, arguments = "WriteFile", object{"path": w.title, "content": "x"}
	}
	raw, err := json.Marshal(arguments)
	if err != nil {
		panic(err)
	}
	k.event("ToolCall", object{"type": "function", "id": w.id, "function": object{"name": name, "arguments": string(raw[:1])}})
	k.event("ToolCallPart", object{"arguments_part": string(raw[1:])})
}

func (k *kimi) request(id, kind string, payload object) {
	payload["id"], payload["tool_call_id"] = "inner-"+id, "tc"
	k.write(object{"jsonrpc": "2.0", "method": "request", "id": id, "params": object{"type": kind, "payload": payload}})
}

func (k *kimi) askApproval(id string, w work) {
	if w.kind == "file" {
		k.request(id, "ApprovalRequest", object{"sender": "WriteFile", "action": "edit file", "description": "Write file",
			"display": []any{object{"type": "diff", "path": w.title, "old_text": "", "new_text": "x"}}})
		return
	}
	k.request(id, "ApprovalRequest", object{"sender": "Shell", "action": "run command", "description": "Run command",
		"display": []any{object{"type": "shell", "language": "sh", "command": w.title}}})
}

func (k *kimi) askQuestion(id, text string, options []string) {
	labels := []any{}
	for _, option := range options {
		labels = append(labels, object{"label": option, "description": ""})
	}
	k.request(id, "QuestionRequest", object{"questions": []any{object{"question": text, "header": "Q", "options": labels}}})
}

func (k *kimi) junk(id string) {
	k.write("no object")
	k.event("NewerEvent", object{})
	k.request(id, "HookRequest", object{})
}

func (k *kimi) end(outcome, why string) {
	k.event("StatusUpdate", object{"token_usage": object{"input_other": 60, "input_cache_read": 40, "input_cache_creation": 0, "output": 10}})
	switch {
	case outcome == "failed" && why == "login":
		k.refuse(k.prompt, -32001, "LLM is not set")
	case outcome == "failed":
		k.refuse(k.prompt, -32003, why)
	case outcome == "interrupted":
		k.answer(k.prompt, object{"status": "cancelled"})
	default:
		k.event("TurnEnd", object{})
		k.answer(k.prompt, object{"status": "finished"})
	}
}
