// Package preference describes the settings of a user: the names, the values and what each may be. The page, the card of
// a platform, the panel of the terminal and the slash command all show these definitions.
package preference

import (
	"context"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/extension/role"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/llm/catalogue"
	"xbot/internal/user/notices"
	"xbot/internal/user/settings"
)

// Option is a value that a setting may have.
type Option struct {
	Value string `json:"value" doc:"Empty: the default."`
	Title string `json:"title" doc:"In the person's language."`
}

// Setting is one setting of a user.
type Setting struct {
	Name    string   `json:"name" example:"language"`
	Title   string   `json:"title" doc:"In the person's language." example:"Language of answers"`
	Value   string   `json:"value" doc:"Empty: the default."`
	Shown   string   `json:"shown" doc:"The value in words." example:"Chinese"`
	Options []Option `json:"options" doc:"The default first; of models at most 100."`
	Free    bool     `json:"free" doc:"Values other than the options are allowed."`
}

// Memory is the store of user profiles.
type Memory interface {
	Profile(ctx context.Context, user chat.UserID) (chat.UserProfile, error)
	SetProfile(ctx context.Context, user chat.UserID, p chat.UserProfile) (chat.UserProfile, error)
}

// Notices is the store of the settings for notices about turns.
type Notices interface {
	SetTurnNotices(ctx context.Context, user chat.UserID, n notices.TurnNotices) error
	TurnNoticeChats(ctx context.Context, user chat.UserID) ([]notices.DirectChat, error)
	TurnNotices(ctx context.Context, user chat.UserID) (notices.TurnNotices, error)
}

// Settings is the store of the preferences of users.
type Settings interface {
	Preferences(ctx context.Context, user chat.UserID) (chosen map[settings.UserSetting]string, version int64, err error)
	SetUserSetting(ctx context.Context, user chat.UserID, key settings.UserSetting, value string) error
}

// Models provides the models of a user.
type Models interface {
	Get(ctx context.Context, user chat.UserID) (catalogue.Catalogue, error)
}

// Service shows and changes settings. It is safe for concurrent use.
type Service struct {
	Memory   Memory
	Notices  Notices
	Settings Settings
	Models   Models
}

// choices are the values to choose from.
type choices struct {
	catalogue.Catalogue

	chats []notices.DirectChat
}

// zone is the setting that is in the profile.
const zone = "timezone"

// tierPrefix begins the names of the settings for the models of tiers, as in the store.
const tierPrefix = "tier_"

// definition is a setting, the same for all users.
type definition struct {
	name  string // in the store, and for users
	title i18n.ID
	kind  kind
}

// definitions are all settings, in the order in which users see them.
var definitions = []definition{
	{string(settings.Language), i18n.PreferenceLanguage, tongues{}},
	{zone, i18n.PreferenceZone, zones{}},
	{string(settings.Model), i18n.PreferenceModel, models{}},
	{tierPrefix + role.Vanguard, i18n.PreferenceVanguard, models{}},
	{tierPrefix + role.Balance, i18n.PreferenceBalance, models{}},
	{tierPrefix + role.Swift, i18n.PreferenceSwift, models{}},
	{string(settings.Think), i18n.PreferenceThink, levels{}},
	{string(settings.ContextMode), i18n.PreferenceContext, words{{"", i18n.PreferenceDefault}, {"auto", i18n.PreferenceContextAuto}, {"none", i18n.PreferenceContextNone}}},
	{string(settings.Preset), i18n.PreferencePreset, words{
		{"", i18n.PreferenceDefault}, {string(chat.PresetReadOnly), i18n.PreferenceReadOnly}, {string(chat.PresetAsk), i18n.PreferenceAsk}, {string(chat.PresetAuto), i18n.PreferenceAuto},
	}},
	{string(settings.Memory), i18n.PreferenceMemory, words{{"", i18n.PreferenceOn}, {"off", i18n.PreferenceOff}}},
	{string(settings.Soul), i18n.PreferenceSoul, words{{"", i18n.PreferenceOn}, {"off", i18n.PreferenceOff}}},
	{string(settings.AgentNotes), i18n.PreferenceNotes, words{{"", i18n.PreferenceNotesOpen}, {"locked", i18n.PreferenceNotesLocked}}},
	{string(settings.Titles), i18n.PreferenceTitles, words{{"", i18n.PreferenceOn}, {"off", i18n.PreferenceOff}}},
	{turnNotices, i18n.PreferenceNotices, chats{}},
	{string(settings.Theme), i18n.PreferenceTheme, words{{"", i18n.PreferenceDevice}, {"auto", i18n.PreferenceSystem}, {"light", i18n.PreferenceLight}, {"dark", i18n.PreferenceDark}}},
	{string(settings.PageLanguage), i18n.PreferencePageLanguage, pageTongues{}},
}

