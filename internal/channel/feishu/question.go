package feishu

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"xbot/internal/channel"
)

// button is the value of a button; it comes back when a user presses it.
type button struct {
	Question string   `json:"question"`
	Name     string   `json:"button"`
	Fields   []string `json:"fields,omitempty"` // names of the form's fields, with peopleMark where users are picked; in the form they are numbered
	Action   string   `json:"action,omitempty"` // the label of a button that a model has made
}

// peopleMark begins the name of a field that is answered with ids of users.
const peopleMark = "@"

// otherMark ends the name of the free text next to the options of a field.
const otherMark = "_other"

func fieldName(n int) string { return "f" + strconv.Itoa(n) }

// values reads a submitted form; named returns the name of a user.
func (b button) values(form map[string]json.RawMessage, named func(id string) string) map[string][]string {
	values := map[string][]string{}
	for n, name := range b.Fields {
		name, people := strings.CutPrefix(name, peopleMark)
		for _, key := range []string{fieldName(n), fieldName(n) + otherMark} {
			for _, v := range answers(form[key]) {
				if people {
					v = named(v)
				}
				if !slices.Contains(values[name], v) {
					values[name] = append(values[name], v)
				}
			}
		}
	}
	if b.Action != "" {
		values[channel.PressAction] = []string{b.Action}
	}
	if len(values) == 0 {
		return nil
	}
	return values
}

// answers reads an entry of a form: a text, several texts, or a ticked box.
func answers(raw json.RawMessage) []string {
	var several []string
	var one string
	var ticked bool
	switch {
	case json.Unmarshal(raw, &one) == nil:
		several = []string{one}
	case json.Unmarshal(raw, &ticked) == nil:
		several = []string{strconv.FormatBool(ticked)}
	case json.Unmarshal(raw, &several) != nil:
		return nil
	}
	for i, s := range several {
		several[i] = clean(s)
	}
	return slices.DeleteFunc(several, func(s string) bool { return strings.TrimSpace(s) == "" })
}

// askCard returns the card of a question; with holds the ids and keys of users and pictures.
func askCard(q channel.Question, with shownBy) object {
	if q.Design != nil {
		return designed(q, true, with)
	}
	var elements []object
	if q.Text != "" {
		elements = append(elements, markdown(q.Text, nil))
	}
	row := buttonRow(q)
	if len(q.Fields) == 0 {
		return card(cmp.Or(q.Title, q.Text), heading(q.Title, "blue"), append(elements, row)...)
	}
	var form []object
	for n, f := range q.Fields {
		form = append(form, fieldElements(n, f)...)
	}
	elements = append(elements, object{"tag": "form", "name": "form", "elements": append(form, row)})
	return card(cmp.Or(q.Title, q.Text), heading(q.Title, "blue"), elements...)
}

func heading(title, colour string) object {
	return object{"title": plainText(cmp.Or(title, "?")), "template": colour}
}

// fieldElements show one field of a form: its label, and its options or input.
func fieldElements(n int, f channel.Field) []object {
	all := []object{markdown("**"+f.Label+"**", nil)}
	if len(f.Options) > 0 {
		tag := "select_static"
		if f.Multi {
			tag = "multi_select_static"
		}
		var options []object
		for _, o := range f.Options {
			options = append(options, object{"text": plainText(o), "value": o})
		}
		all = append(all, object{"tag": tag, "name": fieldName(n), "placeholder": plainText("…"), "options": options, "width": "fill"})
	}
	if len(f.Options) == 0 || f.Other {
		name := fieldName(n)
		if len(f.Options) > 0 {
			name += otherMark
		}
		all = append(all, object{
			"tag": "input", "name": name, "placeholder": plainText("…"), "input_type": "multiline_text", "rows": 2, "max_length": 1000, "width": "fill",
		})
	}
	return all
}

// buttonRow shows the buttons side by side.
func buttonRow(q channel.Question) object {
	var columns []object
	for n, b := range q.Buttons {
		carried := button{Question: q.ID, Name: b.Name}
		for _, f := range q.Fields {
			carried.Fields = append(carried.Fields, f.Name)
		}
		one := object{
			"tag": "button", "text": plainText(b.Label), "type": style(b.Style), "behaviors": []object{{"type": "callback", "value": carried}},
		}
		if b.URL != "" {
			one["behaviors"] = []object{{"type": "open_url", "default_url": b.URL}}
		} else if len(q.Fields) > 0 {
			one["name"], one["form_action_type"] = fmt.Sprintf("b%d", n), "submit"
		}
		columns = append(columns, object{"tag": "column", "width": "auto", "elements": []object{one}})
	}
	return object{"tag": "column_set", "flex_mode": "flow", "columns": columns}
}

func style(s string) string {
	switch s {
	case "primary", "danger":
		return s
	}
	return "default"
}

// Settle takes the buttons from a question and shows how it was answered, as much of that as a card takes.
func (a *Account) Settle(ctx context.Context, _ channel.Address, id string, q channel.Question, answer string) error {
	keys, err := a.pictures(ctx, q)
	if err != nil {
		return err
	}
	return a.showCard(ctx, id, fitted(q, shownBy{keys: keys}, answer))
}

// fitted returns a settled card with as much of the answer as fits.
func fitted(q channel.Question, with shownBy, answer string) string {
	content := encode(settledCard(q, with, answer))
	for len(content) > maxCard && answer != "" {
		if answer = first(answer, utf8.RuneCountInString(answer)/2); answer != "" {
			answer = strings.TrimSuffix(answer, "…") + "…"
		}
		if utf8.RuneCountInString(answer) < 2 {
			answer = ""
		}
		content = encode(settledCard(q, with, answer))
	}
	return content
}

func settledCard(q channel.Question, with shownBy, answer string) object {
	about, end := cmp.Or(answer, q.Title), []object{{"tag": "hr"}, markdown(cmp.Or(answer, "—"), nil)}
	if q.Design != nil {
		return designed(q, false, with, end...)
	}
	var elements []object
	if q.Text != "" {
		elements = append(elements, markdown(q.Text, nil))
	}
	for _, f := range q.Fields {
		elements = append(elements, markdown("**"+f.Label+"**", nil))
	}
	return card(about, heading(q.Title, "green"), append(elements, end...)...)
}
