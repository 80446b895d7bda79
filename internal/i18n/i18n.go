// Package i18n is the catalogue of the product's sentences for users, in English and Chinese. It is the only place where such sentences are written.
package i18n

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// Lang is a language of the catalogue.
type Lang string

// The languages.
const (
	English Lang = "en"
	Chinese Lang = "zh"
)

// Of guesses the language of a text: Chinese when it has a Han character, else English.
func Of(text string) Lang {
	for _, r := range text {
		if unicode.Is(unicode.Han, r) {
			return Chinese
		}
	}
	return English
}

// ID names a sentence.
type ID string

// catalogues hold all sentences, one for each part of the product.
var catalogues = []map[ID]map[Lang]string{
	turns, calls, bangs, links, runners, folders, commandHelp, history, resets, rooms, usage, contextNotices, prompts, gateway, numbered, access,
	memories, profiles, subagents, apps, groups, channels, trial, asks, edits, queues, crons, cronTimes, triggers, serviceInbox, todos, permissions,
	context, models, slashes, refusals, progress, feedback, inquiries, changedTools, plans, files, hooks, notices, preferences, oauths,
}

// placeholder is a place of a sentence for something that differs.
var placeholder = regexp.MustCompile(`%(\[\d+\])?[a-z]`)

// Is reports whether a text is one of the sentences, in any language and with any arguments.
func Is(text string, ids ...ID) bool {
	for _, id := range ids {
		for _, lang := range []Lang{English, Chinese} {
			if format := Say(lang, id); format != "" && is(text, placeholder.Split(format, -1)) {
				return true
			}
		}
	}
	return false
}

// is reports whether a text begins with the first part, and has the others in their order.
func is(text string, parts []string) bool {
	rest, ok := strings.CutPrefix(text, parts[0])
	for _, part := range parts[1:] {
		if !ok {
			return false
		}
		_, rest, ok = strings.Cut(rest, part)
	}
	return ok
}

// Say returns the sentence in the language, English where there is no translation. What the model reads is English.
func Say(lang Lang, id ID, args ...any) string {
	for _, sentences := range catalogues {
		said, known := sentences[id]
		if !known {
			continue
		}
		format := cmp.Or(said[lang], said[English])
		if len(args) == 0 {
			return format
		}
		return fmt.Sprintf(format, args...)
	}
	return ""
}
