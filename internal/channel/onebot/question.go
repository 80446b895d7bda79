package onebot

import (
	"fmt"
	"strings"

	"xbot/internal/channel"
	"xbot/internal/channel/format"
	"xbot/internal/phrase"
)

// question writes a card as a text that is answered by a text: ordinary accounts of QQ have no buttons.
func question(q *channel.Question) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if t := strings.TrimSpace(q.Title); t != "" {
		line("%s", t)
	}
	if t := strings.TrimSpace(format.Plain(q.Text)); t != "" {
		line("%s", t)
	}
	lang := phrase.Of(q.Title + q.Text + labels(q))
	if len(q.Fields) == 0 {
		for i, button := range q.Buttons {
			line("%d. %s", i+1, button.Label)
		}
		line("%s", phrase.Say(lang, phrase.NumberedOne))
		return strings.TrimSpace(b.String())
	}
	for i, f := range q.Fields {
		if len(q.Fields) > 1 {
			line("\n%d) %s", i+1, f.Label)
		} else if f.Label != "" {
			line("%s", f.Label)
		}
		for j, option := range f.Options {
			line("%d. %s", j+1, option)
		}
	}
	line("\n%s", phrase.Say(lang, howTo(q.Fields)))
	return strings.TrimSpace(b.String())
}

func howTo(fields []channel.Field) phrase.ID {
	switch {
	case len(fields) > 1:
		return phrase.NumberedForm
	case len(fields[0].Options) == 0:
		return phrase.NumberedFree
	case fields[0].Multi:
		return phrase.NumberedSeveral
	}
	return phrase.NumberedOne
}

func labels(q *channel.Question) string {
	var b strings.Builder
	for _, f := range q.Fields {
		b.WriteString(f.Label)
	}
	return b.String()
}
