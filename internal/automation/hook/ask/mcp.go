package ask

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"

	"xbot/internal/automation/hook"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// MCPServers calls tools of MCP servers for the user of a conversation.
type MCPServers interface {
	// CallTool calls a tool of a server of that name: the installation's where shared, else the user's. It returns NotFound if there is no such
	// server.
	CallTool(ctx context.Context, key chat.SessionKey, server string, shared bool, tool string, arguments json.RawMessage) (chat.ToolResult, error)
}

// MCP asks tools of MCP servers: their results are read like the output of a command. The administrator's file means the servers of the
// installation, so that a user's server cannot replace one that guards the installation.
type MCP struct{ Servers MCPServers }

var _ hook.Asker = MCP{}

// Ask implements hook.Asker.
func (m MCP) Ask(ctx context.Context, h hook.Handler, q hook.Question) (hook.Answer, error) {
	input, err := fill(h.Input, q.Body)
	if err != nil {
		return hook.Answer{}, err
	}
	result, err := m.Servers.CallTool(ctx, q.Session, h.Server, h.Layer == hook.LayerHome, h.Tool, input)
	if err != nil {
		return hook.Answer{}, err
	}
	if result.IsError {
		return hook.Answer{}, fault.Errorf(fault.Invalid, "%s", stderrReason([]byte(result.Content)))
	}
	return hook.ParseAnswer([]byte(result.Content))
}

// place matches a reference to a member of the payload: ${tool_input.command}.
var place = regexp.MustCompile(`\$\{([A-Za-z0-9_.]+)\}`)

// fill puts members of a payload into the arguments of a call. Without arguments it returns the payload.
func fill(input json.RawMessage, payload []byte) (json.RawMessage, error) {
	if input == nil {
		return payload, nil
	}
	var arguments, members any
	if json.Unmarshal(input, &arguments) != nil || json.Unmarshal(payload, &members) != nil {
		return nil, fault.Errorf(fault.Invalid, "its input is no JSON object")
	}
	return json.Marshal(filled(arguments, members))
}

// filled returns a value with the members of the payload in its texts. A text that is only a reference becomes the member, of any type;
// a missing member is empty.
func filled(value, members any) any {
	switch v := value.(type) {
	case string:
		if whole := place.FindStringSubmatch(v); whole != nil && whole[0] == v {
			return member(members, whole[1])
		}
		return place.ReplaceAllStringFunc(v, func(at string) string {
			return text(member(members, at[2:len(at)-1]))
		})
	case []any:
		for i := range v {
			v[i] = filled(v[i], members)
		}
	case map[string]any:
		for name := range v {
			v[name] = filled(v[name], members)
		}
	}
	return value
}

// member returns a member of an object by its path, or nil if there is none.
func member(of any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		object, ok := of.(map[string]any)
		if !ok {
			return nil
		}
		of = object[name]
	}
	return of
}

// text returns a value as a part of a text.
func text(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	out, _ := json.Marshal(value) // it came out of JSON
	return string(out)
}
