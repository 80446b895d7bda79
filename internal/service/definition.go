package service

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"xbot/internal/fault"
)

// Bounds of what an administrator writes. spec/004 names the number of conversations.
const (
	MaxName          = 100
	MaxDescription   = 2000
	MaxWelcome       = 2000
	MaxQuestions     = 10
	MaxQuestion      = 200
	MaxPatterns      = 100
	maxPattern       = 200
	MaxOrigins       = 20
	MaxConversations = 100_000
	maxWord          = 200
)

// Definition is an administrator's settings of a service.
type Definition struct {
	Name        string `json:"name" minLength:"1" maxLength:"100"`
	Description string `json:"description" maxLength:"2000"`
	Model       string `json:"model" maxLength:"200" doc:"Id or alias of one that its administrator may choose; empty: as in their own conversations."`

	PromptVersion  int `json:"system_prompt_version_id" minimum:"0" doc:"Version of its administrator's system prompt; 0: the one in force."`
	ProfileVersion int `json:"user_profile_version_id" minimum:"0" doc:"Version of its administrator's profile that {user_profile_context} stands for; 0: the one in force."`

	AllowedDocs    []string     `json:"allowed_docs" maxItems:"100" doc:"Patterns of documents below docs/ that it reads: * is all, none: nothing."`
	AllowedScripts []string     `json:"allowed_scripts" maxItems:"100" doc:"Patterns of scripts below scripts/ whose names it sees: * is all, none: nothing. They are kept with the service: this version of xbot has no tool that runs them."`
	Capabilities   []Capability `json:"capabilities" maxItems:"20" doc:"Of web, image, speech, video, scheduler and humanchat, which passes questions on to a person of the house. image, speech and video generate files, where its administrator has a key for them."`

	MaxConversations int      `json:"max_conversations" minimum:"1" maximum:"100000" doc:"How many conversations it has at once; default 1000."`
	Welcome          string   `json:"welcome_message" maxLength:"2000" doc:"Markdown that its page shows before the first message."`
	Questions        []string `json:"quick_questions" maxItems:"10" doc:"What its page offers to ask."`
	Origins          []string `json:"origins" maxItems:"20" doc:"Sites that may show its page in a frame, such as https://shop.example."`
	Limits           Limits   `json:"limits"`
}

// ServiceLimits bound what consumers use.
type ServiceLimits struct { //nolint:revive // the name of its schema in the API
	RequestsPerMinute int   `json:"requests_per_minute" minimum:"1" maximum:"100000" doc:"Of one key; default 60."`
	Concurrent        int   `json:"concurrent" minimum:"1" maximum:"1000" doc:"Messages of one key that wait or are answered at once; default 4."`
	TokensPerDay      int64 `json:"tokens_per_day" minimum:"0" doc:"Of all consumers, in a day of UTC; 0: as many as they want."`
	// What the capabilities image, speech and video may generate.
	PicturesPerDay         int64 `json:"pictures_per_day" minimum:"0" doc:"Of all consumers, in a day of UTC; 0: as many as the policy allows for each key."`
	SpeechCharactersPerDay int64 `json:"speech_characters_per_day" minimum:"0" doc:"The same for characters of speech."`
	VideoSecondsPerDay     int64 `json:"video_seconds_per_day" minimum:"0" doc:"The same for seconds of video."`
}

// Limits are ServiceLimits.
type Limits = ServiceLimits

// ServiceLimitsPatch is a change of limits: nil members stay.
type ServiceLimitsPatch struct { //nolint:revive // the name of its schema in the API
	RequestsPerMinute *int   `json:"requests_per_minute,omitempty" minimum:"1" maximum:"100000" doc:"Of one key."`
	Concurrent        *int   `json:"concurrent,omitempty" minimum:"1" maximum:"1000" doc:"Messages of one key that wait or are answered at once."`
	TokensPerDay      *int64 `json:"tokens_per_day,omitempty" minimum:"0" doc:"Of all consumers, in a day of UTC; 0: as many as they want."`

	PicturesPerDay         *int64 `json:"pictures_per_day,omitempty" minimum:"0" doc:"Of all consumers, in a day of UTC; 0: as many as the policy allows for each key."`
	SpeechCharactersPerDay *int64 `json:"speech_characters_per_day,omitempty" minimum:"0" doc:"The same for characters of speech."`
	VideoSecondsPerDay     *int64 `json:"video_seconds_per_day,omitempty" minimum:"0" doc:"The same for seconds of video."`
}

// LimitsPatch is a ServiceLimitsPatch.
type LimitsPatch = ServiceLimitsPatch

