package feishu

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"xbot/internal/channel"
)

// button is what a button carries; it comes back when somebody presses it.
type button struct {
	Question string   `json:"question"`
	Name     string   `json:"button"`
	Fields   []string `json:"fields,omitempty"` // the names of the form's fields; in the form they are numbered
}

// otherMark ends the name of the free text beside the options of a field.
const otherMark = "_other"

func fieldName(n int) string { return "f" + strconv.Itoa(n) }

// values reads a form that was filled in.
func (b button) values(form map[string]json.RawMessage) map[string][]string {
	values := map[string][]string{}
	for n, name := range b.Fields {
		for _, key := range []string{fieldName(n), fieldName(n) + otherMark} {
			for _, v := range answers(form[key]) {
				if !slices.Contains(values[name], v) {
					values[name] = append(values[name], v)
				}
			}
		}
	}
	if len(values) == 0 {
		return nil
	}
	return values
}

// answers reads what was chosen or written: a text or several.
func answers(raw json.RawMessage) []string {
	var several []string
	var one string
	if json.Unmarshal(raw, &one) == nil {
		several = []string{one}
	} else if json.Unmarshal(raw, &several) != nil {
		return nil
	}
	for i, s := range several {
		several[i] = clean(s)
	}
	return slices.DeleteFunc(several, func(s string) bool { return strings.TrimSpace(s) == "" })
}

// askCard is the card of a question.
func askCard(q channel.Question) object {
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

// fieldElements show one field of a form: its label, and what is chosen from or written into.
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

// buttonRow shows the buttons beside each other.
func buttonRow(q channel.Question) object {
	var columns []object
	for n, b := range q.Buttons {
		carried := button{Question: q.ID, Name: b.Name}
		for _, f := range q.Fields {
			carried.Fields = append(carried.Fields, f.Name)
		}
		one := object{
			"tag": "button", "text": plainText(b.Label), "type": style(b.Style), "name": fmt.Sprintf("b%d", n),
			"behaviors": []object{{"type": "callback", "value": carried}},
		}
		if b.URL != "" {
			one["behaviors"] = []object{{"type": "open_url", "default_url": b.URL}}
		} else if len(q.Fields) > 0 {
			one["form_action_type"] = "submit"
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

// Settle takes the buttons from a question and shows how it was answered.
func (a *Account) Settle(ctx context.Context, _ channel.Address, id string, q channel.Question, answer string) error {
	var elements []object
	if q.Text != "" {
		elements = append(elements, markdown(q.Text, nil))
	}
	for _, f := range q.Fields {
		elements = append(elements, markdown("**"+f.Label+"**", nil))
	}
	elements = append(elements, object{"tag": "hr"}, markdown(cmp.Or(answer, "—"), nil))
	return a.showCard(ctx, id, encode(card(cmp.Or(answer, q.Title), heading(q.Title, "green"), elements...)))
}
