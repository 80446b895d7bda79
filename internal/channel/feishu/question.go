package feishu

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	design "xbot/internal/card"
	"xbot/internal/channel"
	"xbot/internal/chat"
)

// button is what a button carries; it comes back when somebody presses it.
type button struct {
	Question string   `json:"question"`
	Name     string   `json:"button"`
	Fields   []string `json:"fields,omitempty"` // the names of the form's fields; in the form they are numbered
	Action   string   `json:"action,omitempty"` // the label of a button that a model has made
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
	if b.Action != "" {
		values[channel.PressAction] = []string{b.Action}
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
	if q.Design != nil {
		header, elements := designed(q, true)
		return card(cmp.Or(q.Title, q.Text), header, elements...)
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
	if q.Design != nil {
		header, elements := designed(q, false)
		return a.showCard(ctx, id, encode(card(cmp.Or(answer, q.Title), header, append(elements, object{"tag": "hr"}, markdown(cmp.Or(answer, "—"), nil))...)))
	}
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

// designed is the card of a model; open says that it can be answered. The shapes are those of open.feishu.cn, card JSON 2.0: form container, input,
// select_static, multi_select_static, date_picker, picker_time, picker_datetime, button.
func designed(q channel.Question, open bool) (header object, elements []object) {
	header = heading(q.Design.Title, cmp.Or(q.Design.Colour, "blue"))
	if q.Design.Subtitle != "" {
		header["subtitle"] = plainText(q.Design.Subtitle)
	}
	carried := button{Question: q.ID, Name: chat.PressSend}
	for _, e := range q.Design.Elements {
		if e.Name != "" && e.Kind != design.Form {
			carried.Fields = append(carried.Fields, e.Name)
		}
	}
	var form object
	var filled []object
	tables := 0
	for n, e := range q.Design.Elements {
		if e.Kind == design.Table {
			tables++
		}
		shown := designedElement(n, e, carried, tables > maxTables, open)
		switch {
		case e.Kind == design.Form && open:
			form = object{"tag": "form", "name": "form"}
			elements = append(elements, form)
		case e.Form != "" && open:
			filled = append(filled, shown...)
		default:
			elements = append(elements, shown...)
		}
	}
	if form != nil {
		form["elements"] = filled
	}
	return header, elements
}

// designedElement shows one element; code shows a table as such. What answers is left out of a card that is settled.
func designedElement(n int, e design.Element, carried button, code, open bool) []object {
	switch e.Kind {
	case design.Markdown:
		return []object{markdown(untabled(e.Text), nil)}
	case design.Divider:
		return []object{{"tag": "hr"}}
	case design.Table:
		text := design.TableText(e)
		if code {
			text = "```\n" + strings.ReplaceAll(text, "`", "'") + "\n```"
		}
		return []object{markdown(text, nil)}
	case design.Button:
		if e.Answers() && !open {
			return nil
		}
		return []object{designedButton(n, e, carried)}
	case design.Form:
		return nil
	case design.Input, design.Select, design.MultiSelect, design.Date, design.Time, design.DateTime:
	}
	if !open {
		return nil
	}
	return designedField(slices.Index(carried.Fields, e.Name), e)
}

// untabled makes no table of a text: a card may have few, and those are elements of their own.
func untabled(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if rule(l) {
			lines[i] = strings.ReplaceAll(l, "|", "\u2502")
		}
	}
	return strings.Join(lines, "\n")
}

func designedButton(n int, e design.Element, carried button) object {
	one := object{"tag": "button", "text": plainText(e.Text), "type": "default", "name": "b" + strconv.Itoa(n)}
	if e.URL != "" {
		one["behaviors"] = []object{{"type": "open_url", "default_url": e.URL}}
		return one
	}
	carried.Action = e.Text
	if e.Form == "" {
		carried.Fields = nil
	} else {
		one["form_action_type"] = "submit"
	}
	one["type"], one["behaviors"] = "primary", []object{{"type": "callback", "value": carried}}
	return one
}

func designedField(n int, e design.Element) []object {
	field := object{"name": fieldName(n), "placeholder": plainText("…"), "required": e.Required, "width": "fill"}
	switch e.Kind {
	case design.Select, design.MultiSelect:
		field["tag"] = "select_static"
		if e.Kind == design.MultiSelect {
			field["tag"] = "multi_select_static"
		}
		var options []object
		for _, o := range e.Options {
			options = append(options, object{"text": plainText(o), "value": o})
		}
		field["options"] = options
	case design.Date:
		field["tag"] = "date_picker"
	case design.Time:
		field["tag"] = "picker_time"
	case design.DateTime:
		field["tag"] = "picker_datetime"
	default:
		field["tag"], field["input_type"], field["rows"], field["max_length"] = "input", "multiline_text", 2, 1000
	}
	return []object{markdown("**"+e.Text+"**", nil), field}
}
