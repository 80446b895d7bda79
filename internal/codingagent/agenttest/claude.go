package agenttest

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// claude implements `claude -p` with stream-json (anthropics/claude-agent-sdk-python at e8bde60).
type claude struct {
	*stage
	pending map[string]object // inputs of what was asked
}

func newClaude(s *stage, args []string) *claude {
	s.session = flagOf(args, "--resume")
	if s.session == "" {
		s.session = fmt.Sprintf("5e551011-0000-4000-8000-%012d", os.Getpid())
	}
	return &claude{stage: s, pending: map[string]object{}}
}

// lacks reports whether the conversation to resume is missing, and writes the error if so (shape of claude 2.1.258, as clients report it).
func (c *claude) lacks(args []string) bool {
	id := flagOf(args, "--resume")
	if _, found := earlier(id); found || id == "" {
		return false
	}
	why := "No conversation found with session ID: " + id
	c.say(object{
		"type": "result", "subtype": "error_during_execution", "is_error": true, "num_turns": 0, "duration_ms": 0, "total_cost_usd": 0,
		"errors": []string{why}, "usage": object{},
	})
	_, _ = fmt.Fprintln(os.Stderr, why)
	return true
}

func (c *claude) take(line []byte) {
	var m struct {
		Type      string `json:"type"`
		UUID      string `json:"uuid"`
		RequestID string `json:"request_id"`
		Request   struct {
			Subtype string `json:"subtype"`
		} `json:"request"`
		Message struct {
			Content json.RawMessage `json:"content"`
		} `json:"message"`
		Response struct {
			RequestID string `json:"request_id"`
			Response  struct {
				Behavior string `json:"behavior"`
				Input    struct {
					Answers map[string]string `json:"answers"`
				} `json:"updatedInput"`
			} `json:"response"`
		} `json:"response"`
	}
	if json.Unmarshal(line, &m) != nil {
		return
	}
	switch m.Type {
	case "control_request":
		c.write(object{"type": "control_response", "response": object{"subtype": "success", "request_id": m.RequestID, "response": object{}}})
		if m.Request.Subtype == "interrupt" {
			c.signals <- signal{kind: "interrupt"}
		}
	case "control_response":
		sig := signal{kind: "answer", id: m.Response.RequestID, yes: m.Response.Response.Behavior == "allow"}
		for _, text := range m.Response.Response.Input.Answers {
			sig.replies = append(sig.replies, text)
		}
		c.signals <- sig
	case "user":
		hears()
		if !c.runs() {
			c.say(object{"type": "system", "subtype": "init", "tools": []any{}})
		}
		c.say(object{"type": "user", "isReplay": true, "uuid": m.UUID, "message": object{"role": "user", "content": m.Message.Content}})
		c.begin(partsOf(m.Message.Content))
	}
}

func (c *claude) say(message object) {
	message["session_id"] = c.session
	if message["parent_tool_use_id"] == nil {
		message["parent_tool_use_id"] = nil
	}
	c.write(message)
}

func (c *claude) stream(event object) { c.say(object{"type": "stream_event", "event": event}) }

func (c *claude) assistant(id string, block object) {
	c.say(object{"type": "assistant", "message": object{"id": id, "role": "assistant", "model": "fake", "content": []any{block}}})
}

func (c *claude) text(id string, pieces []string, whole string) {
	c.stream(object{"type": "message_start", "message": object{"id": id}})
	c.stream(object{"type": "content_block_start", "index": 0, "content_block": object{"type": "text", "text": ""}})
	for _, piece := range pieces {
		c.stream(object{"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": piece}})
	}
	c.assistant(id, object{"type": "text", "text": whole})
	c.stream(object{"type": "content_block_stop", "index": 0})
	c.stream(object{"type": "message_stop"})
}

func (c *claude) thought(text string) {
	c.stream(object{"type": "message_start", "message": object{"id": "msg_thought"}})
	c.stream(object{"type": "content_block_delta", "index": 0, "delta": object{"type": "thinking_delta", "thinking": text}})
	c.assistant("msg_thought", object{"type": "thinking", "thinking": text, "signature": "s"})
}

func tool(w work) (string, object) {
	if w.kind == "file" {
		return "Write", object{"file_path": w.title, "content": "x"}
	}
	return "Bash", object{"command": w.title}
}

func (c *claude) work(w work) {
	name, input := tool(w)
	if !w.done {
		c.assistant("msg_"+w.id, object{"type": "tool_use", "id": w.id, "name": name, "input": input})
		return
	}
	c.say(object{"type": "user", "message": object{"role": "user", "content": []any{
		object{"type": "tool_result", "tool_use_id": w.id, "content": w.output, "is_error": w.failed},
	}}})
}

func (c *claude) control(id string, request object) {
	c.write(object{"type": "control_request", "request_id": id, "request": request})
}

func (c *claude) askApproval(id string, w work) {
	name, input := tool(w)
	c.control(id, object{"subtype": "can_use_tool", "tool_name": name, "input": input, "tool_use_id": w.id})
}

func (c *claude) askQuestion(id, text string, options []string) {
	labels := []any{}
	for _, option := range options {
		labels = append(labels, object{"label": option, "description": ""})
	}
	c.control(id, object{"subtype": "can_use_tool", "tool_name": "AskUserQuestion", "tool_use_id": "toolu_q", "input": object{
		"questions": []any{object{"question": text, "header": "Q", "options": labels, "multiSelect": false}},
	}})
}

func (c *claude) junk(id string) {
	c.write("no object")
	c.say(object{"type": "newer_thing"})
	c.control(id, object{"subtype": "newer_request"})
}

func (c *claude) end(outcome, why string) {
	result := object{
		"type": "result", "subtype": "success", "is_error": false, "result": "", "duration_ms": 1, "duration_api_ms": 1, "num_turns": 1,
		"usage": object{"input_tokens": 60, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 0, "output_tokens": 10},
	}
	switch {
	case outcome == "interrupted":
		result["subtype"], result["is_error"] = "error_during_execution", true
	case outcome == "failed" && why == "login":
		result["is_error"], result["result"] = true, "Not logged in · Please run /login"
	case outcome == "failed":
		result["is_error"], result["result"] = true, strings.TrimSpace(why)
	}
	c.say(result)
}
