package choice

import (
	"context"
	"fmt"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/llm/catalogue"
)

// Catalog describes which models there are and which one answers.
type Catalog struct{ *Choice }

// Resolve returns the id of the model that a word means. An error of kind Invalid lists in a sentence what the word may
// mean, or which models there are.
func (d Catalog) Resolve(ctx context.Context, key chat.SessionKey, word string) (id string, err error) {
	w, err := Wanted(ctx, d.Store, key)
	if err != nil {
		return "", err
	}
	models, err := d.Models.At(ctx, w.User, w.Subscriptions)
	if err != nil {
		return "", err
	}
	switch found := models.Candidates(word); len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", i18n.Fault(fault.Invalid, i18n.ModelUnknown, word, quotedIDs(idsOf(models)))
	default:
		return "", i18n.Fault(fault.Invalid, i18n.ModelAmbiguous, word, quotedIDs(found))
	}
}

func idsOf(models catalogue.Catalogue) []string {
	ids := make([]string, len(models.Entries))
	for i, e := range models.Entries {
		ids[i] = e.ID
	}
	return ids
}

// maxListed bounds the models in a list: a gateway offers hundreds.
const maxListed = 50

// maxNamed bounds the models that a sentence names.
const maxNamed = 20

func quotedIDs(ids []string) string {
	more := ""
	if len(ids) > maxNamed {
		ids, more = ids[:maxNamed], " …"
	}
	return "`" + strings.Join(ids, "`, `") + "`" + more
}

// List returns the list of models, Markdown.
func (d Catalog) List(ctx context.Context, key chat.SessionKey, lang i18n.Lang) (string, error) {
	w, err := Wanted(ctx, d.Store, key)
	if err != nil {
		return "", err
	}
	models, err := d.Models.At(ctx, w.User, w.Subscriptions)
	if err != nil {
		return "", err
	}
	now, err := d.For(ctx, key)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	shown := models.Entries[:min(len(models.Entries), maxListed)]
	for _, e := range shown {
		fmt.Fprintf(&b, "* `%s`", e.ID)
		if len(e.Alias) > 0 {
			b.WriteString(" (" + strings.Join(e.Alias, ", ") + ")")
		}
		fmt.Fprintf(&b, " · %dk", e.MaxContext/1000)
		if e.ID == now.Model() {
			b.WriteString(" · " + i18n.Say(lang, i18n.ModelHere))
		}
		if yes, known := d.Models.Available(e); known && !yes {
			b.WriteString(" · " + i18n.Say(lang, i18n.ModelUnavailable))
		}
		b.WriteString("\n")
	}
	if more := len(models.Entries) - len(shown); more > 0 {
		b.WriteString("* " + i18n.Say(lang, i18n.ModelMore, more) + "\n")
	}
	return b.String() + "\n" + i18n.Say(lang, i18n.ModelHowTo), nil
}

// Status describes which model answers in a session, how much it thinks, and who decided that.
func (d Catalog) Status(ctx context.Context, key chat.SessionKey, lang i18n.Lang) (string, error) {
	now, decision, err := d.Decided(ctx, key)
	if err != nil {
		return "", err
	}
	text := i18n.Say(lang, i18n.ModelIs, now.Model(), i18n.Say(lang, sources[decision.ModelSource]))
	if decision.Think == "" {
		return i18n.Row(lang, text, i18n.Say(lang, i18n.ThinkIsOwn)), nil
	}
	return i18n.Row(lang, text, i18n.Say(lang, i18n.ThinkIs, decision.Think, i18n.Say(lang, sources[decision.ThinkSource]))), nil
}

var sources = map[Source]i18n.ID{
	FromMessage: i18n.ChosenForMessage, FromSession: i18n.ChosenHere, FromScene: i18n.ChosenForScene, FromAgent: i18n.ChosenForAgent,
	FromRunner: i18n.ChosenByRunner, FromPerson: i18n.ChosenByPerson, FromPolicy: i18n.ChosenByPolicy, FromNobody: i18n.ChosenByNobody,
}
