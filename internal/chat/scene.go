package chat

import (
	"strings"
	"time"
)

// Scene is what a system prompt is rendered for: where a conversation takes place and with whom.
type Scene struct {
	Session SessionKey
	Turn    TurnID // empty for a look at the prompt without a turn
	Channel string

	User     UserID
	UserName string
	Admin    bool
	Outside  bool   // somebody outside writes to a service: nothing of the house is told
	Group    bool   // several people write; User is the group, and UserName what it is called inside
	Subject  string // name of the group as its members read it; empty where the platform tells none
	Language string // what the user chose; empty: nothing
	Permits  Permits

	UserPrompt

	Cwd       string
	CwdRunner string
	Runner    string // as the session or its user chose, not resolved; empty: the default

	Compaction ControlID       // that the conversation begins with; 0: none
	Held       map[string]Part // parts that were rendered before and stay as they are, by key

	// System is the prompt of the turn; Frozen says that it was rendered before and stands.
	System string
	Frozen bool
}

// UserPrompt is what the user of a conversation adds to its prompts.
type UserPrompt struct {
	Profile  string      // what the person says of themselves; empty where somebody else writes, and in groups
	Timezone string      // IANA name of the person's; empty: not said
	Own      *OwnPrompts // in place of parts of the prompt; in groups what is installed for everybody; nil: not read
}

// Part is a piece of the system prompt that is kept with its session while its source is the same.
type Part struct {
	Key    string `json:"key"`
	Source string `json:"source"` // what it was made from
	Body   string `json:"body"`
}

// Preface is what the model reads before a user message: when it was written, in UTC, and where its tools start. It stands with
// the message and not in the system prompt, so that the prompt stays cacheable (spec/004 §4.4.4).
func Preface(at time.Time, cwd string) string { return PrefaceIn(at, time.UTC, cwd) }

// PrefaceIn is Preface in another timezone.
func PrefaceIn(at time.Time, zone *time.Location, cwd string) string {
	text := "[" + at.In(zone).Format("2006-01-02 Mon 15:04 ") + zone.String()
	if cwd != "" {
		text += " · folder " + cwd
	}
	return text + "]"
}

// toYou says in a preface that a message names the bot, where the model also reads messages that do not.
const toYou = " · to you]"

// PrefaceToYou adds to a preface that the message names the bot.
func PrefaceToYou(preface string) string {
	head, found := strings.CutSuffix(preface, "]")
	if !found {
		return preface
	}
	return head + toYou
}

// PrefaceSkill adds to a preface that the message asks for a skill, by the word that it begins with.
func PrefaceSkill(preface, word string) string {
	return preface + " [/" + word + " names a skill: load it with the tool Skill before anything else, and do what the message asks by it]"
}

// PrefacePrompt adds to a preface that the message asks for a prompt of an MCP server, by the word that it begins with, and with which tool a
// model gets it.
func PrefacePrompt(preface, word, tool string) string {
	return preface + " [/" + word + " names a prompt: get it with the tool " + tool + " before anything else, with arguments from what the message says behind it, and do what it says]"
}

// bracketed replaces what would end the brackets of a preface or a part of it.
var bracketed = strings.NewReplacer("[", "(", "]", ")", "\n", " ", "·", "-")

// PrefaceFrom adds to a preface who wrote. A name is on one line and cannot end the brackets.
func PrefaceFrom(preface, sender string) string {
	head, tail, found := strings.Cut(preface, "]")
	if !found {
		return preface
	}
	return head + " · from " + bracketed.Replace(sender) + "]" + tail
}
