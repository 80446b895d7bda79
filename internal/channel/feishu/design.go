package feishu

import (
	"cmp"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"xbot/internal/channel"
	design "xbot/internal/channel/card"
	"xbot/internal/chat"
)

// shownBy holds the data that users and pictures are shown by.
type shownBy struct {
	names map[string]string // of users, by their ids; a user who is not in it is shown by name
	keys  map[string]string // of uploaded pictures, by their paths; a picture that is not in it is shown by name
}

// designed returns a model's card, followed by end; open: it can be answered. Shapes: open.feishu.cn, "card JSON 2.0 components"; others are refused.
func designed(q channel.Question, open bool, with shownBy, end ...object) object {
	made := q.Design
	header := heading(made.Title, cmp.Or(made.Colour, "blue"))
	if made.Subtitle != "" {
		header["subtitle"] = plainText(made.Subtitle)
	}
	d := &drawing{open: open, ids: map[string]string{}, keys: with.keys, carried: button{Question: q.ID, Name: chat.PressSend}}
	for id, name := range with.names {
		if idForm.MatchString(id) && !strings.EqualFold(id, "all") {
			d.ids[name] = id
		}
	}
	for _, e := range made.Elements {
		if !e.IsField() {
			continue
		}
		d.fields = append(d.fields, e.Name)
		name := e.Name
		if e.Kind == design.PickPerson || e.Kind == design.PickPeople {
			name = peopleMark + name
		}
		d.carried.Fields = append(d.carried.Fields, name)
	}
	return card(cmp.Or(made.Title, q.Text), header, append(d.all(made.Tree(), false), end...)...)
}

// drawing is a card that is being made.
type drawing struct {
	open    bool
	ids     map[string]string // by the names of users
	keys    map[string]string // of pictures
	carried button            // the value of each button
	fields  []string          // names, as they are numbered in the form
	tables  int
	buttons int
}

func (d *drawing) all(nodes []design.Node, form bool) []object {
	shown := []object{}
	for _, n := range nodes {
		shown = append(shown, d.one(n, form)...)
	}
	return shown
}

// one shows an element. A settled card omits the elements that answer.
func (d *drawing) one(n design.Node, form bool) []object {
	e := n.Element
	switch {
	case e.Kind == design.Markdown:
		return []object{written(untabled(e.Text))}
	case e.Kind == design.Divider:
		return []object{{"tag": "hr"}}
	case e.Kind == design.Table:
		return []object{d.table(e)}
	case e.Kind == design.Chart:
		return []object{{"tag": "chart", "chart_spec": spec(e)}}
	case e.Kind == design.Person || e.Kind == design.People:
		return d.people(e)
	case e.Kind == design.Image || e.Kind == design.Images:
		return d.images(e)
	case e.IsContainer():
		return d.container(n, form)
	case e.IsField() && d.open:
		return d.field(fieldName(slices.Index(d.fields, e.Name)), e)
	case e.Kind == design.Button && (d.open || e.URL != ""):
		return []object{d.button(e, form)}
	case e.Kind == design.Overflow && d.open:
		var options []object
		for _, o := range e.Options {
			options = append(options, object{"text": plainText(o), "value": o})
		}
		return []object{{"tag": "overflow", "options": options, "behaviors": d.calls("", false)}}
	}
	return nil
}

func (d *drawing) container(n design.Node, form bool) []object {
	switch n.Kind {
	case design.Columns:
		var columns []object
		for c := 1; c <= n.Count; c++ {
			inside := slices.DeleteFunc(slices.Clone(n.Inside), func(o design.Node) bool { return o.Column != c })
			columns = append(columns, object{"tag": "column", "width": "weighted", "weight": 1, "elements": d.all(inside, form)})
		}
		return []object{{"tag": "column_set", "flex_mode": "stretch", "columns": columns}}
	case design.Panel:
		header := object{"title": plainText(n.Text)}
		return []object{{"tag": "collapsible_panel", "expanded": n.Open, "header": header, "elements": d.all(n.Inside, form)}}
	case design.Form:
		if !d.open {
			return d.all(n.Inside, false)
		}
		return []object{{"tag": "form", "name": "form", "elements": d.all(n.Inside, true)}}
	}
	return d.area(n)
}

