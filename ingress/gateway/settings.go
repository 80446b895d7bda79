package gateway

import (
	"context"
	"strconv"
	"strings"

	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/command"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/preference"
)

// Preferences are what people set for themselves.
type Preferences interface {
	List(ctx context.Context, user chat.UserID, lang i18n.Lang) (list []preference.Setting, version int64, err error)
	Set(ctx context.Context, user chat.UserID, lang i18n.Lang, name, value string) (preference.Setting, error)
}

// The card of settings.
const (
	// CardChannel is the platform whose cards have fields to choose from.
	CardChannel = "feishu"
	// settingsID begins the id of the question of such a card; the person and the language follow.
	settingsID = "settings/"
	// maxOptions is how many values of a setting a card offers: a platform bounds its size.
	maxOptions = 20
)

// withCard adds the card of settings to what was answered to a bare /settings in a direct chat of a platform that has such cards.
func (m *inboundRequest) withCard(ctx context.Context, out Outcome) (Outcome, error) {
	typed, ok := command.Parse(m.e.Text)
	if !ok || typed.Name != "settings" || typed.Args != "" || m.Preferences == nil || m.e.Channel != CardChannel || !m.direct() {
		return out, nil
	}
	if out.Result != ResultAnswered && out.Result != ResultDuplicate {
		return out, nil
	}
	lang, err := m.Store.Speaks(ctx, m.user.ID, m.key, m.e.Text)
	if err != nil {
		return out, err
	}
	out.Card, err = m.settingsCard(ctx, m.user.ID, lang, "")
	return out, err
}

// settingsCard shows a person their settings, and above them what they have changed.
func (g *Gateway) settingsCard(ctx context.Context, user chat.UserID, lang i18n.Lang, said string) (*channel.Question, error) {
	list, _, err := g.Preferences.List(ctx, user, lang)
	if err != nil {
		return nil, err
	}
	q := &channel.Question{
		ID: settingsID + strconv.FormatInt(int64(user), 10) + "/" + string(lang), Title: i18n.Say(lang, i18n.PreferenceTitle), Text: said,
		Buttons: []channel.Button{{Name: chat.PressSend, Label: i18n.Say(lang, i18n.PreferenceSave), Style: "primary"}},
	}
	for _, s := range list {
		f := channel.Field{Name: s.Name, Label: s.Title + ": " + s.Shown}
		for _, o := range s.Options[:min(len(s.Options), maxOptions)] {
			f.Options = append(f.Options, o.Title)
		}
		q.Fields = append(q.Fields, f)
	}
	return q, nil
}

// pressSettings changes what was chosen on a card of settings, for the person whom it was made for and nobody else. The card shows the
// settings as they are then. The same press again changes nothing more.
func (g *Gateway) pressSettings(ctx context.Context, p channel.Press) (channel.Toast, error) {
	whose, word, _ := strings.Cut(strings.TrimPrefix(p.Question, settingsID), "/")
	lang := i18n.Lang(word)
	if lang != i18n.Chinese {
		lang = i18n.English
	}
	user, known, err := g.presser(ctx, chat.Address{ChatType: chat.ChatDirect, Chat: p.Chat, Peer: p.Sender}, p)
	if err != nil {
		return channel.Toast{}, err
	}
	if !known || g.Preferences == nil || whose != strconv.FormatInt(int64(user.ID), 10) {
		return channel.Toast{Kind: toastNo, Text: i18n.Say(lang, i18n.PreferenceNotYours)}, nil
	}
	list, _, err := g.Preferences.List(ctx, user.ID, lang)
	if err != nil {
		return channel.Toast{}, err
	}
	var said []string
	for _, s := range list {
		value, chosen := chosenOf(s, p.Values[s.Name])
		if !chosen || value == s.Value {
			continue
		}
		set, err := g.Preferences.Set(ctx, user.ID, lang, s.Name, value)
		switch fault.KindOf(err) {
		case "":
			said = append(said, i18n.Say(lang, i18n.PreferenceIs, set.Title, set.Shown))
		case fault.Invalid, fault.NotFound, fault.Conflict:
			said = append(said, i18n.Explain(lang, err))
		default:
			return channel.Toast{}, err
		}
	}
	toast := channel.Toast{Kind: toastDone, Text: i18n.Row(lang, said...)}
	if len(said) == 0 {
		toast = channel.Toast{Kind: toastPlain, Text: i18n.Say(lang, i18n.PreferenceSame)}
	}
	toast.Card, err = g.settingsCard(ctx, user.ID, lang, toast.Text)
	return toast, err
}

// chosenOf is the value that somebody chose by its title; false: they left the setting as it is.
func chosenOf(s preference.Setting, titles []string) (value string, chosen bool) {
	for _, title := range titles {
		for _, o := range s.Options {
			if o.Title == title {
				return o.Value, true
			}
		}
	}
	return "", false
}
