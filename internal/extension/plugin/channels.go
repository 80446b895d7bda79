package plugin

import (
	"regexp"
	"slices"
	"strings"
)

// ReceivesMessages is the permission to be a platform.
const ReceivesMessages Permission = "channel"

// Limits of channels.
const (
	maxChannels    = 2
	maxOptions     = 16
	maxForm        = 200      // bytes of the form of an id
	MaxID          = 128      // bytes of an id of a user, a chat or a message
	maxShownText   = 32_000   // characters of one message
	maxChannelFile = 32 << 20 // bytes
	leastShownText = 100      // characters of one message
)

// Channel is a chat platform.
type Channel struct {
	Name      string    `json:"name"`    // the plugin's id, alone or with a dash and a word
	Label     string    `json:"label"`   // its name for users
	Options   []Option  `json:"options"` // of an account
	IDs       IDs       `json:"ids"`
	Abilities Abilities `json:"abilities"`
}

// Option is one setting of an account.
type Option struct {
	Name     string   `json:"name"`
	Label    string   `json:"label"`
	Help     string   `json:"help"`
	Secret   bool     `json:"secret"`
	Required bool     `json:"required"`
	Choices  []string `json:"choices"`
	Default  string   `json:"default"`
}

// IDs are the forms of the ids of the platform: regular expressions (RE2) for the whole id.
type IDs struct {
	Person  string `json:"person"`
	Direct  string `json:"direct"` // empty: a direct chat has no id except that of the user
	Group   string `json:"group"`  // empty: there are no groups
	Example string `json:"example"`
}

// Abilities are the capabilities of the platform.
type Abilities struct {
	Text       int   `json:"text"`       // characters of one message
	File       int64 `json:"file"`       // bytes of a file that is sent; 0: none can be sent
	Markdown   bool  `json:"markdown"`   // it shows Markdown; otherwise it gets plain text
	Idempotent bool  `json:"idempotent"` // a message with a key that was sent before is not sent again
	Delete     bool  `json:"delete"`
	Typing     bool  `json:"typing"`
	React      bool  `json:"react"`
}

// taken are names of places and channels of xbot.
var taken = []string{"feishu", "lark", "qq", "napcat", "onebot", "web", "cli", "tui", "api", "openai", "openai-user", "cron", "hook", "system", "subagent", "default", "plugin", "channel"}

var channelTail = regexp.MustCompile(`^[a-z0-9]{1,12}$`)

func (m *Manifest) checkChannels() error {
	all := m.Contributes.Channels
	switch {
	case len(all) > maxChannels:
		return invalid("contributes.channels", "there are more than %d", maxChannels)
	case len(all) > 0 && !m.Wants(ReceivesMessages):
		return invalid("permissions", "a plugin with channels asks for the permission channel")
	case len(all) > 0 && m.Runtime != Stdio:
		return invalid("contributes.channels", "a script cannot receive: the runtime has to be stdio")
	}
	for i, c := range all {
		if slices.ContainsFunc(all[:i], func(o Channel) bool { return o.Name == c.Name }) {
			return invalid("contributes.channels", "%s is there twice", cut(c.Name))
		}
		if err := c.check(m.ID); err != nil {
			return err
		}
	}
	return nil
}

func (c Channel) check(plugin string) error {
	at := "contributes.channels, " + cut(c.Name)
	head, tail, more := strings.Cut(c.Name, "-")
	a := c.Abilities
	switch {
	case head != plugin || more && !channelTail.MatchString(tail):
		return invalid("contributes.channels", "the name %q has to be %s, or that with a dash and up to 12 small letters and digits", cut(c.Name), plugin)
	case slices.Contains(taken, head):
		return invalid(at, "xbot has a channel or a place of this name")
	case c.Label == "" || !isLine(c.Label):
		return invalid(at, "its label has to be a line of 1 to %d characters", maxLine)
	case a.Text < leastShownText || a.Text > maxShownText:
		return invalid(at, "abilities.text is a number of characters, %d to %d", leastShownText, maxShownText)
	case a.File < 0 || a.File > maxChannelFile:
		return invalid(at, "abilities.file is a number of bytes, at most %d", maxChannelFile)
	}
	if err := c.IDs.check(at); err != nil {
		return err
	}
	return checkOptions(at, c.Options)
}

func (i IDs) check(at string) error {
	for _, form := range []string{i.Person, i.Direct, i.Group} {
		if len(form) > maxForm {
			return invalid(at, "the form of an id has at most %d bytes", maxForm)
		}
		if _, err := regexp.Compile(whole(form)); err != nil {
			return invalid(at, "%q is no regular expression (RE2)", cut(form))
		}
	}
	switch {
	case i.Person == "":
		return invalid(at, "ids.person is missing: the form of the id of somebody who writes")
	case !IsID(i.Person, i.Example):
		return invalid(at, "ids.example has to be the id of a person")
	}
	return nil
}

func checkOptions(at string, options []Option) error {
	if len(options) > maxOptions {
		return invalid(at, "there are more than %d options", maxOptions)
	}
	for i, o := range options {
		switch {
		case !nameForm.MatchString(o.Name) || slices.ContainsFunc(options[:i], func(b Option) bool { return b.Name == o.Name }):
			return invalid(at, "the option %q has to be another one of 1 to 32 small letters, digits and underscores, a letter first", cut(o.Name))
		case o.Label == "" || !isLine(o.Label) || !isText(o.Help) || !isLine(o.Default):
			return invalid(at, "label and default of the option %s have to be lines of at most %d characters, and help a text of %d", o.Name, maxLine, maxText)
		case len(o.Choices) > maxChoices || slices.ContainsFunc(o.Choices, func(c string) bool { return c == "" || !isLine(c) }):
			return invalid(at, "the option %s has at most %d choices, lines of 1 to %d characters", o.Name, maxChoices, maxLine)
		case len(o.Choices) > 0 && o.Default != "" && !slices.Contains(o.Choices, o.Default):
			return invalid(at, "the default of the option %s is none of its choices", o.Name)
		case o.Secret && o.Default != "":
			return invalid(at, "the option %s is secret and cannot have a default", o.Name)
		}
	}
	return nil
}

func whole(form string) string { return "^(?:" + form + ")$" }

// IsID reports whether an id has a form, and is valid: 1 to MaxID bytes without control characters. An empty form matches none.
func IsID(form, id string) bool {
	if form == "" || !IsName(id) {
		return false
	}
	ok, err := regexp.MatchString(whole(form), id)
	return err == nil && ok
}

// IsName reports whether a text may be an id.
func IsName(id string) bool {
	return id != "" && len(id) <= MaxID && !strings.ContainsFunc(id, steers)
}
