package feishu

import (
	"cmp"
	"encoding/json"
	"strings"

	"xbot/internal/channel"
	"xbot/internal/channel/format"
)

const (
	// maxCard bounds a card and a rich text as JSON, and maxPlain a text, in bytes: the platform's limits, less its additions.
	maxCard  = 28 << 10
	maxPlain = 140 << 10
)

// rendered is a message as the platform takes it.
type rendered struct {
	kind    string // msg_type
	content string
	suffix  string // of the uuid: a fallback is another message
}

// object is a JSON object.
type object = map[string]any

// renderings returns the forms of a text, the best first: a card, rich text, text. Those that would be too large are left out.
func renderings(m channel.Message) []rendered {
	text := inert(m.Text)
	var all []rendered
	if c := encode(textCard(m)); len(c) <= maxCard {
		all = append(all, rendered{kind: "interactive", content: c})
	}
	if c := encode(post(text, m.Mentions)); len(c) <= maxCard {
		all = append(all, rendered{kind: "post", content: c, suffix: ".p"})
	}
	plain := encode(object{"text": mentioned(text, m.Mentions, func(id, name string) string {
		return `<at user_id="` + id + `">` + name + `</at>`
	})})
	if len(plain) <= maxPlain {
		all = append(all, rendered{kind: "text", content: plain, suffix: ".t"})
	}
	return all
}

// textCard returns a card that shows a text, or one line with the folded text below it.
func textCard(m channel.Message) object {
	if m.Folded != "" {
		return card(m.Text, nil, folded(m))
	}
	return card(m.Text, nil, markdown(m.Text, m.Mentions))
}

// folded returns a closed panel.
func folded(m channel.Message) object {
	return object{
		"tag": "collapsible_panel", "expanded": false,
		"header":   object{"title": plainText(summaryOf(m.Text))},
		"elements": []object{markdown(m.Folded, m.Mentions)},
	}
}

// maxSummary is how much of a card lists of chats show, in characters, and maxSummarized how much of it is read for that.
const (
	maxSummary    = 100
	maxSummarized = 2000
)

// summaryOf returns the beginning of a text on one line, without markup. Without a summary the platform shows a text such as that
// something is being generated.
func summaryOf(text string) string {
	text = inert(strings.Join(strings.Fields(format.Plain(inert(first(text, maxSummarized)))), " "))
	return cmp.Or(first(text, maxSummary), "…")
}

// first is at most so many characters of a text.
func first(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most])
	}
	return text
}

// markdown returns an element that shows Markdown.
func markdown(text string, names map[string]string) object {
	shown := mentioned(tabled(harmless(text)), names, func(id, _ string) string { return "<at id=" + id + "></at>" })
	return object{"tag": "markdown", "content": shown}
}

// config returns how a card behaves, and its text in lists of chats (config.summary of open.feishu.cn, "card JSON 2.0 structure").
func config(about string) object {
	return object{"update_multi": true, "summary": object{"content": summaryOf(about)}}
}

// card returns a card of the second version that may be changed for all users. Lists of chats show the beginning of about.
func card(about string, header object, elements ...object) object {
	c := object{"schema": "2.0", "config": config(about), "body": object{"elements": elements}}
	if header != nil {
		c["header"] = header
	}
	return c
}

// post returns a rich text with one piece of Markdown.
func post(text string, names map[string]string) object {
	shown := mentioned(harmless(text), names, func(id, name string) string { return `<at user_id="` + id + `">` + name + `</at>` })
	return object{"zh_cn": object{"content": [][]object{{{"tag": "md", "text": shown}}}}}
}

func plainText(s string) object { return object{"tag": "plain_text", "content": s} }

// encode makes JSON without escapes for HTML, which would count against the limits.
func encode(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // it has plain values only
	return strings.TrimSuffix(b.String(), "\n")
}
