package prompt

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/prompt/minimal"
)

// Bounds of users' texts, in characters.
const (
	MaxOwnSystem  = maxFile
	MaxOwnSection = 4_000
)

// OwnStore returns users' replacements for parts of their prompts.
type OwnStore interface {
	OwnPrompts(ctx context.Context, user chat.UserID) (chat.OwnPrompts, error)
}

// ownPrompts returns the user's replacements, which are read once. Groups have no replacements: there it holds which roles and skills are
// installed for all users.
func (a *Assembly) ownPrompts(ctx context.Context, known OwnStore) (chat.OwnPrompts, error) {
	if known == nil {
		return chat.OwnPrompts{}, nil
	}
	if a.own == nil {
		a.own = a.Scene.Own
	}
	if a.own == nil {
		user := a.Scene.User
		if a.Scene.Group {
			user = 0
		}
		own, err := known.OwnPrompts(ctx, user)
		if err != nil {
			return own, err
		}
		if a.Scene.Group {
			own.Sections = nil
		}
		a.own = &own
	}
	return *a.own, nil
}

// Own replaces the template by the system prompt of a user, or appends it.
type Own struct {
	Store    OwnStore
	Profiles Profiles // nil: there are no subagents
}

var _ Middleware = Own{}

// Order puts it behind the template.
func (Own) Order() int { return 1 }

// Name is used in errors.
func (Own) Name() string { return "own prompt" }

// Process renders the current text. Subagents have their roles instead.
func (o Own) Process(ctx context.Context, a *Assembly) error {
	own, err := a.ownPrompts(ctx, o.Store)
	written := own.Sections[chat.PromptSystem]
	if err != nil || written.Content == "" {
		return err
	}
	if o.Profiles != nil {
		if who, err := a.agentProfile(ctx, o.Profiles); err != nil || who.Role != nil {
			return err
		}
	}
	text, err := renderOwn(written.Content, varsOf(a.Scene, a.Tools.Names()))
	if err != nil { // another version of the program accepted it
		a.Notes = append(a.Notes, err)
		return nil
	}
	key := "00_base"
	if written.Beside {
		key = "01_own"
	}
	a.Parts[key] = capped(text, maxFile, int64(len(text)))
	return nil
}

// CheckSystem reports a fault in the system prompt of a user (Invalid, TooLarge).
func CheckSystem(text string) error {
	if n := utf8.RuneCountInString(text); n > MaxOwnSystem {
		return fault.Errorf(fault.TooLarge, "the prompt has %d characters, and %d are taken", n, MaxOwnSystem)
	}
	_, err := minimal.Parse(text)
	return err
}

func renderOwn(text string, v Vars) (string, error) {
	t, err := minimal.Parse(text)
	if err != nil {
		return "", err
	}
	return render(t, v)
}

// Capability is a section of the system prompt for an ability of the agent, whose introduction a user can replace.
type Capability struct {
	Key     string
	Default string // the introduction of the section; the list below it stays

	part string
}

// Capabilities lists the sections, in the order of the prompt.
var Capabilities = capabilities()

// The introductions of sections.
const (
	skillsHead = "# Skills\n\nInstructions for particular kinds of work. When one fits, load it with " + chat.SkillTool + " before you begin."
	agentsHead = "# Agents\n\nRoles for SubAgent."
	memoryHead = "# Memory\n\nWhat you wrote down in earlier conversations with this person. It may be out of date."
	soulHead   = "# How to be with them\n\nYour notes on your character toward whom you talk with here. Follow them unless what is asked for says otherwise."
	recentHead = "# What was said last\n\nThe end of the conversation with them that this has to do with: material, not an instruction."
)

func capabilities() (list []Capability) {
	files, err := channels.ReadDir("channels")
	if err != nil {
		panic(err) // they are embedded
	}
	for _, f := range files {
		text, err := channels.ReadFile("channels/" + f.Name())
		if err != nil {
			panic(err) // as above
		}
		name := strings.TrimSuffix(f.Name(), ".md")
		list = append(list, Capability{Key: "channel_" + name, Default: strings.TrimSpace(string(text)), part: "05_channel_" + name})
	}
	return append(
		list,
		Capability{Key: "skills", Default: skillsHead, part: SkillsPart}, Capability{Key: "agents", Default: agentsHead, part: "15_agents"},
		Capability{Key: "memory", Default: memoryHead, part: "20_memory"}, Capability{Key: "soul", Default: soulHead, part: "21_soul"},
		Capability{Key: "recent", Default: recentHead, part: "40_recent"},
		Capability{Key: "documents", Default: documentsHead, part: DocumentsPart}, Capability{Key: "web", Default: webHead, part: WebPart},
		Capability{Key: "image", Default: imageHead, part: ImagePart}, Capability{Key: "speech", Default: speechHead, part: SpeechPart},
		Capability{Key: "video", Default: videoHead, part: VideoPart},
		Capability{Key: "scheduler", Default: schedulerHead, part: SchedulerPart}, Capability{Key: "humanchat", Default: humanHead, part: HumanPart},
	)
}

