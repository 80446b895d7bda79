package chat

import (
	"encoding/json"
	"time"
)

// MaxProfile is the maximum length of a profile, in characters.
const MaxProfile = 2000

// UserProfile is a user's self-description, for the prompts of their conversations.
type UserProfile struct {
	Content   string    `json:"content" doc:"Name, form of address and other facts: at most 2,000 characters."`
	Timezone  string    `json:"timezone" example:"Europe/Berlin" doc:"IANA name; empty if not set."`
	Revision  int       `json:"revision" doc:"Of the profile as it is; 0: none was written."`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
}

// ProfileVersion is a past version of a profile. The newest one is the current profile.
type ProfileVersion struct {
	Version    int       `json:"version" doc:"The revision of the profile that it was."`
	Content    string    `json:"content,omitempty" doc:"Lists leave it out."`
	Timezone   string    `json:"timezone" doc:"IANA name; empty if not set."`
	ChangedAt  time.Time `json:"changed_at"`
	ChangedBy  string    `json:"changed_by" doc:"Name of the user."`
	Characters int       `json:"characters" doc:"Of the text; 0: it was empty."`
}

// Deletion is a user who is being deleted with all their data.
type Deletion struct {
	Name          string
	Conversations int // initial number
	Left          int // remaining number
	Age           time.Duration
}

// OwnPrompts is a user's replacements for parts of the system prompt.
type OwnPrompts struct {
	Sections map[string]OwnPrompt `json:"sections"` // by section
	// Roles changes with the user's roles of subagents; empty: the user has none, and has switched none off.
	Roles string `json:"roles"`
	// Skills changes with the skills installed for the user or for all users; empty: there are none.
	Skills string `json:"skills"`
}

// PromptSystem is the section with which a system prompt begins.
const PromptSystem = "system"

// OwnPrompt is a user's text for one section.
type OwnPrompt struct {
	Content string `json:"content"`
	Beside  bool   `json:"beside"` // appended to the installation's text
}

// PromptVersion is a version of a user's text for a section. The newest one is in force.
type PromptVersion struct {
	Version    int       `json:"version" doc:"Counts from 1."`
	Content    string    `json:"content,omitempty" doc:"Lists leave it out. Empty: from then on it was the installation's text."`
	Beside     bool      `json:"beside" doc:"Appended to the installation's text instead of replacing it."`
	Label      string    `json:"label" doc:"Default: v and the version."`
	Note       string    `json:"note"`
	ChangedAt  time.Time `json:"changed_at"`
	ChangedBy  string    `json:"changed_by" doc:"Name of the user; empty if deleted."`
	Characters int       `json:"characters" doc:"0: the installation's text applied from then on."`
}

// PromptDraft is a user's new text for a section.
type PromptDraft struct {
	Content string // empty: the installation's text
	Beside  bool
	Label   string
	Note    string
	From    int // the version that it is based on; 0: there was none
}

// SettingChange is a change of a setting: its author, its time, and the previous value.
type SettingChange struct {
	ID        int64           `json:"id"`
	Kind      string          `json:"kind" doc:"preference, permission, token, runner, sandbox, subscription, key, mcp, channel, access, person, invite, deletion, schedule, trigger or role."`
	Name      string          `json:"name" doc:"Which one."`
	Owner     string          `json:"owner,omitempty" doc:"Owner; absent: the installation."`
	Before    json.RawMessage `json:"before" doc:"The previous value; empty if new. For secrets, only that there was one."`
	After     json.RawMessage `json:"after" doc:"The new value; empty if removed. For secrets, only that there is a new one."`
	ChangedAt time.Time       `json:"changed_at"`
	ChangedBy string          `json:"changed_by" doc:"Name of the user; empty: an operator, xbot itself, or a deleted user."`
}

// PreferenceVersion is a change of a user's preferences.
type PreferenceVersion struct {
	Version   int64     `json:"version"`
	Name      string    `json:"name" doc:"The preference that was changed."`
	Before    string    `json:"before" doc:"Empty: the default."`
	After     string    `json:"after" doc:"Empty: the default."`
	ChangedAt time.Time `json:"changed_at"`
	ChangedBy string    `json:"changed_by" doc:"Name of the user; empty if deleted."`
}
