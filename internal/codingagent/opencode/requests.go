package opencode

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"xbot/internal/codingagent"
)

// request is a question of opencode that waits for its answer.
type request struct {
	id, session string
	form        string   // the event that asked
	questions   []string // of a question to the user, in order
}

type askedFor struct {
	ID         string          `json:"id"`
	SessionID  string          `json:"sessionID"`
	Permission string          `json:"permission"`
	Patterns   []string        `json:"patterns"`
	Type       string          `json:"type"`    // of older versions
	Pattern    json.RawMessage `json:"pattern"` // likewise: a text or a list
	Title      string          `json:"title"`
	Action     string          `json:"action"` // of permission.v2.asked
	Resources  []string        `json:"resources"`
	Metadata   struct {
		Command string `json:"command"`
		File    string `json:"filepath"`
		Path    string `json:"filePath"`
	} `json:"metadata"`
	Questions []struct {
		Question string `json:"question"`
		Options  []struct {
			Label string `json:"label"`
		} `json:"options"`
		Many   bool  `json:"multiple"`
		Custom *bool `json:"custom"`
	} `json:"questions"`
}

func (d *driver) handleRequest(e event) codingagent.Step {
	var a askedFor
	odd := json.Unmarshal(e.Properties, &a) != nil // a field has another type: the request is refused
	if a.ID == "" {
		return codingagent.Step{}
	}
	if _, twice := d.open[a.ID]; twice {
		return codingagent.Step{} // asked in both forms
	}
	r := request{id: a.ID, session: a.SessionID, form: e.Type}
	if strings.HasPrefix(e.Type, "question.") {
		if odd {
			a.Questions = nil
		}
		return d.askPerson(r, a)
	}
	kind, title, files := a.subject()
	verdict := d.turn.Gate(kind, d.turn.Inside(files...))
	if odd {
		verdict = codingagent.Deny
	}
	if verdict == codingagent.Ask && d.open.Put(a.ID, r) {
		return eventStep(codingagent.Request{ID: a.ID, Approval: &codingagent.Approval{
			Kind: kind, Title: title, Dir: d.turn.Dir, Reason: codingagent.Paragraph(a.Title),
		}})
	}
	return codingagent.Step{Writes: d.allow(r, verdict == codingagent.Allow, false)}
}

func (a askedFor) subject() (codingagent.WorkKind, string, []string) {
	patterns := slices.Concat(a.Patterns, a.Resources)
	var one string
	if json.Unmarshal(a.Pattern, &one) == nil && one != "" {
		patterns = []string{one}
	} else if len(a.Pattern) > 0 {
		_ = json.Unmarshal(a.Pattern, &patterns) // a pattern of another form names nothing
	}
	listed := strings.Join(patterns, ", ")
	switch name := cmp.Or(a.Permission, a.Action, a.Type); name {
	case "bash":
		return codingagent.CommandRun, codingagent.Subject(cmp.Or(a.Metadata.Command, listed)), nil
	case "edit", "write":
		if file := cmp.Or(a.Metadata.File, a.Metadata.Path); file != "" {
			patterns = []string{file}
		}
		return codingagent.FileChange, codingagent.Subject(strings.Join(patterns, ", ")), patterns
	case "webfetch", "websearch":
		return codingagent.WebSearch, codingagent.Subject(listed), nil
	default:
		return codingagent.ToolCall, codingagent.Subject(strings.TrimSpace(name + " " + listed)), nil
	}
}

func (d *driver) askPerson(r request, a askedFor) codingagent.Step {
	asked := codingagent.Request{ID: a.ID}
	for _, q := range a.Questions {
		question := codingagent.Question{
			ID: q.Question, Text: codingagent.Paragraph(q.Question), Many: q.Many, Free: q.Custom == nil || *q.Custom,
		}
		for _, option := range q.Options {
			question.Options = append(question.Options, codingagent.Title(option.Label))
		}
		asked.Questions = append(asked.Questions, question)
		r.questions = append(r.questions, q.Question)
	}
	if len(r.questions) == 0 || !d.open.Put(a.ID, r) {
		return codingagent.Step{Writes: d.reject(r)}
	}
	return eventStep(asked)
}

func (d *driver) Answer(id string, answer codingagent.Answer) []codingagent.Write {
	r, ok := d.open[id]
	switch {
	case !ok || d.ended:
		return nil
	case len(r.questions) == 0:
		return d.allow(r, answer.Approved && !answer.Declined, answer.Always)
	case answer.Declined:
		return d.reject(r)
	}
	answers := [][]string{}
	for _, question := range r.questions {
		texts := answer.Replies[question]
		if texts == nil {
			texts = []string{}
		}
		answers = append(answers, texts)
	}
	return d.respond(r, r.path("question")+"/reply", map[string]any{"answers": answers})
}

func (d *driver) reject(r request) []codingagent.Write {
	return d.respond(r, r.path("question")+"/reject", map[string]any{})
}

func (d *driver) allow(r request, yes, always bool) []codingagent.Write {
	reply := "reject"
	if yes {
		reply = "once"
	}
	if yes && always {
		reply = "always"
	}
	if r.form == "permission.updated" {
		path := "/session/" + url.PathEscape(r.session) + "/permissions/" + url.PathEscape(r.id)
		return d.respond(r, path, map[string]any{"response": reply})
	}
	return d.respond(r, r.path("permission")+"/reply", map[string]any{"reply": reply})
}

// path returns where a request is answered: one of the second form is answered below its session.
func (r request) path(kind string) string {
	if strings.HasPrefix(r.form, kind+".v2.") {
		return "/api/session/" + url.PathEscape(r.session) + "/" + kind + "/" + url.PathEscape(r.id)
	}
	return "/" + kind + "/" + url.PathEscape(r.id)
}

func (d *driver) respond(r request, path string, body any) []codingagent.Write {
	return []codingagent.Write{d.request(d.key("answer")+":"+r.id, "POST", path, body)}
}
