package opencode

import (
	"cmp"
	"encoding/json"
	"strings"

	"xbot/internal/codingagent"
)

type event struct {
	Type       string          `json:"type"`
	Properties json.RawMessage `json:"properties"`
}

type properties struct {
	SessionID string      `json:"sessionID"`
	MessageID string      `json:"messageID"`
	PartID    string      `json:"partID"`
	Field     string      `json:"field"`
	Delta     string      `json:"delta"`
	RequestID string      `json:"requestID"`
	Error     *failure    `json:"error"`
	Part      part        `json:"part"`
	Info      messageInfo `json:"info"`
	Status    struct {
		Type string `json:"type"` // idle, busy, retry
	} `json:"status"`
}

type messageInfo struct {
	ID        string   `json:"id"`
	SessionID string   `json:"sessionID"`
	Role      string   `json:"role"`
	Error     *failure `json:"error"`
	Tokens    *tokens  `json:"tokens"`
}

type failure struct {
	Name string      `json:"name"`
	Data failureData `json:"data"`
}

type failureData struct {
	Message    string `json:"message"`
	StatusCode int    `json:"statusCode"`
}

type tokens struct {
	Input  int64 `json:"input"`
	Output int64 `json:"output"`
	Reason int64 `json:"reasoning"`
	Cache  struct {
		Read  int64 `json:"read"`
		Write int64 `json:"write"`
	} `json:"cache"`
}

type part struct {
	ID        string `json:"id"`
	SessionID string `json:"sessionID"`
	MessageID string `json:"messageID"`
	Type      string `json:"type"`
	Text      string `json:"text"`
	Tool      string `json:"tool"`
	CallID    string `json:"callID"`
	Time      struct {
		End float64 `json:"end"`
	} `json:"time"`
	State struct {
		Status string `json:"status"` // pending, running, completed, error
		Input  struct {
			Command string `json:"command"`
			File    string `json:"filePath"`
			URL     string `json:"url"`
			Query   string `json:"query"`
		} `json:"input"`
		Output string `json:"output"`
		Error  string `json:"error"`
		Title  string `json:"title"`
	} `json:"state"`
}

// partState is how much of a part was reported.
type partState struct {
	kind   string
	told   strings.Builder
	closed bool
}

func (d *driver) notification(e event) codingagent.Step {
	switch e.Type {
	case "permission.asked", "permission.updated", "permission.v2.asked", "question.asked", "question.v2.asked":
		return d.handleRequest(e) // also of opencode's own agents, whose sessions are others
	}
	var p properties
	if !codingagent.Decode(e.Properties, &p) || d.session == "" ||
		cmp.Or(p.SessionID, p.Info.SessionID, p.Part.SessionID, d.session) != d.session {
		return codingagent.Step{}
	}
	switch e.Type {
	case "message.updated":
		return d.messageUpdated(p)
	case "message.part.updated":
		return d.part(p.Part)
	case "message.part.delta":
		return d.delta(p)
	case "session.error":
		d.busy, d.failure = true, p.Error
	case "permission.replied", "question.replied", "question.rejected", "permission.v2.replied", "question.v2.replied", "question.v2.rejected":
		delete(d.open, p.RequestID)
	case "session.status":
		d.busy = d.busy || p.Status.Type != "idle"
		if p.Status.Type == "idle" {
			return d.idle()
		}
	case "session.idle":
		return d.idle()
	}
	return codingagent.Step{}
}

// idle ends the turn, unless opencode has not begun with it.
func (d *driver) idle() codingagent.Step {
	if !d.busy {
		return codingagent.Step{}
	}
	return d.end(d.failure)
}

