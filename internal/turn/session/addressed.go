package session

import (
	"regexp"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/turn/policy"
)

// The values of /activation, which sets when a message in a group addresses the bot.
const (
	ActivationMention = "mention"
	ActivationAlways  = "always"
)

// Addressed reports whether a message addresses the bot, and returns the text without the prefix that did so. In direct messages it always
// does. In groups the trigger mode of the channel decides; the setting of the group (requireMention) overrides it, and /activation overrides
// both. A command addresses every bot that receives it; Scene decides which one answers in a thread.
func Addressed(c policy.Channel, e chat.Envelope, activation string) (text string, ok bool) {
	text = strings.TrimSpace(e.Text)
	if e.ChatType == chat.ChatDirect || e.ChatType == "" {
		return text, true
	}
	prefix := strings.TrimSpace(c.TriggerPrefix)
	rest, hasPrefix := text, false
	if prefix != "" {
		rest, hasPrefix = cutPrefix(text, prefix)
	}
	group, _ := c.Group(e.Chat)
	switch {
	case IsCommand(text):
		return text, true
	case c.TriggerMode == policy.TriggerPrefix && hasPrefix:
		return rest, true
	case c.TriggerMode == policy.TriggerWithoutPrefix && hasPrefix:
		return text, false
	case activation == ActivationAlways:
		return text, true
	case activation == ActivationMention:
		return text, mentions(c, e)
	case group.RequireMention != nil && !*group.RequireMention:
		return text, true
	case group.RequireMention != nil && c.TriggerMode != policy.TriggerPrefix:
		return text, mentions(c, e)
	}
	return text, triggered(c, e)
}

// triggered applies the trigger mode alone, prefixes aside.
func triggered(c policy.Channel, e chat.Envelope) bool {
	switch c.TriggerMode {
	case policy.TriggerPrefix:
		return false
	case policy.TriggerWithoutPrefix, policy.TriggerAll:
		return true
	}
	return mentions(c, e)
}

// mentions reports whether a message names the bot, answers to it, or matches one of the patterns.
func mentions(c policy.Channel, e chat.Envelope) bool {
	if e.Mentioned || e.Answers {
		return true
	}
	for _, pattern := range c.MentionPatterns {
		if re, err := regexp.Compile("(?i)" + pattern); err == nil && re.MatchString(e.Text) {
			return true
		}
	}
	return false
}

// Named reports whether a message names the bot, answers to it, or matches one of the patterns.
func Named(c policy.Channel, e chat.Envelope) bool { return mentions(c, e) }

// HearsAll reports whether messages of a group that do not name the bot reach it.
func HearsAll(c policy.Channel, group string, scene, activation string) bool {
	g, _ := c.Group(group)
	switch {
	case scene == chat.SceneWork || activation == ActivationMention:
		return false
	case scene == chat.SceneChat || activation == ActivationAlways:
		return true
	case g.RequireMention != nil:
		return !*g.RequireMention
	}
	return c.TriggerMode == policy.TriggerAll || c.TriggerMode == policy.TriggerWithoutPrefix
}

// commandForm matches a slash, also that of Chinese input methods, and a word, without further characters of a path or an address.
var commandForm = regexp.MustCompile(`^[/／][A-Za-z][A-Za-z0-9_-]*(?:[\s:：\x{3000}]|$)`)

// IsCommand reports whether a text has the form of a slash command.
func IsCommand(text string) bool { return commandForm.MatchString(strings.TrimSpace(text)) }

// cutPrefix removes a prefix, ignoring case.
func cutPrefix(text, prefix string) (string, bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return text, false
	}
	return strings.TrimSpace(text[len(prefix):]), true
}
