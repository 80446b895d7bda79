package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/command"
	"xbot/internal/user/preference"
	"xbot/internal/user/users"
)

// Preferences are the settings of users.
type Preferences interface {
	List(ctx context.Context, user chat.UserID, lang i18n.Lang) (list []preference.Setting, version int64, err error)
	Set(ctx context.Context, user chat.UserID, lang i18n.Lang, name, value string) (preference.Setting, error)
}

// The card of settings.
const (
	// CardChannel is the platform whose cards have fields to choose from.
	CardChannel = "feishu"
	// settingsID begins the id of the question of such a card; the user, the language and the stamp of its content follow.
	settingsID = "settings/"
	// maxOptions is how many values of a setting a card offers: a platform bounds its size.
	maxOptions = 20
)

// withCard adds the card of settings to the answer to a bare /settings in a direct chat of a platform that has such cards.
func (m *inboundRequest) withCard(ctx context.Context, out Outcome) (Outcome, error) {
	typed, ok := command.Parse(m.e.Text)
	if !ok || typed.Name != "settings" || typed.Args != "" || m.Preferences == nil || m.e.Channel != CardChannel || !m.direct() {
		return out, nil
	}
	if out.Result != ResultAnswered && out.Result != ResultDuplicate {
		return out, nil
	}
	lang, err := m.spoken(ctx)
	if err != nil {
		return out, err
	}
	out.Card, err = m.settingsCard(ctx, m.user, lang, "")
	return out, err
}

// settingsCard shows a user their settings, and above them their changes; to an administrator also where the installation's are.
func (g *Gateway) settingsCard(ctx context.Context, user users.User, lang i18n.Lang, said string) (*channel.Question, error) {
	list, version, err := g.Preferences.List(ctx, user.ID, lang)
	if err != nil {
		return nil, err
	}
	q := &channel.Question{
		ID: settingsID + strings.Join([]string{strconv.FormatInt(int64(user.ID), 10), string(lang), stamp(list, version)}, "/"), Title: i18n.Say(lang, i18n.PreferenceTitle), Text: said,
		Buttons: []channel.Button{{Name: chat.PressSend, Label: i18n.Say(lang, i18n.PreferenceSave), Style: "primary"}},
	}
	if user.Admin && g.Base != "" {
		q.Text = strings.TrimSpace(said + "\n\n" + i18n.Say(lang, i18n.PreferenceLimits, g.Base+"/settings/limits"))
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

// stamp differs between settings before and after a change.
func stamp(list []preference.Setting, version int64) string {
	h := sha256.New()
	fmt.Fprintln(h, version)
	for _, s := range list {
		fmt.Fprintf(h, "%q %q\n", s.Name, s.Value)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// pressSettings changes the settings that were chosen on a card, only for the user of the card. The card shows the settings as they are
// then. A card that shows other settings than those of now changes nothing, so the same press again does not either, however late the
// platform brings it.
func (g *Gateway) pressSettings(ctx context.Context, p channel.Press) (channel.Toast, error) {
	whose, rest, _ := strings.Cut(strings.TrimPrefix(p.Question, settingsID), "/")
	word, made, _ := strings.Cut(rest, "/")
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
	list, version, err := g.Preferences.List(ctx, user.ID, lang)
	if err != nil {
		return channel.Toast{}, err
	}
	chosen := map[string]string{}
	for _, s := range list {
		if value, ok := chosenOf(s, p.Values[s.Name]); ok && value != s.Value {
			chosen[s.Name] = value
		}
	}
	var toast channel.Toast
	switch {
	case len(chosen) == 0:
		toast = channel.Toast{Kind: toastPlain, Text: i18n.Say(lang, i18n.PreferenceSame)}
	case made != stamp(list, version):
		toast = channel.Toast{Kind: toastLate, Text: i18n.Say(lang, i18n.PreferenceStale)}
	default:
		if toast, err = g.choose(ctx, user.ID, lang, list, chosen); err != nil {
			return channel.Toast{}, err
		}
	}
	toast.Card, err = g.settingsCard(ctx, user, lang, toast.Text)
	return toast, err
}

// choose changes settings and names their new values.
func (g *Gateway) choose(ctx context.Context, user chat.UserID, lang i18n.Lang, list []preference.Setting, chosen map[string]string) (channel.Toast, error) {
	var said []string
	for _, s := range list {
		value, ok := chosen[s.Name]
		if !ok {
			continue
		}
		set, err := g.Preferences.Set(ctx, user, lang, s.Name, value)
		switch fault.KindOf(err) {
		case "":
			said = append(said, i18n.Say(lang, i18n.PreferenceIs, set.Title, set.Shown))
		case fault.Invalid, fault.NotFound, fault.Conflict:
			said = append(said, i18n.Explain(lang, err))
		default:
			return channel.Toast{}, err
		}
	}
	return channel.Toast{Kind: toastDone, Text: i18n.Row(lang, said...)}, nil
}

// chosenOf returns the value whose title a user chose. It returns false if they left the setting as it is.
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
