package agenttest

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

type object = map[string]any

// codex implements `codex app-server` (openai/codex, codex-rs/app-server/README.md at 001cdd27).
type codex struct {
	*stage
	ready  bool
	turns  int
	turnID string
	total  int
}

type rpc struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		ThreadID  string          `json:"threadId"`
		TurnID    string          `json:"turnId"`
		Expected  string          `json:"expectedTurnId"`
		UserInput json.RawMessage `json:"user_input"`
		Input     []part          `json:"input"`
	} `json:"params"`
	Result struct {
		Decision  json.RawMessage            `json:"decision"`
		Response  string                     `json:"response"`
		RequestID string                     `json:"request_id"`
		Answers   map[string]json.RawMessage `json:"answers"`
	} `json:"result"`
	Error *struct{} `json:"error"`
}

func (c *codex) answer(id json.RawMessage, result any) { c.write(object{"id": id, "result": result}) }

func (c *codex) refuse(id json.RawMessage, text string) {
	c.write(object{"id": id, "error": object{"code": -32600, "message": text}})
}

func (c *codex) take(line []byte) {
	var r rpc
	if json.Unmarshal(line, &r) != nil {
		return
	}
	switch {
	case r.Method == "" && len(r.ID) > 0:
		c.answered(r)
	case r.Method == "initialize":
		c.answer(r.ID, object{"userAgent": "fake"})
	case r.Method == "initialized":
		c.ready = true
	case !c.ready:
		c.refuse(r.ID, "Not initialized")
	case r.Method == "thread/start":
		c.open(r.ID, fmt.Sprintf("thr_%d", os.Getpid()))
	case r.Method == "thread/resume":
		if _, found := earlier(r.Params.ThreadID); !found {
			c.refuse(r.ID, "no rollout found for thread id "+r.Params.ThreadID)
			return
		}
		c.open(r.ID, r.Params.ThreadID)
	case r.Method == "turn/start":
		hears()
		c.turns++
		c.turnID = fmt.Sprintf("turn_%d", c.turns)
		c.answer(r.ID, object{"turn": c.turn("inProgress", nil)})
		c.notify("turn/started", object{"turn": c.turn("inProgress", nil)})
		c.begin(r.Params.Input)
	case r.Method == "turn/steer":
		if !c.runs() || r.Params.Expected != c.turnID {
			c.refuse(r.ID, "no active turn to steer")
			return
		}
		c.answer(r.ID, object{"turnId": c.turnID})
		text, seen := said(r.Params.Input)
		c.signals <- signal{kind: "steer", text: text, seen: seen}
	case r.Method == "turn/interrupt":
		c.answer(r.ID, object{})
		c.signals <- signal{kind: "interrupt"}
	default:
		c.refuse(r.ID, "unknown method "+r.Method)
	}
}

func (c *codex) open(id json.RawMessage, thread string) {
	c.session = thread // it can be resumed once a turn has begun: thread_resume_rejects_unmaterialized_thread in its tests of thread/resume
	c.answer(id, object{"thread": object{"id": thread, "turns": []any{}}})
	c.notify("thread/started", object{"thread": object{"id": thread}})
}

func (c *codex) answered(r rpc) {
	sig := signal{kind: "answer"}
	_ = json.Unmarshal(r.ID, &sig.id) // ids of this package are strings
	sig.yes = strings.HasPrefix(string(r.Result.Decision), `"accept`)
	for _, raw := range r.Result.Answers {
		var a struct {
			Answers []string `json:"answers"`
		}
		_ = json.Unmarshal(raw, &a) // of another form: no answer
		sig.replies = append(sig.replies, a.Answers...)
	}
	c.notify("serverRequest/resolved", object{"threadId": c.session, "requestId": sig.id})
	c.signals <- sig
}

func (c *codex) turn(status string, why any) object {
	return object{"id": c.turnID, "status": status, "items": []any{}, "error": why}
}

func (c *codex) notify(method string, params object) {
	if params["threadId"] == nil {
		params["threadId"] = c.session
	}
	c.write(object{"method": method, "params": params})
}

func (c *codex) item(event string, item object) {
	c.notify("item/"+event, object{"turnId": c.turnID, "item": item})
}

func (c *codex) text(id string, pieces []string, whole string) {
	c.item("started", object{"type": "agentMessage", "id": id, "text": ""})
	for _, piece := range pieces {
		c.notify("item/agentMessage/delta", object{"turnId": c.turnID, "itemId": id, "delta": piece})
	}
	c.item("completed", object{"type": "agentMessage", "id": id, "text": whole})
}

func (c *codex) thought(text string) {
	c.notify("item/reasoning/summaryTextDelta", object{"turnId": c.turnID, "itemId": "rs_1", "delta": text, "summaryIndex": 0})
	c.item("completed", object{"type": "reasoning", "id": "rs_1", "summary": []string{text}, "content": []any{}})
}

func (c *codex) work(w work) {
	event, status := "started", "inProgress"
	if w.done {
		event, status = "completed", map[bool]string{true: "failed", false: "completed"}[w.failed]
	}
	c.item(event, c.itemOf(w, status))
}

func (c *codex) itemOf(w work, status string) object {
	if w.kind == "file" {
		return object{"type": "fileChange", "id": w.id, "status": status, "changes": []any{object{"path": w.title, "kind": object{"type": "add"}, "diff": ""}}}
	}
	return object{"type": "commandExecution", "id": w.id, "command": w.title, "cwd": "/", "status": status, "aggregatedOutput": w.output}
}

func (c *codex) askApproval(id string, w work) {
	c.item("started", c.itemOf(w, "inProgress"))
	params := object{"threadId": c.session, "turnId": c.turnID, "itemId": w.id, "reason": "it needs leave"}
	method := "item/fileChange/requestApproval"
	if w.kind == "command" {
		method, params["command"], params["cwd"] = "item/commandExecution/requestApproval", w.title, "/"
	}
	c.write(object{"id": id, "method": method, "params": params})
}

func (c *codex) askQuestion(id, text string, options []string) {
	labels := []any{}
	for _, option := range options {
		labels = append(labels, object{"label": option, "description": ""})
	}
	c.write(object{"id": id, "method": "item/tool/requestUserInput", "params": object{
		"threadId": c.session, "turnId": c.turnID, "itemId": "call_q",
		"questions": []any{object{"id": "q1", "header": "Q", "question": text, "options": labels}},
	}})
}

func (c *codex) junk(id string) {
	c.write("no object")
	c.notify("thread/newer/thing", object{"deep": []int{1}})
	c.write(object{"id": id, "method": "thread/newer/request", "params": object{}})
}

func (c *codex) end(outcome, why string) {
	c.total += 100
	usage := object{"inputTokens": 100, "cachedInputTokens": 40, "outputTokens": 10, "totalTokens": 110, "reasoningOutputTokens": 0}
	c.notify("thread/tokenUsage/updated", object{"turnId": c.turnID, "tokenUsage": object{
		"last": usage, "total": object{"inputTokens": 1000 + c.total, "cachedInputTokens": 540, "outputTokens": 310},
	}})
	var failure any
	if outcome == "failed" {
		failure = object{"message": why, "codexErrorInfo": "other"}
		if why == "login" {
			failure = object{"message": "unexpected status 401 Unauthorized", "codexErrorInfo": "unauthorized"}
		}
	}
	c.notify("turn/completed", object{"turn": c.turn(outcome, failure)})
}
