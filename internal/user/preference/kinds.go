package preference

import (
	"slices"
	"strings"

	"xbot/internal/automation/schedule"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/prompt"
)

// kind defines the values of a setting.
type kind interface {
	// values lists the offered values, the default first. now is offered, too.
	values(known choices, now string) []string
	say(lang i18n.Lang, value string) string
	// read returns the value that a user means.
	read(lang i18n.Lang, d definition, value string, known choices) (string, error)
	free() bool
}

// word is a value, and what it is called.
type word struct {
	value string
	title i18n.ID
}

// words are a setting that is one of them.
type words []word

func (w words) values(choices, string) (out []string) {
	for _, one := range w {
		out = append(out, one.value)
	}
	return out
}

func (w words) say(lang i18n.Lang, value string) string {
	for _, one := range w {
		if one.value == value {
			return i18n.Say(lang, one.title)
		}
	}
	return value
}

// read takes a value, or the word for it in the language of the user.
func (w words) read(lang i18n.Lang, d definition, value string, _ choices) (string, error) {
	if w[len(w)-1].value == "off" && strings.EqualFold(value, "on") {
		return "", nil // switches: on is what the installation has
	}
	var may []string
	for _, one := range w {
		if strings.EqualFold(one.value, strings.ReplaceAll(value, "-", "_")) || strings.EqualFold(i18n.Say(lang, one.title), value) {
			return one.value, nil
		}
		if one.value != "" {
			may = append(may, one.value)
		}
	}
	return "", notOne(lang, d, value, may)
}

func (words) free() bool { return false }

func notOne(lang i18n.Lang, d definition, value string, may []string) error {
	return i18n.Fault(fault.Invalid, i18n.PreferenceNotOne, i18n.Say(lang, d.title), chat.FirstWords(value, maxShown), strings.Join(append(may, "default"), ", "))
}

// levels are the think levels of a model.
type levels struct{}

func (levels) values(choices, string) []string {
	return append([]string{""}, chat.ThinkLevels...)
}

func (levels) say(lang i18n.Lang, value string) string {
	if value == "" {
		return i18n.Say(lang, i18n.PreferenceThinkOwn)
	}
	return value
}

func (levels) read(lang i18n.Lang, d definition, value string, _ choices) (string, error) {
	if level := strings.ToLower(value); level == "" || slices.Contains(chat.ThinkLevels, level) {
		return level, nil
	}
	return "", notOne(lang, d, value, slices.Clone(chat.ThinkLevels))
}

func (levels) free() bool { return false }

// offeredTongues are languages that are offered; there are others.
var offeredTongues = []string{"zh", "en", "ja", "ko", "de", "fr", "es", "pt", "ru", "it"}

// tongues are the languages of answers.
type tongues struct{}

func (tongues) values(_ choices, now string) []string {
	return offer(now, offeredTongues...)
}

func (tongues) say(lang i18n.Lang, value string) string {
	if value == "" {
		return i18n.Say(lang, i18n.PreferenceAsWritten)
	}
	return i18n.LanguageName(lang, prompt.LanguageName(value))
}

func (tongues) read(_ i18n.Lang, _ definition, value string, _ choices) (string, error) {
	if strings.EqualFold(value, "auto") || value == "" {
		return "", nil
	}
	if prompt.LanguageName(value) == "" {
		return "", i18n.Fault(fault.Invalid, i18n.PreferenceNoTongue, chat.FirstWords(value, maxShown))
	}
	return value, nil
}

func (tongues) free() bool { return true }

// pageTongues are the languages of the page.
type pageTongues struct{}

func (pageTongues) values(choices, string) []string { return []string{"", "en", "zh"} }

func (pageTongues) say(lang i18n.Lang, value string) string {
	if value == "" {
		return i18n.Say(lang, i18n.PreferenceDevice)
	}
	return i18n.LanguageName(lang, prompt.LanguageName(value))
}

func (p pageTongues) read(lang i18n.Lang, d definition, value string, known choices) (string, error) {
	if value = strings.ToLower(value); slices.Contains(p.values(known, ""), value) {
		return value, nil
	}
	return "", notOne(lang, d, value, []string{"en", "zh"})
}

func (pageTongues) free() bool { return false }

// offeredZones are timezones that are offered; there are others.
var offeredZones = []string{
	"Asia/Shanghai", "Asia/Hong_Kong", "Asia/Singapore", "Asia/Tokyo", "Asia/Kolkata", "Europe/London", "Europe/Berlin", "Europe/Moscow",
	"America/New_York", "America/Chicago", "America/Los_Angeles", "Australia/Sydney", "UTC",
}

// zones are timezones.
type zones struct{}

func (zones) values(_ choices, now string) []string { return offer(now, offeredZones...) }

func (zones) say(lang i18n.Lang, value string) string {
	if value == "" {
		return i18n.Say(lang, i18n.PreferenceDefault)
	}
	return value
}

func (zones) read(_ i18n.Lang, _ definition, value string, _ choices) (string, error) {
	if value == "" || strings.EqualFold(value, "none") {
		return "", nil
	}
	if _, err := schedule.Zone(value); err != nil {
		return "", i18n.Fault(fault.Invalid, i18n.ProfileBadZone, chat.FirstWords(value, maxShown))
	}
	return value, nil
}

func (zones) free() bool { return true }

// maxModels bounds the models that are offered: a gateway has hundreds.
const maxModels = 100

// models are those of the user.
type models struct{}

func (models) values(known choices, now string) []string {
	var ids []string
	for _, e := range known.Entries[:min(len(known.Entries), maxModels)] {
		ids = append(ids, e.ID)
	}
	return offer(now, ids...)
}

func (models) say(lang i18n.Lang, value string) string {
	if value == "" {
		return i18n.Say(lang, i18n.PreferenceDefault)
	}
	return value
}

func (models) read(_ i18n.Lang, _ definition, value string, known choices) (string, error) {
	if value == "" {
		return "", nil
	}
	id, ok := known.Resolve(value)
	if !ok {
		return "", i18n.Fault(fault.Invalid, i18n.PreferenceNoModel, chat.FirstWords(value, maxShown))
	}
	return id, nil
}

func (models) free() bool { return true }

// offer returns the default, the current value, and the others.
func offer(now string, others ...string) []string {
	out := []string{""}
	if now != "" && !slices.Contains(others, now) {
		out = append(out, now)
	}
	return append(out, others...)
}