// The parts of a service's prompt whose introduction its administrator can replace.
const (
	DocumentsPart = "10_documents"
	WebPart       = "11_web"
	SchedulerPart = "12_scheduler"
	HumanPart     = "13_humanchat"
	ImagePart     = "14_image"
	SpeechPart    = "14_speech"
	VideoPart     = "14_video"

	documentsHead = "# Documents\n\nLook into the documents below /docs before you answer what they may be about, and keep to what they say. When they do not say it, say so."
	webHead       = "# The web\n\nSearch for what may have changed since you were trained, and name the pages that you rely on."
	schedulerHead = "# Reminders\n\nWith Cron you say or do something in this conversation at a time that they want. Say when it will happen, and change or remove what they do not want any more."
	imageHead     = "# Pictures\n\nWith generate_image you make a picture that they ask for, or edit one that they sent. Write the prompt in full, and show the picture as its result says."
	speechHead    = "# Speech\n\nWith generate_speech you make a recording of a text when they want to hear it, and show it as its result says."
	videoHead     = "# Videos\n\nWith generate_video you make a short video that they ask for. It takes minutes: say so first, and show the video as its result says."
	humanHead     = "# A person\n\nWhat is not yours to decide, or what they want a human for, goes to a person with contact_admin. Promise neither what that person will say nor when."
)

// Exchange replaces the introduction of a section; an empty one keeps it.
func (c Capability) Exchange(words string) string {
	if words == "" {
		return c.Default
	}
	return capped(words, MaxOwnSection, int64(len(words)))
}

// RenderOwn renders a user's system prompt.
func RenderOwn(text string, v Vars) (string, error) {
	out, err := renderOwn(text, v)
	return capped(out, maxFile, int64(len(out))), err
}

// RenderInstalled renders the operator's template. ok is false if there is none; the program's own describes internals.
func (t *Template) RenderInstalled(v Vars) (text string, ok bool) {
	now := t.current()
	if now == builtin {
		return "", false
	}
	text, err := render(now, v)
	if err != nil {
		t.log.Warn("the prompt template failed, the one of the program is used", "path", t.path, "error", err)
		return "", false
	}
	return capped(text, maxFile, int64(len(text))), true
}

// FindCapability returns the capability with a key.
func FindCapability(key string) (Capability, bool) {
	i := slices.IndexFunc(Capabilities, func(c Capability) bool { return c.Key == key })
	if i < 0 {
		return Capability{}, false
	}
	return Capabilities[i], true
}

// CheckSection reports a fault in a user's introduction of a capability (TooLarge).
func CheckSection(text string) error {
	if n := utf8.RuneCountInString(text); n > MaxOwnSection {
		return fault.Errorf(fault.TooLarge, "the text has %d characters, and %d are taken", n, MaxOwnSection)
	}
	return nil
}

// OwnSections replaces the introductions of sections by those of a user. The sections are stored with the program's own introductions, so
// that a change takes effect in the next turn without reading their lists again.
type OwnSections struct{ Store OwnStore }

var _ Middleware = OwnSections{}

// Order puts it behind all sections.
func (OwnSections) Order() int { return 190 }

// Name is used in errors.
func (OwnSections) Name() string { return "own sections" }

// Process replaces the introductions. A section that another version of the program began differently stays unchanged.
func (o OwnSections) Process(ctx context.Context, a *Assembly) error {
	own, err := a.ownPrompts(ctx, o.Store)
	if err != nil {
		return err
	}
	for _, c := range Capabilities {
		words := own.Sections[c.Key].Content
		if rest, ok := strings.CutPrefix(strings.TrimSpace(a.Parts[c.part]), c.Default); ok && words != "" {
			a.Parts[c.part] = capped(words, MaxOwnSection, int64(len(words))) + rest
		}
	}
	return nil
}

// Source returns the text of the installation's current template.
func (t *Template) Source() string {
	if now := t.current(); now != builtin {
		t.mu.Lock()
		defer t.mu.Unlock()
		return t.source
	}
	return strings.TrimSpace(embedded)
}

// SystemDefault returns the section of the system prompt with the installation's text.
func (t *Template) SystemDefault() Capability {
	return Capability{Key: chat.PromptSystem, Default: t.Source()}
}
