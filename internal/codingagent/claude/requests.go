package claude

import (
	"encoding/json"
	"strings"

	"xbot/internal/codingagent"
)

const askPerson = "AskUserQuestion"

type controlRequest struct {
	Subtype     string            `json:"subtype"`
	ToolName    string            `json:"tool_name"`
	ToolUseID   string            `json:"tool_use_id"`
	Input       json.RawMessage   `json:"input"`
	Suggestions []json.RawMessage `json:"permission_suggestions"`
	Reason      string            `json:"decision_reason"`
	BlockedPath json.RawMessage   `json:"blocked_path"`
	Once        json.RawMessage   `json:"suppress_always_allow_rule"` // it suggests to allow more than it asks for
}

// request is a question of claude that waits for its answer.
type request struct {
	input       json.RawMessage
	suggestions []json.RawMessage
	person      bool // claude asks the user a question, not for approval
}

type personInput struct {
	Questions []struct {
		Question string `json:"question"`
		Options  []struct {
			Label string `json:"label"`
		} `json:"options"`
		Many bool `json:"multiSelect"`
	} `json:"questions"`
}

func (d *driver) handleRequest(m message) codingagent.Step {
	r := request{input: m.Request.Input, suggestions: m.Request.Suggestions, person: m.Request.ToolName == askPerson}
	if set(m.Request.Once) {
		r.suggestions = nil
	}
	switch {
	case m.Request.Subtype != "can_use_tool":
		return codingagent.Step{Writes: d.refuse(m.RequestID, m.Request.Subtype)}
	case m.RequestID == "":
		return codingagent.Step{}
	case r.person:
		return d.askPerson(m.RequestID, r)
	}
	work, _ := callOf(m.Request.ToolUseID, m.Request.ToolName, m.Request.Input)
	verdict := d.turn.Gate(work.Kind, !set(m.Request.BlockedPath) && d.turn.Inside(work.Files...))
	if verdict == codingagent.Ask && d.open.Put(m.RequestID, r) {
		title := work.Title
		if strings.HasPrefix(m.Request.ToolName, "mcp__") && set(m.Request.Input) { // a user must see the arguments to approve them
			title = strings.TrimSpace(title + "\n" + string(m.Request.Input))
		}
		return eventStep(codingagent.Request{ID: m.RequestID, Approval: &codingagent.Approval{
			Kind: work.Kind, Title: codingagent.Subject(title), Dir: d.turn.Dir, Reason: codingagent.Paragraph(m.Request.Reason),
		}})
	}
	return codingagent.Step{Writes: d.allow(m.RequestID, r, verdict == codingagent.Allow, false)}
}

// set reports whether a field is present. One of an unknown type counts as set.
func set(field json.RawMessage) bool {
	switch string(field) {
	case "", "null", "false", `""`:
		return false
	}
	return true
}

func (d *driver) askPerson(id string, r request) codingagent.Step {
	var in personInput
	if json.Unmarshal(r.input, &in) != nil || len(in.Questions) == 0 || !d.open.Put(id, r) {
		return codingagent.Step{Writes: d.allow(id, r, false, false)}
	}
	asked := codingagent.Request{ID: id}
	for _, q := range in.Questions {
		question := codingagent.Question{ID: q.Question, Text: codingagent.Paragraph(q.Question), Many: q.Many, Free: true}
		for _, option := range q.Options {
			question.Options = append(question.Options, codingagent.Title(option.Label))
		}
		asked.Questions = append(asked.Questions, question)
	}
	return eventStep(asked)
}

func (d *driver) Answer(id string, answer codingagent.Answer) []codingagent.Write {
	r, ok := d.open[id]
	switch {
	case !ok || d.ended:
		return nil
	case r.person && !answer.Declined:
		return d.answerInput(id, r, answer.Replies)
	default:
		return d.allow(id, r, !r.person && answer.Approved && !answer.Declined, answer.Always)
	}
}

// answerInput adds the answers to the input of the tool, by the text of the question.
func (d *driver) answerInput(id string, r request, replies map[string][]string) []codingagent.Write {
	input := map[string]json.RawMessage{}
	if json.Unmarshal(r.input, &input) != nil {
		return d.allow(id, r, false, false)
	}
	answers := map[string]string{}
	for question, texts := range replies {
		answers[question] = strings.Join(texts, ", ")
	}
	input["answers"] = codingagent.Encode(answers)
	return d.respond(id, map[string]any{"behavior": "allow", "updatedInput": input})
}

func (d *driver) allow(id string, r request, yes, always bool) []codingagent.Write {
	if !yes {
		said := "The person did not allow this."
		if r.person {
			said = "The person did not answer."
		}
		return d.respond(id, map[string]any{"behavior": "deny", "message": said})
	}
	input := r.input
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	result := map[string]any{"behavior": "allow", "updatedInput": input}
	if kept := sessionOnly(r.suggestions); always && len(kept) > 0 {
		result["updatedPermissions"] = kept
	}
	return d.respond(id, result)
}

// sessionOnly limits the permissions that claude suggests to its conversation, and keeps them out of the user's settings.
func sessionOnly(suggestions []json.RawMessage) []map[string]json.RawMessage {
	var kept []map[string]json.RawMessage
	for _, raw := range suggestions {
		var s map[string]json.RawMessage
		if json.Unmarshal(raw, &s) == nil && string(s["type"]) == `"addRules"` {
			s["destination"] = json.RawMessage(`"session"`)
			kept = append(kept, s)
		}
	}
	return kept
}

func (d *driver) respond(id string, result any) []codingagent.Write {
	return d.controlResponse(id, map[string]any{"subtype": "success", "request_id": id, "response": result})
}

func (d *driver) refuse(id, subtype string) []codingagent.Write {
	text := "this client does not know the request " + codingagent.Title(subtype)
	return d.controlResponse(id, map[string]any{"subtype": "error", "request_id": id, "error": text})
}

func (d *driver) controlResponse(id string, response any) []codingagent.Write {
	line := codingagent.Encode(map[string]any{"type": "control_response", "response": response})
	return []codingagent.Write{{Key: "answer:" + d.turn.Key + ":" + id, Line: line}}
}
