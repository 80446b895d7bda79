package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// responseRequest is a request for a response.
type responseRequest struct {
	Ask

	stream, background bool
}

// item is one of the input of a request: a message, with or without its type, or something else.
type item struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	message

	Call      string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments callArguments   `json:"arguments"`
	Output    json.RawMessage `json:"output"`
}

// responseParameters are the refused members of responses.
var responseParameters = []string{"top_logprobs", "modalities", "stop", "n"}

// recall returns the text of an item that a response had.
type recall func(item string) (string, error)

// maxReferences bounds the items that a request names by their ids: each is looked up.
const maxReferences = 128

// bounded returns the recall of one request.
func (r recall) bounded() recall {
	n := 0
	return func(item string) (string, error) {
		if n++; n > maxReferences {
			return "", invalid("input", "input has more than %d items of the type item_reference", maxReferences)
		}
		return r(item)
	}
}

// parseResponse reads a request.
func parseResponse(body []byte, h http.Header, known recall) (out responseRequest, err error) {
	f, err := parse(body)
	if err != nil {
		return out, err
	}
	if err := refuse(f, responseParameters...); err != nil {
		return out, err
	}
	if err := out.form(f); err != nil {
		return out, err
	}
	var instructions string
	for _, err := range []error{
		f.name("model", &out.Model), f.name("user", &out.User), f.name("previous_response_id", &out.Previous), f.name("conversation_id", &out.Conversation),
		f.get("stream", "true or false", &out.stream), f.get("background", "true or false", &out.background), f.get("instructions", "a string", &instructions),
		out.conversation(f), out.reasoning(f), out.tools(f),
	} {
		if err != nil {
			return out, err
		}
	}
	out.Client.Previous = out.Previous
	if out.Previous != "" && out.Conversation != "" {
		return out, invalid("previous_response_id", "send previous_response_id or conversation, not both")
	}
	if err := out.where(h); err != nil {
		return out, err
	}
	messages, err := inputOf(f["input"])
	if err != nil {
		return out, err
	}
	var told []string
	if instructions != "" {
		told = []string{instructions}
	}
	out.recall = known.bounded()
	return out, out.read("input", told, messages)
}

// form reads the form of the answer, and refuses prompts of OpenAI's dashboard.
func (r *responseRequest) form(f fields) error {
	var text struct {
		Format json.RawMessage `json:"format"`
	}
	if err := f.get("text", "an object", &text); err != nil {
		return err
	}
	if err := r.format("text.format", text.Format); err != nil {
		return err
	}
	if !isNull(f["prompt"]) {
		return unsupported("prompt", "prompt is not supported: prompts of OpenAI's dashboard are not known here; send instructions")
	}
	return nil
}

// conversation reads which conversation is meant: its id, or an object with it.
func (r *responseRequest) conversation(f fields) error {
	raw := f["conversation"]
	if isNull(raw) {
		return nil
	}
	var object struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(raw, &r.Conversation) != nil {
		if json.Unmarshal(raw, &object) != nil || object.ID == "" {
			return invalid("conversation", "conversation must be the id of a conversation, or an object with it")
		}
		r.Conversation = object.ID
	}
	return nil
}

// reasoning reads how much the model is to think.
func (r *responseRequest) reasoning(f fields) (err error) {
	var reasoning struct {
		Effort string `json:"effort"`
	}
	if err := f.get("reasoning", "an object", &reasoning); err != nil || reasoning.Effort == "" {
		return err
	}
	r.Think, err = thinks("reasoning.effort", reasoning.Effort)
	return err
}

// inputOf reads an input: a text, or a list of items.
func inputOf(raw json.RawMessage) ([]message, error) {
	var text string
	if !isNull(raw) && json.Unmarshal(raw, &text) == nil {
		return []message{{Role: roleUser, Content: raw}}, nil
	}
	var items []item
	if isNull(raw) || json.Unmarshal(raw, &items) != nil {
		return nil, invalid("input", "input must be a text or a list of items")
	}
	var out []message
	for i, it := range items {
		switch it.Type {
		case "", "message":
			out = append(out, it.message)
		case "function_call":
			call := callBody{it.Call, "function", functionCall{it.Name, it.Arguments}}
			out = append(out, message{Role: "assistant", Calls: []callBody{call}})
		case "function_call_output":
			out = append(out, message{Role: "tool", CallID: it.Call, Content: it.Output})
		case "item_reference": // an item of a response, which the client does not send again
			out = append(out, message{Role: "assistant", ref: it.ID})
		case "reasoning", "compaction", "agent_message", "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call",
			"mcp_list_tools", "mcp_call", "tool_search_call", "tool_search_output": // the state and steps of another model; the texts around them are enough
		default:
			return nil, invalid(fmt.Sprintf("input[%d].type", i), "items of the type %.40q are not understood here; send messages", it.Type)
		}
	}
	return out, nil
}
