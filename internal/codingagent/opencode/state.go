package opencode

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"xbot/internal/codingagent"
)

// Requests that read the state of a session after events were lost. Shapes: types.gen.ts of @opencode-ai/sdk 1.19.3
// (SessionMessagesResponses, PermissionListResponses, QuestionListResponses, SessionStatusResponses).
const (
	stateMessages    = "messages"
	statePermissions = "permissions"
	stateQuestions   = "questions"
	stateStatus      = "status"
)

// askState asks for the state of the session. The status comes last: an idle session ends the turn with what the others brought.
func (d *driver) askState() []codingagent.Write {
	d.streams++
	var writes []codingagent.Write
	for _, r := range []struct{ name, path string }{
		{stateMessages, "/session/" + url.PathEscape(d.session) + "/message?limit=100"},
		{statePermissions, "/permission"}, {stateQuestions, "/question"}, {stateStatus, "/session/status"},
	} {
		writes = append(writes, d.request(d.key(fmt.Sprintf("%s:%d", r.name, d.streams)), "GET", r.path, nil))
	}
	return writes
}

// state takes an answer to askState.
func (d *driver) state(l line) codingagent.Step {
	name, _, _ := strings.Cut(l.ID, ":")
	switch name {
	case stateMessages:
		return d.missed(l.Body)
	case statePermissions:
		return d.pending("permission.asked", l.Body)
	case stateQuestions:
		return d.pending("question.asked", l.Body)
	case stateStatus:
		var sessions map[string]struct {
			Type string `json:"type"`
		}
		if !codingagent.Decode(l.Body, &sessions) {
			return codingagent.Step{}
		}
		if status, working := sessions[d.session]; !working || status.Type == "idle" {
			return d.idle()
		}
	}
	return codingagent.Step{}
}

// missed reads the messages of the session from the user's first message of the turn on; known parts change nothing.
func (d *driver) missed(body json.RawMessage) codingagent.Step {
	var messages []struct {
		Info  messageInfo `json:"info"`
		Parts []part      `json:"parts"`
	}
	codingagent.Decode(body, &messages) // a body of another form has no messages
	from := len(messages)
	for i, m := range messages {
		if m.Info.Role == "user" && (m.Info.ID == d.first || d.first == "") {
			from = i
		}
	}
	var step codingagent.Step
	for _, m := range messages[from:] {
		step.Events = append(step.Events, d.messageUpdated(properties{Info: m.Info}).Events...)
		for _, p := range m.Parts {
			p.MessageID = m.Info.ID
			step.Events = append(step.Events, d.part(p).Events...)
		}
	}
	return step
}

// pending takes what opencode waits for.
func (d *driver) pending(kind string, body json.RawMessage) codingagent.Step {
	var list []json.RawMessage
	codingagent.Decode(body, &list) // a body of another form asks nothing
	var step codingagent.Step
	for _, raw := range list {
		one := d.handleRequest(event{Type: kind, Properties: raw})
		step.Events, step.Writes = append(step.Events, one.Events...), append(step.Writes, one.Writes...)
	}
	return step
}
