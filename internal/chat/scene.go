package chat

import (
	"strings"
	"time"
)

// Scene is the input of a system prompt: the place and the participants of a conversation.
type Scene struct {
	Session SessionKey
	Turn    TurnID // empty for a view of the prompt without a turn
	Channel string

	User     UserID
	UserName string
	Admin    bool
	Outside  bool   // a consumer writes to a service: the prompt omits internal data
	Group    bool   // several people write; User is the group, and UserName its internal name
	Subject  string // name of the group as its members read it; empty if the platform provides none
	Language string // chosen by the user; empty: not chosen
	Permits  UserPermissions

	UserPrompt

	Cwd       string
	CwdRunner string
	Runner    string // chosen by the session or its user, not resolved; empty: the default

	Compaction ControlID       // at the start of the conversation; 0: none
	Held       map[string]Part // parts that were rendered before and stay unchanged, by key

	// System is the prompt of the turn; Frozen means that it was rendered before and is reused.
	System string
	Frozen bool
}

// UserPrompt is the user's additions to the prompts of a conversation.
type UserPrompt struct {
	Profile  string      // the user's self-description; empty if another user writes, and in groups
	Timezone string      // IANA name of the user's; empty: not set
	Own      *OwnPrompts // replacements for parts of the prompt; in groups those installed for all users; nil: not read
}

// Part is a piece of the system prompt that is stored with its session while its source is the same.
type Part struct {
	Key    string `json:"key"`
	Source string `json:"source"` // the input that it was made from
	Body   string `json:"body"`
}

// Preface returns the text that precedes a user message for the model: its time, in UTC, and the folder of its tools. It belongs to the
// message and not to the system prompt, so that the prompt stays cacheable.
func Preface(at time.Time, cwd string) string { return PrefaceIn(at, time.UTC, cwd) }

// PrefaceIn is Preface in another timezone.
func PrefaceIn(at time.Time, zone *time.Location, cwd string) string {
	text := "[" + at.In(zone).Format("2006-01-02 Mon 15:04 ") + zone.String()
	if cwd != "" {
		text += " · folder " + cwd
	}
	return text + "]"
}

// toYou marks in a preface that a message names the bot, for models that also read messages that do not.
const toYou = " · to you]"

// PrefaceToYou adds to a preface that the message names the bot.
func PrefaceToYou(preface string) string {
	head, found := strings.CutSuffix(preface, "]")
	if !found {
		return preface
	}
	return head + toYou
}

// PrefaceSkill adds to a preface that the message asks for a skill, by its first word.
func PrefaceSkill(preface, word string) string {
	return preface + " [/" + word + " names a skill: load it with the tool Skill before anything else, and do what the message asks by it]"
}

// PrefacePrompt adds to a preface that the message asks for a prompt of an MCP server, by its first word, and with which tool a model gets
// it.
func PrefacePrompt(preface, word, tool string) string {
	return preface + " [/" + word + " names a prompt: get it with the tool " + tool + " before anything else, with arguments from what the message says behind it, and do what it says]"
}

// bracketed replaces characters that would end the brackets of a preface or a part of it.
var bracketed = strings.NewReplacer("[", "(", "]", ")", "\n", " ", "·", "-")

// PrefaceFrom adds the sender to a preface. A name is on one line and cannot end the brackets.
func PrefaceFrom(preface, sender string) string {
	head, tail, found := strings.Cut(preface, "]")
	if !found {
		return preface
	}
	return head + " · from " + bracketed.Replace(sender) + "]" + tail
}
