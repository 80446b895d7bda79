package codex

import (
	"encoding/json"
	"strings"

	"xbot/internal/codingagent"
	"xbot/internal/codingagent/jsonrpc"
)

// request is a question of codex that waits, or (under "item:" and its id) the subject of an item.
type request struct {
	id          json.RawMessage
	method      string
	item        item
	permissions json.RawMessage
	session     bool // codex takes an answer for the whole conversation
}

func (d *driver) remember(i item) { d.open.Put("item:"+i.ID, request{item: i}) }

type approvalRequest struct {
	ItemID      string          `json:"itemId"`
	Command     json.RawMessage `json:"command"` // a string, or the words of one in older versions
	Cwd         string          `json:"cwd"`
	Reason      string          `json:"reason"`
	GrantRoot   string          `json:"grantRoot"`
	Permissions json.RawMessage `json:"permissions"`
	Message     string          `json:"message"` // of an elicitation
	Meta        struct {
		Kind    string          `json:"codex_approval_kind"`
		Persist json.RawMessage `json:"persist"` // a word, or a list of words
		Params  json.RawMessage `json:"tool_params"`
	} `json:"_meta"`
	Questions []struct {
		ID       string `json:"id"`
		Header   string `json:"header"`
		Question string `json:"question"`
		IsOther  bool   `json:"isOther"`
		IsSecret bool   `json:"isSecret"`
		Options  []struct {
			Label string `json:"label"`
		} `json:"options"`
	} `json:"questions"`
}

const (
	askCommand     = "item/commandExecution/requestApproval"
	askFiles       = "item/fileChange/requestApproval"
	askPermissions = "item/permissions/requestApproval"
	askPerson      = "item/tool/requestUserInput"
	askElicitation = "mcpServer/elicitation/request"
)

func (d *driver) handleRequest(in jsonrpc.Incoming) codingagent.Step {
	id := string(in.ID)
	var a approvalRequest
	bad := json.Unmarshal(in.Params, &a) != nil
	r := request{id: in.ID, method: in.Method, permissions: a.Permissions}
	switch in.Method {
	case askCommand, askFiles, askPermissions:
		if bad || d.ended || d.approvals() == codingagent.ApproveNever || !d.open.Put(id, r) {
			return codingagent.Step{Writes: r.answer(codingagent.Answer{}, d.key("answer"))}
		}
		return eventStep(codingagent.Request{ID: id, Approval: d.approval(in.Method, a)})
	case askPerson:
		if bad || d.ended || len(a.Questions) == 0 || !d.open.Put(id, r) {
			return codingagent.Step{Writes: r.answer(codingagent.Answer{Declined: true}, d.key("answer"))}
		}
		return eventStep(codingagent.Request{ID: id, Questions: questions(a)})
	case askElicitation:
		return d.askToolCall(id, r, a, bad)
	default:
		return codingagent.Step{Writes: []codingagent.Write{jsonrpc.Refuse("", d.key("answer")+":"+id, in.ID, in.Method)}}
	}
}

// askToolCall takes the request to call a tool of an MCP server, which codex sends as an elicitation (0.139 and later). Elicitations of
// the servers themselves are declined.
func (d *driver) askToolCall(id string, r request, a approvalRequest, bad bool) codingagent.Step {
	verdict := codingagent.Deny
	if !bad && !d.ended && a.Meta.Kind == "mcp_tool_call" {
		verdict = d.turn.Gate(codingagent.ToolCall, false)
	}
	r.session = strings.Contains(string(a.Meta.Persist), `"session"`)
	if verdict == codingagent.Ask && d.open.Put(id, r) {
		title := strings.TrimSpace(a.Message + "\n" + string(a.Meta.Params))
		return eventStep(codingagent.Request{ID: id, Approval: &codingagent.Approval{Kind: codingagent.ToolCall, Title: codingagent.Subject(title), Dir: d.turn.Dir}})
	}
	return codingagent.Step{Writes: r.answer(codingagent.Answer{Approved: verdict == codingagent.Allow}, d.key("answer"))}
}

func (d *driver) approval(method string, a approvalRequest) *codingagent.Approval {
	known := d.open["item:"+a.ItemID].item
	approval := &codingagent.Approval{Kind: codingagent.CommandRun, Dir: a.Cwd, Reason: codingagent.Paragraph(a.Reason)}
	switch method {
	case askFiles:
		approval.Kind, approval.Title = codingagent.FileChange, strings.Join(known.paths(), ", ")
		if a.GrantRoot != "" {
			approval.Title = strings.TrimPrefix(approval.Title+", "+a.GrantRoot, ", ")
		}
	case askPermissions:
		approval.Kind, approval.Title = codingagent.ToolCall, string(a.Permissions)
	default:
		approval.Title = command(a.Command)
		if approval.Title == "" {
			approval.Title = known.Command
		}
	}
	approval.Title = codingagent.Subject(approval.Title)
	return approval
}

func command(raw json.RawMessage) string {
	var line string
	var words []string
	if json.Unmarshal(raw, &line) == nil {
		return line
	}
	if json.Unmarshal(raw, &words) == nil {
		return strings.Join(words, " ")
	}
	return ""
}

func questions(a approvalRequest) []codingagent.Question {
	var list []codingagent.Question
	for _, q := range a.Questions {
		question := codingagent.Question{ID: q.ID, Text: codingagent.Paragraph(q.Question), Free: q.IsOther || len(q.Options) == 0}
		for _, option := range q.Options {
			question.Options = append(question.Options, codingagent.Title(option.Label))
		}
		list = append(list, question)
	}
	return list
}

func (d *driver) Answer(id string, answer codingagent.Answer) []codingagent.Write {
	r, ok := d.open[id]
	if !ok || r.method == "" {
		return nil
	}
	return r.answer(answer, d.key("answer"))
}

func (r request) answer(answer codingagent.Answer, prefix string) []codingagent.Write {
	yes := answer.Approved && !answer.Declined
	var result any
	switch r.method {
	case askPermissions:
		grant := map[string]any{"permissions": map[string]any{}, "scope": "turn"}
		if yes && len(r.permissions) > 0 {
			grant["permissions"] = r.permissions
		}
		if yes && answer.Always {
			grant["scope"] = "session"
		}
		result = grant
	case askPerson:
		replies := map[string]any{}
		for id, texts := range answer.Replies {
			if !answer.Declined {
				replies[id] = map[string]any{"answers": texts}
			}
		}
		result = map[string]any{"answers": replies}
	case askElicitation:
		reply := map[string]any{"action": "decline", "content": nil}
		if yes {
			reply["action"], reply["content"] = "accept", map[string]any{}
		}
		if yes && answer.Always && r.session {
			reply["_meta"] = map[string]any{"persist": "session"}
		}
		result = reply
	default:
		decision := "decline"
		if yes {
			decision = "accept"
		}
		if yes && answer.Always {
			decision = "acceptForSession"
		}
		result = map[string]any{"decision": decision}
	}
	return []codingagent.Write{jsonrpc.Answer("", prefix+":"+string(r.id), r.id, result)}
}
