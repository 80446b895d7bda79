package feishu

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"xbot/internal/chat"
)

const (
	// maxDepth and maxRead bound how much of a card is read: levels, and bytes of text.
	maxDepth = 24
	maxRead  = 64 << 10
)

// rich is a rich text in one language. Newer clients send content_v2, Markdown in pieces of the tag md, alone or with content
// (oapi-sdk-go v3.12, channel/normalize).
type rich struct {
	Title      string          `json:"title"`
	Content    [][]part        `json:"content"`
	ContentNew json.RawMessage `json:"content_v2"`
}

// rows returns the lines: of the Markdown, if there is any.
func (r rich) rows() [][]part {
	var rows [][]part
	if json.Unmarshal(r.ContentNew, &rows) == nil && len(rows) > 0 {
		return rows
	}
	return r.Content
}

// empty reports whether there is nothing to read.
func (r rich) empty() bool { return r.Title == "" && r.rows() == nil }

// part is a piece of a line of rich text.
type part struct {
	Tag      string `json:"tag"`
	Text     string `json:"text"`
	Href     string `json:"href"`
	UserID   string `json:"user_id"`
	UserName string `json:"user_name"`
	ImageKey string `json:"image_key"`
	FileKey  string `json:"file_key"`
	FileName string `json:"file_name"`
	Emoji    string `json:"emoji_type"`
	Language string `json:"language"`
}

// readPost reads a rich text: bare, or one for each language, of which Chinese and English come first.
func readPost(raw []byte) content {
	var bare rich
	if json.Unmarshal(raw, &bare) == nil && bare.rows() != nil {
		return bare.read()
	}
	var languages map[string]json.RawMessage
	if json.Unmarshal(raw, &languages) != nil {
		return content{text: bare.Title}
	}
	if inner, ok := languages["post"]; ok && len(languages) == 1 {
		return readPost(inner)
	}
	for _, language := range append([]string{"zh_cn", "en_us"}, slices.Sorted(maps.Keys(languages))...) {
		var r rich
		if json.Unmarshal(languages[language], &r) == nil && !r.empty() {
			return r.read()
		}
	}
	return content{text: bare.Title}
}

func (r rich) read() content {
	var c content
	var lines []string
	if r.Title != "" {
		lines = append(lines, r.Title)
	}
	for _, row := range r.rows() {
		var line strings.Builder
		for _, p := range row {
			words := p.words()
			if p.Tag == "md" {
				words = outsideCode(words, func(prose string) string {
					prose, files := images(prose)
					c.files = append(c.files, files...)
					return prose
				})
			}
			line.WriteString(words)
			c.files = append(c.files, p.file()...)
		}
		lines = append(lines, line.String())
	}
	c.text = strings.TrimSpace(strings.Join(lines, "\n"))
	return c
}

// images takes the images out of Markdown whose targets are keys of the platform. Links to the web stay.
func images(prose string) (string, []chat.Attachment) {
	var files []chat.Attachment
	prose = imageForm.ReplaceAllStringFunc(prose, func(found string) string {
		key := imageForm.FindStringSubmatch(found)[2]
		if key == "" || strings.Contains(key, "/") {
			return found
		}
		files = append(files, file("image", key, "")...)
		return ""
	})
	return prose, files
}

// atForm is a mention in Markdown.
var atForm = regexp.MustCompile(`<at\s+(?:user_id|id)="?([^">\s]+)"?\s*>([^<]*)</at>`)

// keyed replaces tags of mentions by the keys of mentions, so that they read as those of other messages. A user without a key is
// named; the bot gets a key that is added to the mentions.
func keyed(text string, all []mention, me identity) (string, []mention) {
	text = outsideCode(text, func(prose string) string {
		return atForm.ReplaceAllStringFunc(prose, func(found string) string {
			m := atForm.FindStringSubmatch(found)
			id, name := m[1], m[2]
			if id == "all" || id == "all_members" {
				return "@_all"
			}
			for _, one := range all {
				if one.id == id && one.key != "" {
					return one.key
				}
			}
			if id != me.OpenID {
				return "@" + cmp.Or(name, id)
			}
			all = append(slices.Clip(all), mention{key: "@_bot", id: id, name: name})
			return "@_bot"
		})
	})
	return text, all
}

