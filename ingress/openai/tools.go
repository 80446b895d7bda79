package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"xbot/ingress/replystream"
	"xbot/internal/chat"
)

const (
	// maxTools and maxToolBytes bound the tools of a request: how many, and the JSON of all of them.
	maxTools     = 128
	maxToolBytes = 256 << 10
	// maxSchemaBytes bounds the schema of an answer.
	maxSchemaBytes = 64 << 10
	// maxResultBytes bounds the results of tools in a request, together.
	maxResultBytes = 200_000
)

// toolName matches the names that OpenAI accepts.
var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// toolBody is a tool of a request: of chat completions with its function, of responses flat.
type toolBody struct {
	Type     string        `json:"type"`
	Function *functionBody `json:"function"`
	functionBody
}

type functionBody struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

// tools reads the tools of the client and how they are to be called.
func (a *Ask) tools(f fields) error {
	raw := f["tools"]
	if len(raw) > maxToolBytes {
		return invalid("tools", "tools has %d bytes; at most %d are accepted", len(raw), maxToolBytes)
	}
	var bodies []toolBody
	if err := f.get("tools", "a list of tools", &bodies); err != nil {
		return err
	}
	if len(bodies) > maxTools {
		return invalid("tools", "tools has %d tools; at most %d are accepted", len(bodies), maxTools)
	}
	names := map[string]bool{}
	for i, b := range bodies {
		if strings.HasPrefix(b.Type, "web_search") {
			continue // a tool of OpenAI's servers; the agent has its own web search
		}
		tool, err := b.tool(fmt.Sprintf("tools[%d]", i))
		if err != nil {
			return err
		}
		if names[tool.Name] {
			return invalid(fmt.Sprintf("tools[%d]", i), "two tools have the name %q", tool.Name)
		}
		names[tool.Name] = true
		a.Client.Tools = append(a.Client.Tools, tool)
	}
	parallel := true
	if err := f.get("parallel_tool_calls", "true or false", &parallel); err != nil {
		return err
	}
	a.Client.Single = !parallel && len(a.Client.Tools) > 0
	return a.choice(f["tool_choice"])
}

func (b toolBody) tool(at string) (chat.ClientTool, error) {
	if b.Type != "function" {
		return chat.ClientTool{}, unsupported(at+".type", "tools of the type %.40q are not supported: send tools of the type function", b.Type)
	}
	fn := b.functionBody
	if b.Function != nil {
		fn, at = *b.Function, at+".function"
	}
	if !toolName.MatchString(fn.Name) {
		return chat.ClientTool{}, invalid(at+".name", "the name of a tool must have 1 to 64 letters, digits, _ or -")
	}
	if isNull(fn.Parameters) {
		fn.Parameters = nil
	} else if !isObject(fn.Parameters) {
		return chat.ClientTool{}, invalid(at+".parameters", "the parameters of a tool must be a JSON Schema, which is an object")
	}
	return chat.ClientTool{Name: fn.Name, Description: fn.Description, Parameters: fn.Parameters, Strict: fn.Strict}, nil
}

func isObject(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '{'
}

// choice reads which tools may or must be called. It applies to tools of the client: the agent uses its own as it decides, except where one of the
// client's must be called.
func (a *Ask) choice(raw json.RawMessage) error {
	if isNull(raw) {
		return nil
	}
	var word string
	if json.Unmarshal(raw, &word) == nil {
		return a.chooseWord(word)
	}
	var object struct {
		toolBody
		Allowed *allowedBody `json:"allowed_tools"`
		allowedBody
	}
	if json.Unmarshal(raw, &object) != nil {
		return invalid("tool_choice", "tool_choice must be none, auto, required or an object that names tools")
	}
	switch object.Type {
	case "none", "auto", "required":
		return a.chooseWord(object.Type)
	case "function":
		name := object.Name
		if object.Function != nil {
			name = object.Function.Name
		}
		return a.only([]string{name}, "required")
	case "allowed_tools":
		allowed := object.allowedBody
		if object.Allowed != nil {
			allowed = *object.Allowed
		}
		var names []string
		for _, t := range allowed.Tools {
			name := t.Name
			if t.Function != nil {
				name = t.Function.Name
			}
			names = append(names, name)
		}
		return a.only(names, allowed.Mode)
	}
	return unsupported("tool_choice", "a tool_choice of the type %.40q is not supported", object.Type)
}

type allowedBody struct {
	Mode  string     `json:"mode"`
	Tools []toolBody `json:"tools"`
}

func (a *Ask) chooseWord(word string) error {
	switch word {
	case "", "auto":
		return nil
	case "none":
		a.Client.Tools, a.Client.Single = nil, false
		return nil
	case "required":
		if len(a.Client.Tools) == 0 {
			return invalid("tool_choice", "tool_choice is required, and the request has no tools")
		}
		a.Client.Forced = true
		return nil
	}
	return invalid("tool_choice", "tool_choice must be none, auto, required or an object that names tools")
}

// only offers no other tools than the named ones.
func (a *Ask) only(names []string, mode string) error {
	for _, name := range names {
		if !slices.ContainsFunc(a.Client.Tools, func(t chat.ClientTool) bool { return t.Name == name }) {
			return invalid("tool_choice", "tool_choice names the tool %.64q, which tools does not have", name)
		}
	}
	a.Client.Tools = slices.DeleteFunc(a.Client.Tools, func(t chat.ClientTool) bool { return !slices.Contains(names, t.Name) })
	return a.chooseWord(mode)
}

