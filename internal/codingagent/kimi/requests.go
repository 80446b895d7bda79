package kimi

import (
	"encoding/json"
	"strings"

	"xbot/internal/codingagent"
	"xbot/internal/codingagent/jsonrpc"
)

// request is a question of kimi that waits for its answer.
type request struct {
	id     json.RawMessage
	name   string // kimi's own, within the payload
	person bool
}

type payload struct {
	ID          string `json:"id"`
	CallID      string `json:"tool_call_id"`
	Sender      string `json:"sender"`
	Action      string `json:"action"`
	Description string `json:"description"`
	Display     []struct {
		Type    string `json:"type"`
		Path    string `json:"path"`
		Command string `json:"command"`
	} `json:"display"`
	Questions []struct {
		Question string `json:"question"`
		Options  []struct {
			Label string `json:"label"`
		} `json:"options"`
		Many bool `json:"multi_select"`
	} `json:"questions"`

	odd bool // a field has another type: its files are not known to lie inside
}

func (d *driver) handleRequest(in jsonrpc.Incoming) codingagent.Step {
	var e envelope
	var p payload
	if in.Method == "request" {
		codingagent.Decode(in.Params, &e) // an unknown type is refused
		p.odd = json.Unmarshal(e.Payload, &p) != nil
	}
	r := request{id: in.ID, name: p.ID, person: e.Type == "QuestionRequest"}
	switch {
	case d.ended || e.Type != "ApprovalRequest" && e.Type != "QuestionRequest":
		return codingagent.Step{Writes: []codingagent.Write{jsonrpc.Refuse(version, d.answerKey(in.ID), in.ID, in.Method+" "+e.Type)}}
	case r.person:
		return d.askPerson(r, p)
	default:
		return d.askLeave(r, p)
	}
}

func (d *driver) askLeave(r request, p payload) codingagent.Step {
	kind, title, files := p.subject(d.works[p.CallID])
	verdict := d.turn.Gate(kind, !p.odd && !strings.Contains(p.Action, "outside") && d.turn.Inside(files...))
	if verdict == codingagent.Ask && d.open.Put(string(r.id), r) {
		return eventStep(codingagent.Request{ID: string(r.id), Approval: &codingagent.Approval{
			Kind: kind, Title: title, Dir: d.turn.Dir, Reason: codingagent.Paragraph(p.Description),
		}})
	}
	return codingagent.Step{Writes: d.allow(r, verdict == codingagent.Allow, false)}
}

// subject returns the subject of an approval: of its display, else of the call that it belongs to.
func (p payload) subject(made *call) (codingagent.WorkKind, string, []string) {
	work := codingagent.Work{Kind: codingagent.ToolCall, Title: p.Action}
	if made != nil {
		work, _ = made.work()
	}
	var files []string
	for _, shown := range p.Display {
		switch shown.Type {
		case "diff":
			files = append(files, shown.Path)
		case "shell":
			work.Kind, work.Title = codingagent.CommandRun, shown.Command
		}
	}
	if len(files) > 0 {
		work.Kind, work.Title = codingagent.FileChange, strings.Join(codingagent.Files(files...), ", ")
	} else {
		files = work.Files
	}
	if p.Sender == "Shell" {
		work.Kind = codingagent.CommandRun
	}
	return work.Kind, codingagent.Subject(work.Title), files
}

func (d *driver) askPerson(r request, p payload) codingagent.Step {
	if len(p.Questions) == 0 || !d.open.Put(string(r.id), r) {
		return codingagent.Step{Writes: d.answerWrites(r, nil)}
	}
	asked := codingagent.Request{ID: string(r.id)}
	for _, q := range p.Questions {
		question := codingagent.Question{ID: q.Question, Text: codingagent.Paragraph(q.Question), Many: q.Many, Free: true}
		for _, option := range q.Options {
			question.Options = append(question.Options, codingagent.Title(option.Label))
		}
		asked.Questions = append(asked.Questions, question)
	}
	return eventStep(asked)
}

// resolved forgets an approval that was answered elsewhere, or that the end of the turn answered.
func (d *driver) resolved(raw json.RawMessage) {
	var p struct {
		ID string `json:"request_id"`
	}
	if json.Unmarshal(raw, &p) != nil {
		return
	}
	for id, r := range d.open {
		if r.name == p.ID {
			delete(d.open, id)
			return
		}
	}
}

func (d *driver) Answer(id string, answer codingagent.Answer) []codingagent.Write {
	r, ok := d.open[id]
	switch {
	case !ok || d.ended:
		return nil
	case r.person && answer.Declined:
		return d.answerWrites(r, nil)
	case r.person:
		return d.answerWrites(r, answer.Replies)
	default:
		return d.allow(r, answer.Approved && !answer.Declined, answer.Always)
	}
}

func (d *driver) allow(r request, yes, always bool) []codingagent.Write {
	response := "reject"
	if yes {
		response = "approve"
	}
	if yes && always {
		response = "approve_for_session"
	}
	return d.respond(r, map[string]any{"request_id": r.name, "response": response})
}

func (d *driver) answerWrites(r request, replies map[string][]string) []codingagent.Write {
	answers := map[string]string{}
	for question, texts := range replies {
		answers[question] = strings.Join(texts, ", ")
	}
	return d.respond(r, map[string]any{"request_id": r.name, "answers": answers})
}

func (d *driver) respond(r request, result any) []codingagent.Write {
	return []codingagent.Write{jsonrpc.Answer(version, d.answerKey(r.id), r.id, result)}
}

func (d *driver) answerKey(id json.RawMessage) string { return d.key("answer") + ":" + string(id) }