// Patch is the change that makes other limits these.
func (l ServiceLimits) Patch() *LimitsPatch {
	return &LimitsPatch{
		RequestsPerMinute: &l.RequestsPerMinute, Concurrent: &l.Concurrent, TokensPerDay: &l.TokensPerDay,
		PicturesPerDay: &l.PicturesPerDay, SpeechCharactersPerDay: &l.SpeechCharactersPerDay, VideoSecondsPerDay: &l.VideoSecondsPerDay,
	}
}

func (l *ServiceLimits) apply(p LimitsPatch) {
	set(&l.RequestsPerMinute, p.RequestsPerMinute)
	set(&l.Concurrent, p.Concurrent)
	set(&l.TokensPerDay, p.TokensPerDay)
	set(&l.PicturesPerDay, p.PicturesPerDay)
	set(&l.SpeechCharactersPerDay, p.SpeechCharactersPerDay)
	set(&l.VideoSecondsPerDay, p.VideoSecondsPerDay)
}

// Capability is a feature of a service in addition to talking and files.
type Capability string

// The capabilities (spec/004 §4.5.1).
const (
	Web       Capability = "web"
	Image     Capability = "image"
	Speech    Capability = "speech"
	Video     Capability = "video"
	Scheduler Capability = "scheduler"
	HumanChat Capability = "humanchat"
)

// Capabilities are all of them.
var Capabilities = []Capability{Web, Image, Speech, Video, Scheduler, HumanChat}

// Can reports whether a service has a capability.
func (d Definition) Can(c Capability) bool { return slices.Contains(d.Capabilities, c) }

// Defaults are the settings of a new service (spec/004 §4.4.3).
func Defaults() Definition {
	return Definition{
		AllowedDocs: []string{"*"}, AllowedScripts: []string{"*"}, Capabilities: []Capability{}, Questions: []string{}, Origins: []string{},
		MaxConversations: 1000, Limits: Limits{RequestsPerMinute: 60, Concurrent: 4, PicturesPerDay: 100, SpeechCharactersPerDay: 100_000, VideoSecondsPerDay: 60},
	}
}

// Patch is a change: nil members stay (spec/004).
type Patch struct {
	Name             *string       `json:"name,omitempty" minLength:"1" maxLength:"100"`
	Description      *string       `json:"description,omitempty" maxLength:"2000"`
	Model            *string       `json:"model,omitempty" maxLength:"200" doc:"provider/model; provider:model is understood."`
	PromptVersion    *int          `json:"system_prompt_version_id,omitempty" minimum:"0"`
	ProfileVersion   *int          `json:"user_profile_version_id,omitempty" minimum:"0"`
	AllowedDocs      *[]string     `json:"allowed_docs,omitempty" maxItems:"100"`
	AllowedScripts   *[]string     `json:"allowed_scripts,omitempty" maxItems:"100"`
	Capabilities     *[]Capability `json:"capabilities,omitempty" maxItems:"20" doc:"Of web, image, speech, video, scheduler and humanchat, which passes questions on to a person of the house. image, speech and video generate files, where its administrator has a key for them."`
	ResearchTools    *bool         `json:"research_tools,omitempty" doc:"The same as the capability web."`
	Published        *bool         `json:"published,omitempty"`
	MaxConversations *int          `json:"max_conversations,omitempty" minimum:"1" maximum:"100000"`
	Welcome          *string       `json:"welcome_message,omitempty" maxLength:"2000"`
	Questions        *[]string     `json:"quick_questions,omitempty" maxItems:"10"`
	Origins          *[]string     `json:"origins,omitempty" maxItems:"20"`
	Limits           *LimitsPatch  `json:"limits,omitempty" doc:"Those that are left out stay."`
}

// PublishesAlone reports whether a change publishes or withdraws, and leaves the definition as it is.
func (p Patch) PublishesAlone() bool { return p == Patch{Published: p.Published} }

// Apply returns a definition with a change in it, checked and made neat. Published of the patch is the caller's matter.
func (d Definition) Apply(p Patch) (Definition, error) {
	set(&d.Name, p.Name)
	set(&d.Description, p.Description)
	set(&d.Model, p.Model)
	set(&d.PromptVersion, p.PromptVersion)
	set(&d.ProfileVersion, p.ProfileVersion)
	set(&d.AllowedDocs, p.AllowedDocs)
	set(&d.AllowedScripts, p.AllowedScripts)
	set(&d.Capabilities, p.Capabilities)
	set(&d.MaxConversations, p.MaxConversations)
	set(&d.Welcome, p.Welcome)
	set(&d.Questions, p.Questions)
	set(&d.Origins, p.Origins)
	if p.Limits != nil {
		d.Limits.apply(*p.Limits)
	}
	d.Capabilities = slices.Clone(d.Capabilities)
	if p.ResearchTools != nil {
		d.Capabilities = slices.DeleteFunc(d.Capabilities, func(c Capability) bool { return c == Web })
		if *p.ResearchTools {
			d.Capabilities = append(d.Capabilities, Web)
		}
	}
	slices.Sort(d.Capabilities)
	d.Capabilities = slices.Compact(d.Capabilities)
	return d.check()
}