// formatBody is the form of an answer: of chat completions with its schema in json_schema, of responses flat.
type formatBody struct {
	Type   string      `json:"type"`
	Schema *schemaBody `json:"json_schema"`
	schemaBody
}

type schemaBody struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Strict      bool            `json:"strict"`
}

// format reads the form that the answer is to have.
func (a *Ask) format(at string, raw json.RawMessage) error {
	if isNull(raw) {
		return nil
	}
	if len(raw) > maxSchemaBytes {
		return invalid(at, "%s has %d bytes; at most %d are accepted", at, len(raw), maxSchemaBytes)
	}
	var b formatBody
	if json.Unmarshal(raw, &b) != nil {
		return invalid(at, "%s must be an object", at)
	}
	switch b.Type {
	case "", "text":
		return nil
	case "json_object":
		a.Client.Format = &chat.AnswerFormat{}
		return nil
	case "json_schema":
		s := b.schemaBody
		if b.Schema != nil {
			s = *b.Schema
		}
		if !toolName.MatchString(s.Name) || !isObject(s.Schema) {
			return invalid(at, "%s must have a schema, which is an object, and a name of 1 to 64 letters, digits, _ or -", at)
		}
		a.Client.Format = &chat.AnswerFormat{Name: s.Name, Description: s.Description, Schema: s.Schema, Strict: s.Strict}
		return nil
	}
	return unsupported(at+".type", "the form %.40q is not supported: send text, json_object or json_schema", b.Type)
}

// formSays describes in words which form an answer is to have: not every model's provider knows the parameter.
func formSays(f *chat.AnswerFormat) string {
	if f == nil {
		return ""
	}
	if f.Schema == nil {
		return "The final answer must be one JSON object, with no text around it."
	}
	return "The final answer must be one JSON value that follows this JSON Schema, with no text around it:\n" + string(f.Schema)
}

// formed returns a final answer in its form: text around the JSON, such as the fence of a code block, is taken off.
func formed(text string) string {
	text = strings.TrimSpace(text)
	if json.Valid([]byte(text)) {
		return text
	}
	if _, inside, found := strings.Cut(text, "```"); found {
		inside, _, _ = strings.Cut(strings.TrimPrefix(inside, "json"), "```")
		if inside = strings.TrimSpace(inside); json.Valid([]byte(inside)) {
			return inside
		}
	}
	return text
}

// callBody is a call of a tool in a message.
type callBody struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function functionCall `json:"function"`
}

type functionCall struct {
	Name      string        `json:"name"`
	Arguments callArguments `json:"arguments"`
}

// callArguments are the arguments of a call as the text of a JSON object. Some clients send the object itself.
type callArguments string

// UnmarshalJSON reads both forms.
func (a *callArguments) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	*a = callArguments(text)
	return nil
}

// bodies are calls as clients read them.
func (t *text) bodies(ask chat.ClientAsk) []callBody {
	var out []callBody
	for _, c := range t.calls {
		out = append(out, callBody{string(c.ID), "function", functionCall{nameFor(ask, c.Tool), callArguments(argumentsOf(c))}})
	}
	return out
}

// nameFor returns the client's own name of a tool, which the model may know by an alias.
func nameFor(ask chat.ClientAsk, name string) string {
	if own, ok := ask.ToolOf(name); ok {
		return own
	}
	return name
}

func argumentsOf(c replystream.Call) string {
	if strings.TrimSpace(c.Arguments) == "" {
		return "{}"
	}
	return c.Arguments
}

// quotedCalls returns the calls of an earlier message in words.
func quotedCalls(calls []callBody) string {
	var b strings.Builder
	for _, c := range calls {
		fmt.Fprintf(&b, "\n(called the tool %s with %s)", c.Function.Name, c.Function.Arguments)
	}
	return b.String()
}

// results reads the results of tools at the end of a request, behind the last message of the model. They continue the conversation in which
// the calls were made.
func (a *Ask) results(list string, messages []message) error {
	size := 0
	for i, m := range messages {
		if m.Role != "tool" || !behind(messages, i) {
			continue
		}
		at := fmt.Sprintf("%s[%d]", list, i)
		content, err := contentOf(at+".content", m.Content)
		if err != nil {
			return err
		}
		if size += len(content.text); size > maxResultBytes {
			return invalid(at, "the results of tools have more than %d bytes together", maxResultBytes)
		}
		r := chat.ClientResult{Call: chat.CallID(m.CallID), Content: content.text + unshown(content)}
		if m.CallID == "" || len(m.CallID) > maxIDBytes {
			return invalid(at+".tool_call_id", "the result of a tool must have the id of its call")
		}
		if slices.ContainsFunc(a.Results, func(known chat.ClientResult) bool { return known.Call == r.Call }) {
			return invalid(at+".tool_call_id", "two results have the id %q", m.CallID)
		}
		a.Results = append(a.Results, r)
		a.Client.Results = append(a.Client.Results, r.Call)
	}
	return nil
}

// behind reports whether the result of a tool is one at the end of a request, or of the same step as one: each call of a step may have its
// result right behind it.
func behind(messages []message, i int) bool {
	last := lastOf(messages)
	if i > last {
		return true
	}
	turn, step, _, ok := chat.CallID(messages[i].CallID).Split()
	return ok && slices.ContainsFunc(messages[last+1:], func(m message) bool {
		t, s, _, ok := chat.CallID(m.CallID).Split()
		return ok && t == turn && s == step
	})
}

// lastOf returns the last message of the model; -1: there is none.
func lastOf(messages []message) int {
	for i, m := range slices.Backward(messages) {
		if m.Role == "assistant" {
			return i
		}
	}
	return -1
}