// area is pressed as a whole; it contains the text that pressing it sends.
func (d *drawing) area(n design.Node) []object {
	inside := d.all(n.Inside, false)
	behaviors := d.calls(n.Text, false)
	switch {
	case n.URL != "":
		behaviors = opens(n.URL)
	case !d.open:
		return inside
	}
	return []object{{
		"tag": "interactive_container", "has_border": true, "corner_radius": "8px", "hover_tips": plainText(n.Text), "behaviors": behaviors,
		"elements": append(inside, written("**"+n.Text+"**")),
	}}
}

// calls returns the behaviour that reports a press to the bot, with the fields of the form if the press sends it.
func (d *drawing) calls(action string, form bool) []object {
	carried := d.carried
	carried.Action = action
	if !form {
		carried.Fields = nil
	}
	return []object{{"type": "callback", "value": carried}}
}

func opens(address string) []object { return []object{{"type": "open_url", "default_url": address}} }

// button is pressed. In a form buttons send it or empty it, so one that opens an address is a link there.
func (d *drawing) button(e design.Element, form bool) object {
	if e.URL != "" && form {
		return written("[" + unlinked.Replace(e.Text) + "](" + urlEscapes.Replace(e.URL) + ")")
	}
	one := object{"tag": "button", "text": plainText(e.Text), "type": "default"}
	if e.URL != "" {
		one["behaviors"] = opens(e.URL)
		return one
	}
	one["type"], one["behaviors"] = "primary", d.calls(e.Text, form)
	if form {
		d.buttons++
		one["name"], one["form_action_type"] = "b"+strconv.Itoa(d.buttons), "submit"
	}
	return one
}

// urlEscapes escapes characters that would end an address as the target of a link.
var urlEscapes = strings.NewReplacer("(", "%28", ")", "%29", "<", "%3C", ">", "%3E")

// unlinked removes characters from a label that would end it as the text of a link.
var unlinked = strings.NewReplacer("[", "(", "]", ")", "\\", "", "`", "'")

func (d *drawing) table(e design.Element) object {
	text := design.TableText(e)
	if d.tables++; d.tables > maxTables {
		text = "```\n" + strings.ReplaceAll(text, "`", "'") + "\n```"
	}
	return written(text)
}

func (d *drawing) people(e design.Element) (shown []object) {
	var known []object
	var others []string
	for _, name := range e.People {
		if id, ok := d.ids[name]; ok {
			known = append(known, object{"id": id})
		} else {
			others = append(others, name)
		}
	}
	switch {
	case len(known) == 1 && e.Kind == design.Person:
		shown = append(shown, object{"tag": "person", "user_id": known[0]["id"], "show_name": true, "show_avatar": true, "size": "small"})
	case len(known) > 0:
		shown = append(shown, object{"tag": "person_list", "persons": known, "show_name": true, "show_avatar": true, "size": "small", "drop_invalid_user_id": true})
	}
	if len(others) > 0 {
		shown = append(shown, written(strings.Join(others, ", ")))
	}
	return shown
}

// field is filled in under its name.
func (d *drawing) field(name string, e design.Element) []object {
	if keys := d.keysOf(e); e.Kind == design.PickImage && len(keys) == len(e.Options) {
		return pickImage(name, e, keys)
	}
	if e.Kind == design.Checker {
		return []object{{"tag": "checker", "name": name, "checked": false, "text": plainText(e.Text)}}
	}
	one := object{"name": name, "placeholder": plainText("…"), "required": e.Required, "width": "fill"}
	switch {
	case len(e.Options) > 0:
		var options []object
		for _, o := range e.Options {
			options = append(options, object{"text": plainText(o), "value": o})
		}
		one["options"] = options
	case e.Kind == design.PickPerson || e.Kind == design.PickPeople:
		one["options"] = []object{} // all users of the chat
	case e.Kind == design.Input:
		one["input_type"], one["rows"], one["max_length"] = "multiline_text", 2, 1000
	}
	one["tag"] = cmp.Or(tags[e.Kind], "select_static")
	return []object{written("**" + e.Text + "**"), one}
}

