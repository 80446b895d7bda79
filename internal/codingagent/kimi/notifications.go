package kimi

import (
	"encoding/json"
	"fmt"
	"strings"

	"xbot/internal/codingagent"
)

const (
	maxArguments = 1 << 20 // bytes of a call's arguments that are joined
	maxLooks     = 100
)

type envelope struct {
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
}

// part is a piece of kimi's text, or of the output of a tool.
type part struct {
	Type  string `json:"type"`
	Text  string `json:"text"`
	Think string `json:"think"`
}

// call is a tool that runs.
type call struct {
	id, name  string
	arguments strings.Builder
	begun     bool // its beginning was reported
	looks     int  // whether the arguments are whole
}

func (d *driver) notification(params json.RawMessage) codingagent.Step {
	var e envelope
	if !codingagent.Decode(params, &e) {
		return codingagent.Step{}
	}
	step := d.event(e)
	d.stepped = d.stepped || e.Type == "StepBegin" || len(step.Events) > 0
	if d.begun && !d.taken && (e.Type == "TurnBegin" || len(step.Events) > 0) {
		d.taken = true
		step.Events = append([]codingagent.Event{codingagent.Taken{}}, step.Events...)
	}
	return step
}

func (d *driver) event(e envelope) codingagent.Step {
	switch e.Type {
	case "ContentPart":
		return d.spoke(e.Payload)
	case "StepBegin", "TurnEnd", "StepInterrupted":
		return d.closeMessage()
	case "StepRetry":
		d.text.Reset() // the text is sent again
		d.messages++
	case "ToolCall":
		return d.called(e.Payload)
	case "ToolCallPart":
		return d.continued(e.Payload)
	case "ToolResult":
		return d.returned(e.Payload)
	case "StatusUpdate":
		return d.spent(e.Payload)
	case "ApprovalResponse", "ApprovalRequestResolved":
		d.resolved(e.Payload)
	}
	return codingagent.Step{}
}

func (d *driver) spoke(payload json.RawMessage) codingagent.Step {
	var p part
	if !codingagent.Decode(payload, &p) {
		return codingagent.Step{}
	}
	switch {
	case p.Type == "think" && p.Think != "":
		return eventStep(codingagent.Thought{Delta: p.Think})
	case p.Type == "text" && p.Text != "" && d.text.Len()+len(p.Text) <= codingagent.MaxLine:
		d.text.WriteString(p.Text)
		return eventStep(codingagent.Text{Message: d.message(), Delta: p.Text})
	}
	return codingagent.Step{}
}

func eventStep(events ...codingagent.Event) codingagent.Step { return codingagent.Step{Events: events} }

func (d *driver) message() string { return fmt.Sprintf("message-%d", d.messages) }

// closeMessage ends the message that is open, if there is one.
func (d *driver) closeMessage() codingagent.Step {
	if d.text.Len() == 0 {
		return codingagent.Step{}
	}
	d.reply = d.text.String()
	d.text.Reset()
	step := eventStep(codingagent.Text{Message: d.message(), Whole: d.reply, Done: true})
	d.messages++
	return step
}

func (d *driver) called(payload json.RawMessage) codingagent.Step {
	step := d.closeMessage()
	var c struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	}
	if !codingagent.Decode(payload, &c) || c.ID == "" {
		return step
	}
	made := &call{id: c.ID, name: c.Function.Name}
	if len(c.Function.Arguments) <= maxArguments {
		made.arguments.WriteString(c.Function.Arguments)
	}
	if !d.works.Put(c.ID, made) {
		return step
	}
	d.last = made
	step.Events = append(step.Events, made.begin(false)...)
	return step
}

// begin reports that a call begins, once its arguments are whole, or at the latest when it ends.
func (c *call) begin(ends bool) []codingagent.Event {
	if c.begun || !ends && !c.whole() {
		return nil
	}
	work, ok := c.work()
	if !ok {
		return nil
	}
	c.begun = true
	return []codingagent.Event{work}
}

// whole reports whether the arguments have come to their end. It looks a hundred times at most: they may be long, and come in many pieces.
func (c *call) whole() bool {
	text := strings.TrimSpace(c.arguments.String())
	if !strings.HasSuffix(text, "}") || c.looks >= maxLooks {
		return false
	}
	c.looks++
	return json.Valid([]byte(text))
}

func (d *driver) continued(payload json.RawMessage) codingagent.Step {
	var p struct {
		Part string `json:"arguments_part"`
	}
	if codingagent.Decode(payload, &p) && d.last != nil && d.last.arguments.Len()+len(p.Part) <= maxArguments {
		d.last.arguments.WriteString(p.Part)
		return eventStep(d.last.begin(false)...)
	}
	return codingagent.Step{}
}

func (d *driver) returned(payload json.RawMessage) codingagent.Step {
	var r struct {
		ID    string `json:"tool_call_id"`
		Value struct {
			IsError bool            `json:"is_error"`
			Output  json.RawMessage `json:"output"`
			Message string          `json:"message"`
		} `json:"return_value"`
	}
	if !codingagent.Decode(payload, &r) || d.works[r.ID] == nil {
		return codingagent.Step{}
	}
	made := d.works[r.ID]
	delete(d.works, r.ID)
	work, ok := made.work()
	if !ok {
		return codingagent.Step{}
	}
	output := textOf(r.Value.Output)
	if output == "" {
		output = r.Value.Message
	}
	begun := made.begin(true)
	work.Done, work.Failed, work.Output = true, r.Value.IsError, codingagent.Output(output)
	return eventStep(append(begun, work)...)
}

func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []part
	_ = json.Unmarshal(raw, &parts) // only a list has text
	for _, p := range parts {
		text += p.Text
	}
	return text
}

// work describes a call, as far as its arguments are known. False: it is a question to the user.
func (c *call) work() (codingagent.Work, bool) {
	var in struct {
		Command string `json:"command"`
		Path    string `json:"path"`
		Query   string `json:"query"`
		URL     string `json:"url"`
	}
	_ = json.Unmarshal([]byte(c.arguments.String()), &in) // arguments that are still coming
	w := codingagent.Work{ID: c.id, Kind: codingagent.ToolCall, Title: c.name}
	title := ""
	switch c.name {
	case "AskUserQuestion":
		return w, false
	case "Shell", "Bash":
		w.Kind, title = codingagent.CommandRun, in.Command
	case "WriteFile", "StrReplaceFile":
		w.Kind, w.Files, title = codingagent.FileChange, codingagent.Files(in.Path), in.Path
	case "SearchWeb":
		w.Kind, title = codingagent.WebSearch, in.Query
	case "FetchURL":
		w.Kind, title = codingagent.WebSearch, in.URL
	}
	if title != "" {
		w.Title = title
	}
	w.Title = codingagent.Title(w.Title)
	return w, true
}

func (d *driver) spent(payload json.RawMessage) codingagent.Step {
	var s struct {
		Usage *struct {
			Other    int64 `json:"input_other"`
			Output   int64 `json:"output"`
			Read     int64 `json:"input_cache_read"`
			Creation int64 `json:"input_cache_creation"`
		} `json:"token_usage"`
	}
	if !codingagent.Decode(payload, &s) || s.Usage == nil {
		return codingagent.Step{}
	}
	d.usage.Input += s.Usage.Other + s.Usage.Read + s.Usage.Creation
	d.usage.CachedInput += s.Usage.Read
	d.usage.Output += s.Usage.Output
	return eventStep(d.usage)
}