// words returns how a piece reads in Markdown.
func (p part) words() string {
	switch p.Tag {
	case "a":
		if p.Href == "" || p.Href == p.Text {
			return cmp.Or(p.Text, p.Href)
		}
		return "[" + p.Text + "](" + p.Href + ")"
	case "at":
		if strings.HasPrefix(p.UserID, "@") {
			return p.UserID // the key of a mention
		}
		return "@" + cmp.Or(p.UserName, p.UserID)
	case "emotion":
		return "[" + p.Emoji + "]"
	case "code_block":
		return "\n```" + strings.ToLower(p.Language) + "\n" + strings.TrimSuffix(p.Text, "\n") + "\n```"
	case "hr":
		return "---"
	case "img", "media":
		return ""
	}
	return p.Text
}

func (p part) file() []chat.Attachment {
	switch p.Tag {
	case "img":
		return file("image", p.ImageKey, "")
	case "media":
		return file("video", p.FileKey, p.FileName)
	}
	return nil
}

// readCard returns what can be read of a card, of either version: its title, then the texts of its elements.
func readCard(raw []byte) string {
	var card any
	if json.Unmarshal(raw, &card) != nil {
		return ""
	}
	w := &words{}
	if top, ok := card.(map[string]any); ok {
		if source, ok := top["user_dsl"].(string); ok { // the card as it was sent
			return readCard([]byte(source))
		}
		w.walk(top["title"], 0) // cards that are read have it as a string
		if header, ok := top["header"].(map[string]any); ok {
			w.walk(header["title"], 0)
		}
		w.walk(top["body"], 0)
		w.walk(top["elements"], 0)
		if top["elements"] == nil {
			w.language(top["i18n_elements"])
		}
	}
	return strings.TrimSpace(w.String())
}

// language walks the elements of one language, of which Chinese and English come first.
func (w *words) language(v any) {
	languages, _ := v.(map[string]any)
	for _, name := range append([]string{"zh_cn", "en_us"}, slices.Sorted(maps.Keys(languages))...) {
		if languages[name] != nil {
			w.walk(languages[name], 0)
			return
		}
	}
}

// words gathers the texts of a card.
type words struct{ strings.Builder }

func (w *words) walk(v any, depth int) {
	if depth > maxDepth || w.Len() > maxRead {
		return
	}
	switch v := v.(type) {
	case string:
		w.say(v)
	case []any:
		w.row(v, depth)
	case map[string]any:
		w.element(v, depth)
	}
}

// row walks a list. Pieces of one line, as cards that are read have them, stay on it.
func (w *words) row(list []any, depth int) {
	for _, one := range list {
		w.walk(one, depth+1)
	}
}

func (w *words) element(m map[string]any, depth int) {
	tag, _ := m["tag"].(string)
	switch tag {
	case "img", "button", "select_static", "multi_select_static", "input", "overflow":
		if tag != "button" {
			return
		}
		w.labelled(m["text"])
		return
	case "a":
		text, _ := m["text"].(string)
		href, _ := m["href"].(string)
		w.say(part{Tag: "a", Text: text, Href: href}.words())
		return
	case "table":
		w.table(m)
		return
	}
	for _, key := range []string{"header", "content", "text", "title", "fields", "elements", "columns", "rows", "actions"} {
		w.walk(m[key], depth+1)
	}
}

// table writes the heads of the columns and the cells, one row per line. A row has its cells by the names of the columns.
func (w *words) table(m map[string]any) {
	var names, heads []string
	columns, _ := m["columns"].([]any)
	for _, one := range columns {
		column, _ := one.(map[string]any)
		name, _ := column["name"].(string)
		head, _ := column["display_name"].(string)
		names, heads = append(names, name), append(heads, cmp.Or(head, name))
	}
	w.say(strings.Join(heads, " | "))
	rows, _ := m["rows"].([]any)
	for _, one := range rows {
		if w.Len() > maxRead {
			return
		}
		row, _ := one.(map[string]any)
		cells := make([]string, len(names))
		for i, name := range names {
			cells[i] = cell(row[name])
		}
		w.say(strings.Join(cells, " | "))
	}
}

// cell reads a text, a number, an option or a user, or a list of them.
func cell(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case []any:
		var all []string
		for _, one := range v {
			all = append(all, cell(one))
		}
		return strings.Join(all, ", ")
	case map[string]any:
		text, _ := v["text"].(string)
		content, _ := v["content"].(string)
		return cmp.Or(text, content)
	}
	return ""
}

// labelled writes the label of a button.
func (w *words) labelled(v any) {
	if m, ok := v.(map[string]any); ok {
		if label, ok := m["content"].(string); ok && label != "" {
			w.say("[" + label + "]")
		}
	}
}

func (w *words) say(s string) {
	if s = strings.TrimSpace(s); s != "" {
		_, _ = w.WriteString(s + "\n") // it never fails
	}
}