// keysOf returns the keys of the pictures of an element that the platform has.
func (d *drawing) keysOf(e design.Element) (keys []string) {
	for _, file := range e.Files {
		if key := d.keys[file]; key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// images are pictures; if one cannot be shown, there is a line about it.
func (d *drawing) images(e design.Element) (shown []object) {
	keys := d.keysOf(e)
	switch {
	case len(keys) == 1:
		shown = append(shown, object{"tag": "img", "img_key": keys[0], "alt": plainText(e.Text), "scale_type": "fit_horizontal"})
	case len(keys) > 1:
		var list []object
		for _, key := range keys {
			list = append(list, object{"img_key": key})
		}
		mode := "trisect"
		if i := len(keys) - 2; i < 3 {
			mode = []string{"double", "triple", "bisect"}[i]
		}
		shown = append(shown, object{"tag": "img_combination", "combination_mode": mode, "img_list": list})
	}
	if len(keys) < len(e.Files) {
		shown = append(shown, written(design.PicturesText(e)))
	}
	return shown
}

func pickImage(name string, e design.Element, keys []string) []object {
	var options []object
	for i, o := range e.Options {
		options = append(options, object{"img_key": keys[i], "value": o, "hover_tips": plainText(o)})
	}
	return []object{written("**" + e.Text + "**"), {"tag": "select_img", "name": name, "required": e.Required, "layout": "trisect", "options": options}}
}

// tags are the platform's names of fields.
var tags = map[design.Kind]string{
	design.Input: "input", design.Select: "select_static", design.MultiSelect: "multi_select_static", design.PickPerson: "select_person",
	design.PickPeople: "multi_select_person", design.Date: "date_picker", design.Time: "picker_time", design.DateTime: "picker_datetime",
}

// spec returns a chart as VChart draws it, which the platform uses. Nothing in it is an address, a program or markup.
func spec(e design.Element) object {
	var values []object
	for _, row := range e.Rows {
		for i, cell := range row {
			if i > 0 && i < len(e.Columns) {
				values = append(values, object{"x": inert(row[0]), "y": json.Number(cell), "s": inert(e.Columns[i])})
			}
		}
	}
	out := object{"type": e.Chart, "data": object{"values": values}, "legends": object{"visible": true, "orient": "bottom"}}
	if e.Text != "" {
		out["title"] = object{"text": inert(e.Text)}
	}
	switch e.Chart {
	case "pie":
		out["categoryField"], out["valueField"] = "x", "y"
	case "bar":
		out["xField"], out["yField"], out["seriesField"] = []string{"x", "s"}, "y", "s"
	default:
		out["xField"], out["yField"], out["seriesField"] = "x", "y", "s"
	}
	return out
}

// written shows Markdown of a model whose links open the web and nothing else.
func written(text string) object {
	return object{"tag": "markdown", "content": webOnly(harmless(text))}
}

// linkForm finds where the address of a link may begin, and bracketForm one without a title, or a link tag of the platform.
var (
	linkForm    = regexp.MustCompile(`\](?:\(|:)\s*<?\s*`)
	bracketForm = regexp.MustCompile(`<(?i:/?(?:a|raw)\b|[a-z][a-z0-9+.-]*:)`)
	web         = regexp.MustCompile(`^<?(?i:https?://)`)
)

// webOnly turns links that open anything but the web into text, by a character of no width.
func webOnly(text string) string {
	text = parted(text, linkForm, func(at []int) bool { return web.MatchString(text[at[1]:]) })
	return parted(text, bracketForm, func(at []int) bool { return web.MatchString(text[at[0]:]) })
}

// parted puts a character of no width after the first character of each match, unless it is fine.
func parted(text string, form *regexp.Regexp, fine func(at []int) bool) string {
	var b strings.Builder
	from := 0
	for _, at := range form.FindAllStringIndex(text, -1) {
		if !fine(at) {
			b.WriteString(text[from:at[0]+1] + "\u200b")
			from = at[0] + 1
		}
	}
	return b.String() + text[from:]
}

// untabled breaks the tables of a text: a card may have few, and those are separate elements.
func untabled(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if rule(l) {
			lines[i] = strings.ReplaceAll(l, "|", "\u2502")
		}
	}
	return strings.Join(lines, "\n")
}

const (
	// maxNamed is how many of the picked users are named, and nameTime how long that may take of the three seconds that the platform
	// waits.
	maxNamed = 20
	nameTime = time.Second
)

// namesIn returns a function that names users of a chat by their ids; one without a known name gets the id.
func (a *Account) namesIn(ctx context.Context, in string) func(id string) string {
	until, asked := time.Now().Add(nameTime), 0
	return func(id string) string {
		if asked++; asked > maxNamed {
			return id
		}
		ctx, cancel := context.WithDeadline(ctx, until)
		defer cancel()
		return cmp.Or(a.nameOf(ctx, id, in), id)
	}
}
