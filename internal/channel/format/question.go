package format

import (
	"fmt"
	"strings"

	"xbot/internal/channel"
	"xbot/internal/i18n"
)

// Question writes a card as a plain text that is answered by a text, for platforms without buttons.
func Question(q *channel.Question) string {
	var b strings.Builder
	line := func(form string, args ...any) { fmt.Fprintf(&b, form+"\n", args...) }
	if t := strings.TrimSpace(q.Title); t != "" {
		line("%s", t)
	}
	if t := strings.TrimSpace(Plain(q.Text)); t != "" {
		line("%s", t)
	}
	lang := language(q.Title, labels(q), q.Text)
	if len(q.Fields) == 0 {
		for i, button := range q.Buttons {
			line("%d. %s", i+1, button.Label)
		}
		line("%s", i18n.Say(lang, i18n.NumberedOne))
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
	line("\n%s", i18n.Say(lang, howTo(q.Fields)))
	return strings.TrimSpace(b.String())
}

func howTo(fields []channel.Field) i18n.ID {
	switch {
	case len(fields) > 1:
		return i18n.NumberedForm
	case len(fields[0].Options) == 0:
		return i18n.NumberedFree
	case fields[0].Multi:
		return i18n.NumberedSeveral
	}
	return i18n.NumberedOne
}

// language returns that of the first text that reveals one: titles are sentences of the product, texts may quote anything.
func language(texts ...string) (lang i18n.Lang) {
	for _, text := range texts {
		told, tells := i18n.DetectLanguage(text)
		if lang = told; tells {
			break
		}
	}
	return lang
}

func labels(q *channel.Question) string {
	var b strings.Builder
	for _, f := range q.Fields {
		b.WriteString(f.Label)
	}
	return b.String()
}
