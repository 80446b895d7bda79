package feishu

import (
	"encoding/json"

	"xbot/internal/channel"
)

const (
	// maxCard bounds a card and a rich text as JSON, and maxPlain a text, in bytes: the platform's limits, less what it adds.
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

// renderings are the ways to show a text, the best first: a card, rich text, text. Those that would be too large are left out.
func renderings(m channel.Message) []rendered {
	text := inert(m.Text)
	var all []rendered
	if c := encode(textCard(m.Text, m.Mentions)); len(c) <= maxCard {
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

// textCard is a card that shows a text.
func textCard(text string, names map[string]string) object {
	return card(nil, markdown(text, names))
}

// markdown is an element that shows Markdown.
func markdown(text string, names map[string]string) object {
	shown := mentioned(tabled(outsideCode(inert(text), linked)), names, func(id, _ string) string { return "<at id=" + id + "></at>" })
	return object{"tag": "markdown", "content": shown}
}

// card is a card of the second version that may be changed for everybody.
func card(header object, elements ...object) object {
	c := object{"schema": "2.0", "config": object{"update_multi": true}, "body": object{"elements": elements}}
	if header != nil {
		c["header"] = header
	}
	return c
}

// post is a rich text with one piece of Markdown.
func post(text string, names map[string]string) object {
	shown := mentioned(outsideCode(text, linked), names, func(id, name string) string { return `<at user_id="` + id + `">` + name + `</at>` })
	return object{"zh_cn": object{"content": [][]object{{{"tag": "md", "text": shown}}}}}
}

func plainText(s string) object { return object{"tag": "plain_text", "content": s} }

// encode makes JSON without escapes for HTML, which would count against the limits.
func encode(v any) string {
	var b jsonBuffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // it has plain values only
	return string(b[:max(0, len(b)-1)])
}

type jsonBuffer []byte

func (b *jsonBuffer) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}