// List returns a user's settings with the version of what they chose; titles are in lang.
func (d Service) List(ctx context.Context, user chat.UserID, lang i18n.Lang) (list []Setting, version int64, err error) {
	chosen, version, err := d.Settings.Preferences(ctx, user)
	if err != nil {
		return nil, 0, err
	}
	profile, err := d.Memory.Profile(ctx, user)
	if err != nil {
		return nil, 0, err
	}
	told, err := d.Notices.TurnNotices(ctx, user)
	if err != nil {
		return nil, 0, err
	}
	known, err := d.known(ctx, user)
	if err != nil {
		return nil, 0, err
	}
	for _, def := range definitions {
		value := chosen[settings.UserSetting(def.name)]
		switch {
		case def.name == zone:
			value = profile.Timezone
		case def.name == turnNotices && told.To != nil:
			value = chatName(*told.To)
		}
		list = append(list, def.shown(lang, value, known))
	}
	return list, version, nil
}

func (d Service) known(ctx context.Context, user chat.UserID) (choices, error) {
	models, err := d.Models.Get(ctx, user)
	if err != nil {
		return choices{}, err
	}
	chats, err := d.Notices.TurnNoticeChats(ctx, user)
	return choices{models, chats}, err
}

// shown returns the setting as a user with the given value sees it.
func (d definition) shown(lang i18n.Lang, value string, known choices) Setting {
	s := Setting{Name: d.name, Title: i18n.Say(lang, d.title), Value: value, Shown: d.kind.say(lang, value), Options: []Option{}, Free: d.kind.free()}
	for _, v := range d.kind.values(known, value) {
		s.Options = append(s.Options, Option{v, d.kind.say(lang, v)})
	}
	return s
}

// Set chooses a value of a setting, and returns the setting as it is then. Empty and "default" are the default. It returns NotFound if there is
// no such setting. It returns Invalid if it cannot have the value; the error lists in the user's language what it can have.
func (d Service) Set(ctx context.Context, user chat.UserID, lang i18n.Lang, name, value string) (Setting, error) {
	def, ok := find(name)
	if !ok {
		return Setting{}, i18n.Fault(fault.NotFound, i18n.PreferenceUnknown, chat.FirstWords(name, maxShown), strings.Join(Names(), ", "))
	}
	known, err := d.known(ctx, user)
	if err != nil {
		return Setting{}, err
	}
	value = strings.TrimSpace(chat.Clean(value))
	if strings.EqualFold(value, "default") {
		value = ""
	}
	if value, err = def.kind.read(lang, def, value, known); err != nil {
		return Setting{}, err
	}
	switch def.name {
	case zone:
		err = d.setZone(ctx, user, value)
	case turnNotices:
		err = d.setNotices(ctx, user, value, known)
	default:
		err = d.Settings.SetUserSetting(ctx, user, settings.UserSetting(def.name), value)
	}
	return def.shown(lang, value, known), err
}

// Localize returns a setting with its title and its value in another language.
func Localize(lang i18n.Lang, s Setting) Setting {
	if def, ok := find(s.Name); ok {
		s.Title, s.Shown = i18n.Say(lang, def.title), def.kind.say(lang, s.Value)
	}
	return s
}

func (d Service) setZone(ctx context.Context, user chat.UserID, value string) error {
	profile, err := d.Memory.Profile(ctx, user)
	if err != nil {
		return err
	}
	profile.Timezone = value
	_, err = d.Memory.SetProfile(ctx, user, profile)
	if fault.Is(err, fault.Conflict) {
		return i18n.Fault(fault.Conflict, i18n.PreferenceTooLate)
	}
	return err
}

// Means reports whether written is the name of a setting: also with hyphens, and the tiers without their prefix.
func Means(written, name string) bool {
	written = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(written)), "-", "_")
	return name == written || name == tierPrefix+written
}

func find(name string) (definition, bool) {
	i := slices.IndexFunc(definitions, func(d definition) bool { return Means(name, d.name) })
	if i < 0 {
		return definition{}, false
	}
	return definitions[i], true
}

// Names returns the settings, by what they are set with.
func Names() []string {
	names := make([]string, len(definitions))
	for i, d := range definitions {
		names[i] = d.name
	}
	return names
}

// maxShown is how much of a user's text is quoted back, in characters.
const maxShown = 60
