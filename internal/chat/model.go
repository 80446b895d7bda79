package chat

import "time"

// The think levels: how much a model thinks before it answers, from nothing to as much as it can.
const (
	ThinkOff     = "off"
	ThinkMinimal = "minimal"
	ThinkLow     = "low"
	ThinkMedium  = "medium"
	ThinkHigh    = "high"
	ThinkXHigh   = "xhigh"
)

// ThinkLevels are all think levels, ascending.
var ThinkLevels = []string{ThinkOff, ThinkMinimal, ThinkLow, ThinkMedium, ThinkHigh, ThinkXHigh}

// The verbosities: how much of the work a channel shows.
const (
	VerboseOff  = "off"
	VerboseOn   = "on"
	VerboseFull = "full"
)

// Verbosities are all verbosities, ascending.
var Verbosities = []string{VerboseOff, VerboseOn, VerboseFull}

// ModelCriteria is what decides which model answers in a session, and how much it thinks.
type ModelCriteria struct {
	User   UserID
	Admin  bool   // they are an administrator
	Runner string // that the session names
	PersonModels

	Agent    string
	Channel  string
	Account  string
	Chat     string // the platform's id of where it takes place
	ChatType ChatType
	// Activation is what /activation set for the group; empty: as the policy says.
	Activation string
	Scene      string
	Model      string  // chosen for the session
	Think      string  // chosen for the session
	Send       string  // on, off; empty: as the policy says
	Options    Options // of the message that the running turn answers
}

// PersonModels is what a person has to say about models, and about what is remembered, wherever they talk.
type PersonModels struct {
	Own           bool   // a model of a runner may answer: one that they can use offers one, and they did not ask for the server's
	Usual         string // the model that they chose for all their conversations; empty: none
	UsualThink    string // how much models think in them; empty: they did not say
	Subscriptions int64  // the version of the subscriptions of this moment

	MemoryChoices
}

// MemoryChoices are what a person does not want of what is remembered of them.
type MemoryChoices struct {
	NoMemory    bool // they do not want their conversations to be put into memory, or read by others of their agents
	NoSoul      bool // they do not want their agents to keep soul files
	NotesLocked bool // their agents read what they remember, and write nothing
}

// The scenes: the two ways in which a place is used.
const (
	SceneChat = "chat"
	SceneWork = "work"
)

// The providers of models, by how they are spoken to.
const (
	ProviderOpenAI    = "openai" // and whatever is compatible
	ProviderAnthropic = "anthropic"
)

// The APIs of OpenAI and of what is compatible with it.
const (
	APIChatCompletions = "chat_completions"
	APIResponses       = "responses"
)

// Subscription is an account at a provider of models, as people may see it: without its key.
type Subscription struct {
	ID        int64             `json:"id"`
	User      UserID            `json:"-"` // whose it is; 0: the installation's
	Shared    bool              `json:"shared" doc:"It is the installation's, for everybody."`
	Name      string            `json:"name" doc:"The first part of the ids of its models." example:"openrouter"`
	Provider  string            `json:"provider" enum:"openai,anthropic" doc:"How it is spoken to; openai also for whatever is compatible."`
	APIType   string            `json:"api_type" enum:"chat_completions,responses"`
	BaseURL   string            `json:"base_url" doc:"Empty: the provider's own."`
	KeyHint   string            `json:"key_hint" doc:"The end of its key; empty: it has none."`
	Models    []SubscribedModel `json:"models"`
	Enabled   bool              `json:"enabled"`
	Revision  int64             `json:"revision" doc:"Grows with each change."`
	ChangedAt time.Time         `json:"changed_at"`
	ChangedBy string            `json:"changed_by,omitempty" doc:"Name of the person; empty where the account is gone."`
}

// SubscribedModel is a model of a subscription that conversations can choose.
type SubscribedModel struct {
	ID         string   `json:"id" minLength:"1" maxLength:"128" doc:"The provider's name of it." example:"anthropic/claude-sonnet-5"`
	Alias      []string `json:"alias,omitempty" maxItems:"8" doc:"Other names of it."`
	Disabled   bool     `json:"disabled,omitempty" doc:"It cannot be chosen."`
	MaxContext int      `json:"max_context,omitempty" minimum:"0" maximum:"100000000" doc:"Tokens that it takes in all; 0: what is known of it by its name."`
	MaxOutput  int      `json:"max_output,omitempty" minimum:"0" maximum:"10000000" doc:"Tokens that an answer may have; 0: as many as the model can."`
	Vision     *bool    `json:"vision,omitempty" doc:"Whether it reads pictures; left out: what its name tells."`
	Think      string   `json:"think,omitempty" enum:",off,minimal,low,medium,high,xhigh" doc:"How much it thinks where nobody says; empty: as much as it does by itself."`
	Price      *Price   `json:"price,omitempty" doc:"What it costs; left out: not known."`
}

// Price is what a provider asks, in USD for a million tokens.
type Price struct {
	Input  float64 `json:"input" minimum:"0"`
	Cached float64 `json:"cached" minimum:"0" doc:"For the part of the input that the provider served from its cache."`
	Output float64 `json:"output" minimum:"0"`
}

// ToolKey is how a service that tools use is reached, as people may see it: without its key.
type ToolKey struct {
	User      UserID    `json:"-"` // whose it is; 0: the installation's
	Service   string    `json:"service" example:"transcription"`
	Shared    bool      `json:"shared" doc:"It is the installation's, for everybody."`
	BaseURL   string    `json:"base_url" doc:"Empty: the service's own."`
	Model     string    `json:"model" doc:"Empty: the usual one."`
	KeyHint   string    `json:"key_hint" doc:"The end of the key; empty: there is none." example:"…1234"`
	Revision  int64     `json:"revision"`
	ChangedAt time.Time `json:"changed_at"`
	ChangedBy string    `json:"changed_by" doc:"Empty: nobody who is still there."`
}
