package qq

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"xbot/internal/channel"
)

// QQ's limits of buttons.
const (
	maxRows    = 5
	maxInRow   = 5
	maxLabel   = 10 // characters
	shortLabel = 4  // characters of a label that leaves space for others in its row
)

// keyboard are the buttons below a message. An account is no channel.Asker for them: they answer simple questions alone, and
// a message of QQ cannot be changed once it is settled. The client shows which one was pressed and greys the others.
type keyboard struct {
	Content struct {
		Rows []row `json:"rows"`
	} `json:"content"`
}

type row struct {
	Buttons []button `json:"buttons"`
}

type button struct {
	ID     string `json:"id"`
	Group  string `json:"group_id"` // the press of one greys the others
	Render struct {
		Label   string `json:"label"`
		Visited string `json:"visited_label"`
		Style   int    `json:"style"` // 0 grey, 1 blue
	} `json:"render_data"`
	Action struct {
		Type       int            `json:"type"` // 1: the bot is notified
		Permission map[string]int `json:"permission"`
		Data       string         `json:"data"`
		Tips       string         `json:"unsupport_tips"`
	} `json:"action"`
}

// keyboardOf returns buttons for a question that one press answers: buttons alone, or one field with few options. Nil: the
// question is answered in words.
func keyboardOf(q channel.Question) *keyboard {
	var all []button
	actions := q.Buttons
	switch {
	case len(q.Fields) == 0:
	case len(q.Fields) == 1 && !q.Fields[0].Multi && len(q.Fields[0].Options) > 0:
		// An option sends the form, so the first button, which would, is not shown.
		send := ""
		if len(actions) > 0 {
			send, actions = actions[0].Name, actions[1:]
		}
		f := q.Fields[0]
		for i, o := range f.Options {
			label := o
			if utf8.RuneCountInString(o) > maxLabel {
				label = fmt.Sprint(i + 1) // the text lists them by number
			}
			all = append(all, buttonOf(len(all), label, "", choice{Question: q.ID, Button: send, Field: f.Name, Value: o}))
		}
	default:
		return nil
	}
	for _, b := range actions {
		all = append(all, buttonOf(len(all), b.Label, b.Style, choice{Question: q.ID, Button: b.Name}))
	}
	return arranged(all)
}

func buttonOf(n int, label, style string, c choice) button {
	data, err := json.Marshal(c)
	if err != nil {
		data = nil // strings always encode
	}
	var b button
	b.ID, b.Group = fmt.Sprint(n+1), "answer"
	b.Render.Label, b.Render.Visited = cut(label, maxLabel), cut("✓ "+label, maxLabel)
	if style == "primary" {
		b.Render.Style = 1
	}
	b.Action.Type, b.Action.Permission, b.Action.Data = 1, map[string]int{"type": 2}, string(data)
	b.Action.Tips = cut(label, maxLabel)
	return b
}

// arranged puts buttons into rows: short ones side by side, others two in a row.
func arranged(all []button) *keyboard {
	if len(all) == 0 {
		return nil
	}
	width := maxInRow
	for _, b := range all {
		if utf8.RuneCountInString(b.Render.Label) > shortLabel {
			width = 2
		}
	}
	if len(all) > width*maxRows {
		width = maxInRow
	}
	if len(all) > width*maxRows {
		return nil
	}
	var k keyboard
	for len(all) > 0 {
		n := min(width, len(all))
		k.Content.Rows = append(k.Content.Rows, row{Buttons: all[:n:n]})
		all = all[n:]
	}
	return &k
}

func cut(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most])
	}
	return text
}

// questionText returns a question in words, with numbers to answer by. Without buttons below it, they are listed as well.
func questionText(q channel.Question, buttons bool) string {
	var b strings.Builder
	paragraph := func(text string) {
		if text = strings.TrimSpace(text); text != "" {
			fmt.Fprintf(&b, "%s\n\n", text)
		}
	}
	if q.Title != "" {
		paragraph("**" + q.Title + "**")
	}
	paragraph(q.Text)
	for _, f := range q.Fields {
		paragraph(f.Label)
		for i, o := range f.Options {
			fmt.Fprintf(&b, "%d. %s\n", i+1, o)
		}
		if len(f.Options) > 0 {
			b.WriteString("\n")
		}
	}
	if len(q.Fields) == 0 && !buttons {
		for i, o := range q.Buttons {
			fmt.Fprintf(&b, "%d. %s\n", i+1, o.Label)
		}
	}
	return strings.TrimSpace(b.String())
}
