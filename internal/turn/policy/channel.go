package policy

import (
	"cmp"
	"maps"
	"reflect"

	"xbot/internal/chat"
)

// Who may write to a bot in direct messages.
const (
	DMPairing   = "pairing"   // default: whoever writes gets a code that an administrator approves
	DMAllowlist = "allowlist" // those in allowFrom
	DMOpen      = "open"      // everybody
	DMDisabled  = "disabled"
)

// Which groups a bot listens to.
const (
	GroupAllowlist = "allowlist" // default: those in groups
	GroupOpen      = "open"
	GroupDisabled  = "disabled"
)

// When a bot in a group is meant.
const (
	TriggerAt            = "at"             // default: it is mentioned, answered to, or matched by a pattern
	TriggerPrefix        = "prefix"         // the text begins with triggerPrefix
	TriggerWithoutPrefix = "without_prefix" // the text does not begin with it
	TriggerAll           = "all"
)

// What tells people at once that their message was taken in.
const (
	FeedbackReaction = "reaction" // default: a reaction to it; where the platform has none, that an answer is being written
	FeedbackReply    = "reply"    // a short message, where the platform does not count answers
	FeedbackNone     = "none"
)

// What people see of a turn that goes on.
const (
	ProgressCard = "card" // default: one message that is changed and becomes the answer; else that an answer is being written
	ProgressNone = "none"
)

// Defaults of a channel.
const (
	defaultHistoryLimit = 50
	defaultTag          = "#work"
)

// Channel returns the rules of a channel for one bot: the account's members override those of the channel, and defaults
// are filled in. A channel that the document does not name has the defaults: nobody is let in without being asked.
func (p *Policy) Channel(channel, account string) Channel {
	c := p.Channels[channel]
	if a, ok := c.Accounts[cmp.Or(account, defaultAccount)]; ok {
		c = c.overriddenBy(a)
	}
	c.Accounts = nil
	c.DMPolicy = cmp.Or(c.DMPolicy, DMPairing)
	c.GroupPolicy = cmp.Or(c.GroupPolicy, GroupAllowlist)
	c.TriggerMode = cmp.Or(c.TriggerMode, TriggerAt)
	c.Feedback = cmp.Or(c.Feedback, FeedbackReaction)
	c.Progress = cmp.Or(c.Progress, ProgressCard)
	if c.HistoryLimit == nil {
		c.HistoryLimit = new(defaultHistoryLimit)
	}
	c.GroupScenes.Work.TriggerTag = cmp.Or(c.GroupScenes.Work.TriggerTag, defaultTag)
	c.PrivateScenes.Work.TriggerTag = cmp.Or(c.PrivateScenes.Work.TriggerTag, defaultTag)
	return c
}

func (c Channel) overriddenBy(a Channel) Channel {
	c.DMPolicy = cmp.Or(a.DMPolicy, c.DMPolicy)
	c.GroupPolicy = cmp.Or(a.GroupPolicy, c.GroupPolicy)
	c.TriggerMode = cmp.Or(a.TriggerMode, c.TriggerMode)
	c.TriggerPrefix = cmp.Or(a.TriggerPrefix, c.TriggerPrefix)
	c.Feedback = cmp.Or(a.Feedback, c.Feedback)
	c.FeedbackEmoji = cmp.Or(a.FeedbackEmoji, c.FeedbackEmoji)
	c.Progress = cmp.Or(a.Progress, c.Progress)
	c.Soul = cmp.Or(a.Soul, c.Soul)
	c.HistoryLimit = cmp.Or(a.HistoryLimit, c.HistoryLimit)
	if a.AllowFrom != nil {
		c.AllowFrom = a.AllowFrom
	}
	if a.GroupAllowFrom != nil {
		c.GroupAllowFrom = a.GroupAllowFrom
	}
	if a.MentionPatterns != nil {
		c.MentionPatterns = a.MentionPatterns
	}
	if a.Groups != nil {
		c.Groups = maps.Clone(a.Groups)
	}
	c.GroupScenes = c.GroupScenes.overriddenBy(a.GroupScenes)
	c.PrivateScenes = c.PrivateScenes.overriddenBy(a.PrivateScenes)
	return c
}

func (s Scenes) overriddenBy(a Scenes) Scenes {
	if !reflect.ValueOf(a.Chat).IsZero() {
		s.Chat = a.Chat
	}
	if !reflect.ValueOf(a.Work).IsZero() {
		s.Work = a.Work
	}
	return s
}

// What commands may do in a scene.
const (
	FilesWorkspace = "workspace"
	FilesReadOnly  = "read_only"
	NetworkOn      = "on"
	NetworkOff     = "off"
)

// Narrow is what the walls mean for commands.
func (w SandboxPolicy) Narrow() chat.Confinement {
	return chat.Confinement{ReadOnly: w.Files == FilesReadOnly, Offline: w.Network == NetworkOff}
}

// SceneAt returns what holds in the scene of a place; nothing where it has none.
func (p *Policy) SceneAt(at chat.Location) Scene {
	scene := p.sceneAt(at)
	if at.Job != nil && at.Job.ReadOnly {
		scene.Sandbox.Files = FilesReadOnly
	}
	if at.Job != nil && at.Job.Offline {
		scene.Sandbox.Network = NetworkOff
	}
	return scene
}

func (p *Policy) sceneAt(at chat.Location) Scene {
	channel := p.Channel(at.Channel, at.Account)
	scenes := channel.GroupScenes
	if cmp.Or(at.ChatType, chat.ChatDirect) == chat.ChatDirect {
		scenes = channel.PrivateScenes
	}
	switch at.Scene {
	case chat.SceneChat:
		return scenes.Chat
	case chat.SceneWork:
		return scenes.Work
	}
	return Scene{}
}

// Group returns the rules of a group: its own, else those of *; known is false if the document has neither.
func (c Channel) Group(id string) (g Group, known bool) {
	if g, known = c.Groups[id]; !known {
		g, known = c.Groups["*"]
	}
	return g, known
}
