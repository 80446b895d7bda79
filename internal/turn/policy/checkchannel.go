package policy

import (
	"maps"
	pathpkg "path"
	"regexp"
	"slices"
	"strings"
)

func (c *check) channel(path string, ch Channel) {
	c.place(path, ch, ch)
	for _, id := range slices.Sorted(maps.Keys(ch.Accounts)) {
		at := join(path+".accounts", id)
		account := ch.Accounts[id]
		if account.Accounts != nil {
			c.fault(at+".accounts", "an account has no accounts of its own")
		}
		c.place(at, account, ch.overriddenBy(account))
	}
}

// place checks what is written for a channel or account; whole is what holds there in the end.
func (c *check) place(path string, ch, whole Channel) {
	c.oneOf(path+".dmPolicy", ch.DMPolicy, DMPairing, DMAllowlist, DMOpen, DMDisabled)
	c.oneOf(path+".groupPolicy", ch.GroupPolicy, GroupAllowlist, GroupOpen, GroupDisabled)
	c.oneOf(path+".triggerMode", ch.TriggerMode, TriggerAt, TriggerPrefix, TriggerWithoutPrefix, TriggerAll)
	c.oneOf(path+".immediateFeedbackMode", ch.Feedback, FeedbackReaction, FeedbackReply, FeedbackNone)
	c.oneOf(path+".progress", ch.Progress, ProgressCard, ProgressNone)
	c.access(path, ch, whole)
	if (whole.TriggerMode == TriggerPrefix || whole.TriggerMode == TriggerWithoutPrefix) && strings.TrimSpace(whole.TriggerPrefix) == "" {
		c.fault(path+".triggerPrefix", "trigger mode %s needs it", whole.TriggerMode)
	}
	for i, pattern := range ch.MentionPatterns {
		if _, err := regexp.Compile("(?i)" + pattern); err != nil || pattern == "" {
			c.fault(sprintf("%s.mentionPatterns[%d]", path, i), "%q is not a regular expression (RE2): %v", pattern, err)
		}
	}
	if ch.HistoryLimit != nil && (*ch.HistoryLimit < 0 || *ch.HistoryLimit > 1000) {
		c.fault(path+".historyLimit", "%d is not between 0 and 1000", *ch.HistoryLimit)
	}
	c.groups(path+".groups", ch.Groups)
	c.scenes(path+".groupScenes", ch.GroupScenes)
	c.scenes(path+".privateScenes", ch.PrivateScenes)
}

// access checks who is let in: an open door is said, and not by halves.
func (c *check) access(path string, ch, whole Channel) {
	everybody := slices.Contains(whole.AllowFrom, "*")
	switch {
	case everybody && whole.DMPolicy != DMOpen:
		c.fault(path+".allowFrom", "\"*\" lets everybody in: say dmPolicy: \"open\" as well, or name the people")
	case whole.DMPolicy == DMOpen && len(whole.AllowFrom) > 0 && !everybody:
		c.fault(path+".dmPolicy", "open lets everybody in, but allowFrom names people: add \"*\" to it, or write allowlist")
	case ch.DMPolicy == DMOpen:
		c.note(path+".dmPolicy", "open: everybody who finds the bot can use it")
	case ch.DMPolicy == DMAllowlist && len(whole.AllowFrom) == 0:
		c.note(path+".allowFrom", "is empty: nobody can write to the bot directly")
	}
	switch {
	case ch.GroupPolicy == GroupOpen:
		c.note(path+".groupPolicy", "open: whoever adds the bot to a group can use it there")
	case ch.GroupAllowFrom != nil && len(whole.Groups) == 0 && whole.GroupPolicy != GroupOpen:
		c.note(path+".groupAllowFrom", "has no effect without groups: list them, or write groups: { \"*\": {} }")
	}
}

func (c *check) scenes(path string, s Scenes) {
	c.scene(path+".chat", s.Chat)
	c.scene(path+".work", s.Work)
	if s.Chat.TriggerTag != "" {
		c.note(path+".chat.triggerTag", "has no effect: only work is begun by a tag")
	}
	if tag := s.Work.TriggerTag; strings.TrimSpace(tag) != tag {
		c.fault(path+".work.triggerTag", "the tag has no space at its ends")
	}
}

// runnerName is how runners are named. default is what people call the absence of a choice.
var runnerName = regexp.MustCompile(`^(?:[a-z0-9][a-z0-9_.-]{0,127}|__docker__)$`)

func (c *check) scene(path string, s Scene) {
	c.oneOf(path+".think", s.Think, thinks...)
	c.oneOf(path+".permissions", s.Permissions, presets...)
	c.oneOf(path+".sandbox.files", s.Sandbox.Files, FilesWorkspace, FilesReadOnly)
	c.oneOf(path+".sandbox.network", s.Sandbox.Network, NetworkOn, NetworkOff)
	if s.Runner != "" && !runnerName.MatchString(s.Runner) {
		c.fault(path+".runner", "%q is no name of a runner: it is local, __docker__, or one that somebody gave to a runner of theirs", s.Runner)
	}
	c.tools(path+".tools", s.Tools)
	c.personality(path+".personality", s.Personality)
}

// tools checks names that may hold patterns: a pattern that cannot be read would mean nothing, and deny nothing.
func (c *check) tools(path string, t Tools) {
	for member, list := range map[string][]string{"allow": t.Allow, "deny": t.Deny} {
		for i, pattern := range list {
			if _, err := pathpkg.Match(pattern, ""); err != nil || strings.TrimSpace(pattern) == "" {
				c.fault(sprintf("%s.%s[%d]", path, member, i), "%q is no name of a tool; write one such as Read, or a pattern such as Web*", pattern)
			}
		}
	}
}

// maxPersonality bounds a manner of answering, in bytes. What is longer is a prompt.
const maxPersonality = 500

func (c *check) personality(path, text string) {
	if len(text) > maxPersonality || strings.ContainsAny(text, "\r\n") {
		c.fault(path, "it is one line of at most %d bytes, such as \"calm, dry, short\"; what is longer belongs into prompt", maxPersonality)
	}
}