func set[T any](field *T, to *T) {
	if to != nil {
		*field = *to
	}
}

// check refuses what no service can be.
func (d Definition) check() (Definition, error) {
	d.Name = strings.Join(strings.Fields(d.Name), " ")
	if d.Model = strings.TrimSpace(d.Model); !strings.Contains(d.Model, "/") { // provider:model is understood
		d.Model = strings.Replace(d.Model, ":", "/", 1)
	}
	for what, text := range map[string]struct {
		value string
		most  int
	}{
		"name": {d.Name, MaxName}, "description": {d.Description, MaxDescription}, "welcome_message": {d.Welcome, MaxWelcome}, "model": {d.Model, maxWord},
	} {
		if utf8.RuneCountInString(text.value) > text.most {
			return d, fault.Errorf(fault.Invalid, "%s has at most %d characters", what, text.most)
		}
		if strings.ContainsFunc(text.value, func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\n\r\t", r) }) {
			return d, fault.Errorf(fault.Invalid, "%s holds a control character", what)
		}
	}
	if d.Name == "" {
		return d, fault.Errorf(fault.Invalid, "name the service")
	}
	if d.PromptVersion < 0 || d.ProfileVersion < 0 {
		return d, fault.Errorf(fault.Invalid, "a version is a number from 1, or 0 for the one in force")
	}
	for _, c := range d.Capabilities {
		if !slices.Contains(Capabilities, c) {
			return d, fault.Errorf(fault.Invalid, "there is no capability %q; write web, image, speech, video, scheduler or humanchat", c)
		}
	}
	if d.MaxConversations < 1 || d.MaxConversations > MaxConversations {
		return d, fault.Errorf(fault.Invalid, "max_conversations is between 1 and %d", MaxConversations)
	}
	return d.checkLists()
}

func (d Definition) checkLists() (_ Definition, err error) {
	if d.AllowedDocs, err = patterns("allowed_docs", d.AllowedDocs); err != nil {
		return d, err
	}
	if d.AllowedScripts, err = patterns("allowed_scripts", d.AllowedScripts); err != nil {
		return d, err
	}
	if len(d.Questions) > MaxQuestions {
		return d, fault.Errorf(fault.Invalid, "there are at most %d quick_questions", MaxQuestions)
	}
	d.Questions = slices.Clone(d.Questions)
	for i, q := range d.Questions {
		if d.Questions[i] = strings.TrimSpace(q); d.Questions[i] == "" || utf8.RuneCountInString(q) > MaxQuestion {
			return d, fault.Errorf(fault.Invalid, "a quick question has 1 to %d characters", MaxQuestion)
		}
	}
	if len(d.Origins) > MaxOrigins {
		return d, fault.Errorf(fault.Invalid, "there are at most %d origins", MaxOrigins)
	}
	d.Origins = slices.Clone(d.Origins)
	for i, o := range d.Origins {
		if d.Origins[i], err = origin(o); err != nil {
			return d, err
		}
	}
	l := d.Limits
	if l.RequestsPerMinute < 1 || l.Concurrent < 1 || min(l.TokensPerDay, l.PicturesPerDay, l.SpeechCharactersPerDay, l.VideoSecondsPerDay) < 0 {
		return d, fault.Errorf(fault.Invalid, "limits: requests_per_minute and concurrent are at least 1, the limits of a day are 0 or more")
	}
	return d, nil
}

// origin reads a site: a scheme and a host, with nothing behind them.
func origin(text string) (string, error) {
	u, err := url.Parse(strings.TrimSuffix(strings.TrimSpace(text), "/"))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" ||
		strings.ContainsFunc(u.Host, func(r rune) bool { return !isHost(r) }) {
		return "", fault.Errorf(fault.Invalid, "%q is no site; write one such as https://shop.example", text)
	}
	return u.Scheme + "://" + strings.ToLower(u.Host), nil
}

// isHost reports whether a character may be in a host with a port. Others, such as ; and *, would mean something in a
// Content-Security-Policy.
func isHost(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(".-:[]", r)
}
