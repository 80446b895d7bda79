package prompt

import (
	"context"
	"regexp"
	"strings"

	"xbot/internal/chat"
)

// Sender names the sender.
type Sender struct{}

var _ Middleware = Sender{}

// Order returns the position of the section.
func (Sender) Order() int { return 130 }

// Name is used in errors.
func (Sender) Name() string { return "sender" }

// Process adds the name, which users choose themselves: it is quoted and short. In a group it describes the group: the sender precedes each
// message.
func (Sender) Process(_ context.Context, a *Assembly) error {
	if a.Scene.Group {
		a.Parts["30_sender"] = groupText(a.Scene)
		return nil
	}
	if name := short(strings.ReplaceAll(a.Scene.UserName, `"`, "'"), 80); name != "" {
		a.Parts["30_sender"] = `You talk with "` + name + `".`
	}
	return nil
}

// mentioning are the channels on which a name after an @ becomes a mention.
var mentioning = map[string]bool{"feishu": true, "qq": true, "napcat": true}

func groupText(s chat.Scene) string {
	where := "You are in a group chat"
	if name := short(strings.ReplaceAll(s.Subject, `"`, "'"), 80); name != "" {
		where += ` called "` + name + `"`
	}
	text := where + ". Several people write here. The bracket before a message says from whom it is, where that is known; do not take one of them for another. " +
		"Your answer goes to all of them."
	if mentioning[s.Channel] {
		text += " To mention whoever wrote, or somebody who was mentioned, write @ and their name exactly as it stands there, as in @Alice, outside of code."
	}
	return text
}

// Language is the language in which the user wants answers, if they chose one.
type Language struct{}

var _ Middleware = Language{}

// Order returns the position of the section.
func (Language) Order() int { return 135 }

// Name is used in errors.
func (Language) Name() string { return "language" }

// languages are the names of common choices.
var languages = map[string]string{
	"en": "English", "zh": "Chinese", "zh-cn": "Chinese", "zh-tw": "Traditional Chinese", "ja": "Japanese", "ko": "Korean", "de": "German", "fr": "French",
	"es": "Spanish", "pt": "Portuguese", "ru": "Russian", "it": "Italian",
}

var otherLanguage = regexp.MustCompile(`^[\p{L}][\p{L} -]{1,39}$`)

// LanguageName returns the name of a choice of language, empty if it is invalid.
func LanguageName(choice string) string {
	choice = strings.TrimSpace(choice)
	if name, ok := languages[strings.ToLower(choice)]; ok {
		return name
	}
	if otherLanguage.MatchString(choice) {
		return choice
	}
	return ""
}

// Process adds the choice.
func (Language) Process(_ context.Context, a *Assembly) error {
	if name := LanguageName(a.Scene.Language); name != "" {
		a.Parts["32_language"] = "The person chose " + name + ": answer in it, whatever language they write, unless they ask for another one."
	}
	return nil
}