func (d *driver) messageUpdated(p properties) codingagent.Step {
	d.roles.Put(p.Info.ID, p.Info.Role)
	if p.Info.Role == "user" && d.first == "" {
		d.first = p.Info.ID
		return d.take()
	}
	if p.Info.Role != "assistant" {
		return codingagent.Step{}
	}
	d.busy = true
	if p.Info.Error != nil {
		d.failure = p.Info.Error
	}
	t := p.Info.Tokens
	if t == nil || t.Input+t.Output+t.Cache.Read == 0 {
		return codingagent.Step{}
	}
	now := codingagent.Usage{Input: t.Input + t.Cache.Read + t.Cache.Write, CachedInput: t.Cache.Read, Output: t.Output + t.Reason}
	if d.tokens[p.Info.ID] == now || !d.tokens.Put(p.Info.ID, now) {
		return codingagent.Step{}
	}
	var sum codingagent.Usage
	for _, u := range d.tokens {
		sum.Input, sum.CachedInput, sum.Output = sum.Input+u.Input, sum.CachedInput+u.CachedInput, sum.Output+u.Output
	}
	return eventStep(sum)
}

func (d *driver) part(p part) codingagent.Step {
	switch d.roles[p.MessageID] {
	case "assistant":
	case "user":
		if p.Type == "text" && p.MessageID != d.first {
			d.heard.Put(p.Text, true)
		}
		return codingagent.Step{}
	default:
		return codingagent.Step{}
	}
	switch p.Type {
	case "text", "reasoning":
		return d.text(p)
	case "tool":
		return d.tool(p)
	}
	return codingagent.Step{}
}

func (d *driver) text(p part) codingagent.Step {
	state := d.parts[p.ID]
	if state == nil {
		state = &partState{kind: p.Type}
		if !d.parts.Put(p.ID, state) {
			return codingagent.Step{}
		}
	}
	if state.closed {
		return codingagent.Step{}
	}
	var step codingagent.Step
	if more, ok := strings.CutPrefix(p.Text, state.told.String()); ok && more != "" && p.Time.End == 0 {
		step = state.appendText(p.ID, more)
	}
	if p.Time.End != 0 {
		state.closed = true
		if p.Type == "text" {
			d.reply = p.Text
			step.Events = append(step.Events, codingagent.Text{Message: p.ID, Whole: p.Text, Done: true})
		}
	}
	return step
}

func (d *driver) delta(p properties) codingagent.Step {
	state := d.parts[p.PartID]
	if state == nil || state.closed || p.Field != "text" || p.Delta == "" {
		return codingagent.Step{} // the whole part follows
	}
	return state.appendText(p.PartID, p.Delta)
}

func (s *partState) appendText(id, more string) codingagent.Step {
	if s.told.Len()+len(more) > codingagent.MaxLine {
		return codingagent.Step{}
	}
	s.told.WriteString(more)
	if s.kind == "reasoning" {
		return eventStep(codingagent.Thought{Delta: more})
	}
	return eventStep(codingagent.Text{Message: id, Delta: more})
}

func (d *driver) tool(p part) codingagent.Step {
	done := p.State.Status == "completed" || p.State.Status == "error"
	key := "work:" + p.CallID
	state := d.parts[key]
	if p.Tool == "question" || p.State.Status == "pending" || state != nil && (state.closed || !done) {
		return codingagent.Step{}
	}
	if state == nil {
		state = &partState{}
		if !d.parts.Put(key, state) {
			return codingagent.Step{}
		}
	}
	state.closed = done
	work := p.work()
	work.Done, work.Failed = done, p.State.Status == "error"
	work.Output = codingagent.Output(cmp.Or(p.State.Output, p.State.Error))
	return eventStep(work)
}

func (p part) work() codingagent.Work {
	w := codingagent.Work{ID: p.CallID, Kind: codingagent.ToolCall, Title: cmp.Or(p.State.Title, p.Tool)}
	in := p.State.Input
	switch p.Tool {
	case "bash":
		w.Kind, w.Title = codingagent.CommandRun, in.Command
	case "edit", "write", "multiedit", "patch", "apply_patch":
		w.Kind, w.Files = codingagent.FileChange, codingagent.Files(in.File)
		w.Title = cmp.Or(in.File, w.Title)
	case "webfetch", "websearch":
		w.Kind, w.Title = codingagent.WebSearch, cmp.Or(in.URL, in.Query)
	}
	w.Title = codingagent.Title(w.Title)
	return w
}
